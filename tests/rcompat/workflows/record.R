# Records R's side of the workflows: Rscript tests/rcompat/workflows/record.R [folder] [name ...]
#
# Runs the scripts in the folders here, or those named (as "sparcl/hierarchical"), each in an environment of its own under seed 1
# and R's default generators; values of statements are printed as at R's prompt. Of each it writes <folder>/<name>.json, by default into recorded/: every object that
# the script leaves, the printed lines, the warnings, the digest of the random stream and the next two uniforms.
# Numbers are texts with all digits. Needs jsonlite and the packages that the scripts load.

here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])))
reference <- normalizePath(file.path(here, "..", "..", "..", "r_reference"))
source(file.path(reference, "evaluate.R"), chdir = TRUE)

# An object as a list for JSON; NULL for what is not compared: functions, calls, formulas, environments.
encode <- function(object) {
  if (is.function(object) || is.environment(object) || is.language(object) || is.null(object)) return(NULL)
  if (is.factor(object)) object <- as.character(object)
  if (is.list(object)) {
    fields <- lapply(object, encode)
    return(list(list = Filter(Negate(is.null), fields)))
  }
  parts <- list()
  if (!is.null(dim(object))) parts$dim <- dim(object)
  if (!is.null(names(object)) && length(dim(object)) < 2) parts$names <- names(object)
  if (length(dim(object)) == 2 && !is.null(dimnames(object))) {
    parts$dimnames <- lapply(unname(dimnames(object)), function(names) if (is.null(names)) list() else names)
  }
  if (is.character(object)) c(parts, list(text = as.vector(object)))
  else c(parts, list(values = sprintf("%.17g", as.numeric(object))))
}

run_script <- function(file) {
  suppressPackageStartupMessages(for (line in grep("^library\\(", readLines(file), value = TRUE)) eval(parse(text = line)))
  RNGkind("default", "default", "default")
  set.seed(1)
  objects <- new.env(parent = globalenv())
  messages <- character(0)
  printed <- withCallingHandlers(
    utils::capture.output(for (statement in parse(file)) {
      result <- withVisible(eval(statement, objects))
      if (result$visible) print(result$value)
    }),
    warning = function(w) {
      messages <<- c(messages, conditionMessage(w))
      invokeRestart("muffleWarning")
    }
  )
  names <- sort(ls(objects), method = "radix")
  list(objects = Filter(Negate(is.null), sapply(names, function(name) encode(get(name, objects)), simplify = FALSE)),
       printed = printed, warnings = messages, state = sprintf("%.17g", state_digest()),
       "next" = sprintf("%.17g", stats::runif(2)))
}

arguments <- commandArgs(TRUE)
grDevices::pdf(NULL) # plots go nowhere
folder <- if (length(arguments)) arguments[1] else file.path(here, "recorded")
every <- sub("\\.R$", "", list.files(here, "\\.R$", recursive = TRUE))
names <- if (length(arguments) > 1) arguments[-1] else setdiff(every, c("record", "data"))
for (name in names) {
  dir.create(file.path(folder, dirname(name)), showWarnings = FALSE)
  lines <- jsonlite::toJSON(run_script(file.path(here, paste0(name, ".R"))), pretty = FALSE, auto_unbox = FALSE)
  writeLines(gsub("},\"", "},\n\"", lines, fixed = TRUE), file.path(folder, paste0(name, ".json")))
}
