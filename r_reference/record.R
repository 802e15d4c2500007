# Records R's answers: Rscript r_reference/record.R [pattern]
#
# Reads cases.json, runs every case whose id matches the pattern (a regular expression; default all) and writes their
# lines in recorded/<package>/<function>.jsonl, with doubles as %.17g. A line that has the same input and answer stays as
# it is, so that records change only where R's answers do; a line whose case is gone from the table goes too. Needs
# jsonlite, the sha256sum command and the packages of the cases.

arguments <- commandArgs(FALSE)
script <- sub("^--file=", "", grep("^--file=", arguments, value = TRUE)[1])
folder <- dirname(normalizePath(script))
for (file in c("evaluate.R", "recipes.R")) source(file.path(folder, file), chdir = TRUE)

# MD5 of every script that bears on the records of a package.
script_sums <- function(package) {
  files <- file.path(folder, c("evaluate.R", "recipes.R", "record.R", file.path("packages", package, "calls.R")))
  paste(unname(tools::md5sum(files[file.exists(files)])), collapse = " ")
}

# A double that reads back exactly; values JSON lacks become strings.
write_double <- function(v) {
  out <- sprintf("%.17g", v)
  out[!is.na(v) & v == 0 & 1 / v < 0] <- "-0.0"
  out[is.infinite(v)] <- ifelse(v[is.infinite(v)] > 0, "\"Inf\"", "\"-Inf\"")
  out[is.nan(v)] <- "\"NaN\""
  out[is.na(v) & !is.nan(v)] <- "\"NA\""
  out
}

write_string <- function(s) {
  s <- gsub("\\", "\\\\", s, fixed = TRUE)
  s <- gsub("\"", "\\\"", s, fixed = TRUE)
  paste0("\"", gsub("\n", "\\n", s, fixed = TRUE), "\"")
}

write_array <- function(items) paste0("[", paste(items, collapse = ","), "]")

# A named list of JSON texts as a JSON object.
write_object <- function(members) {
  paste0("{", paste0(vapply(names(members), write_string, ""), ": ", unlist(members), collapse = ", "), "}")
}

# A vector or matrix: its dimensions where it has any, its values column by column.
write_field <- function(field) {
  values <- write_array(write_double(as.numeric(field)))
  if (is.null(dim(field))) return(paste0("{\"values\": ", values, "}"))
  paste0("{\"dim\": ", write_array(dim(field)), ", \"values\": ", values, "}")
}

write_result <- function(result) {
  write_object(list(
    value = if (length(result$value)) write_object(lapply(result$value, write_field)) else "{}",
    error = if (is.null(result$error)) "null" else write_string(result$error),
    warnings = write_array(vapply(result$warnings, write_string, "")),
    state = write_array(write_double(result$state)),
    "next" = write_array(write_double(result[["next"]]))))
}

# The line of this run for a package: what its records are made with. Its id is a digest of that.
run_line <- function(package) {
  text <- vapply(provenance(package), as.character, "")
  text[["rng_kind"]] <- paste(suppressWarnings(RNGkind()), collapse = " ")
  text[["scripts_md5"]] <- script_sums(package)
  said <- write_object(lapply(text, write_string))
  file <- tempfile()
  on.exit(unlink(file))
  writeLines(said, file)
  write_object(list(run = write_string(substring(tools::md5sum(file), 1, 8)), provenance = said))
}

# SHA-256 of a matrix as little-endian doubles, row by row.
matrix_sha256 <- function(x) {
  file <- tempfile()
  on.exit(unlink(file))
  writeBin(as.vector(t(x)), file, size = 8, endian = "little")
  sub(" .*", "", system2("sha256sum", shQuote(file), stdout = TRUE))
}

# The part of a line that says its case, input and answer: all but the seconds and the run.
answer <- function(line) sub(", \"seconds\": [0-9.]+, \"run\": \"[^\"]*\"[}]$", "", line)

# The id with which a line begins, of a record or of a run.
line_id <- function(line) sub("^[{]\"(id|run)\": \"([^\"]*)\".*", "\\2", line)

# The run that a record names at its end.
run_of <- function(line) sub(".*, \"run\": \"([^\"]*)\"[}]$", "\\1", line)

# The line of a case, which makes its call.
case_line <- function(case, datasets, run) {
  x <- NULL
  input <- "null"
  if (!is.null(case$data)) {
    x <- make_data(case$data, datasets, folder)
    input <- write_object(list(sha256 = write_string(matrix_sha256(x)), n = nrow(x), p = ncol(x)))
  }
  args <- lapply(case$args, decode_argument, x = x)
  if (!is.null(x)) args <- c(list(x = x), args)
  result <- evaluate_case(case[["function"]], case$package, args, case$seed, case$sample_kind, case$before)
  write_object(list(id = write_string(case$id), input = input, result = write_result(result),
                    seconds = sprintf("%.4f", result$seconds), run = write_string(line_id(run))))
}

# Runs the chosen cases of one function and writes its file, in the order of the table; the number of new lines.
record_function <- function(cases, chosen, datasets) {
  first <- cases[[1]]
  path <- file.path(folder, "recorded", first$package, paste0(first[["function"]], ".jsonl"))
  lines <- if (file.exists(path)) readLines(path) else character(0)
  names(lines) <- vapply(lines, line_id, "", USE.NAMES = FALSE)
  run <- run_line(first$package)
  written <- 0
  for (case in cases[chosen]) {
    line <- case_line(case, datasets, run)
    if (case$id %in% names(lines) && identical(answer(lines[[case$id]]), answer(line))) next
    lines[[case$id]] <- line
    written <- written + 1
  }
  lines[[line_id(run)]] <- run
  ids <- vapply(cases, function(case) case$id, "")
  records <- lines[ids[ids %in% names(lines)]]
  dir.create(dirname(path), recursive = TRUE, showWarnings = FALSE)
  temporary <- paste0(path, ".part")
  writeLines(c(lines[unique(vapply(records, run_of, ""))], records), temporary)
  file.rename(temporary, path)
  written
}

pattern <- c(commandArgs(TRUE), "")[1]
table <- jsonlite::fromJSON(file.path(folder, "cases.json"), simplifyVector = FALSE)
table_of <- vapply(table$cases, function(case) case[["function"]], "")
chosen <- vapply(table$cases, function(case) grepl(pattern, case$id), NA)
packages <- vapply(table$cases, function(case) case$package, "")
missing <- Filter(function(package) !requireNamespace(package, quietly = TRUE), unique(packages[chosen]))
runs <- chosen & !packages %in% missing
written <- 0
for (name in unique(table_of[runs])) {
  of_function <- table_of == name
  written <- written + record_function(table$cases[of_function], runs[of_function], table$datasets)
}
cat(sum(runs), "cases run,", written, "records written\n")
if (length(missing)) {
  message(sum(chosen) - sum(runs), " cases not run: not installed are ", toString(missing), "; see install.R")
  quit(status = 1)
}
