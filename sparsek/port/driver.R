# Runs an R script statement by statement and writes what `sparsek.port.recording` reads: a line of JSON for each
# statement, state of the random stream, check and object. Arguments: the script, the file to write, and the names of
# objects, if not all are wanted. Base R only; in an environment of its own, which rm(list = ls()) does not reach.
local({
  arguments <- commandArgs(TRUE)
  script <- arguments[1]
  output <- normalizePath(arguments[2], mustWork = FALSE)

  # A text as JSON.
  quoted <- function(texts) {
    texts <- iconv(enc2utf8(texts), "UTF-8", "UTF-8", sub = "byte")
    texts[is.na(texts)] <- "NA"
    texts <- gsub("\"", "\\\"", gsub("\\", "\\\\", texts, fixed = TRUE), fixed = TRUE)
    for (code in 1:31) texts <- gsub(intToUtf8(code), sprintf("\\u%04x", code), texts, fixed = TRUE)
    paste0("\"", texts, "\"")
  }
  # Appends a line with members whose values are JSON already.
  emit <- function(kind, ...) {
    members <- c(kind = quoted(kind), ...)
    line <- paste0("{", paste0("\"", names(members), "\": ", members, collapse = ", "), "}")
    connection <- file(output, "ab")
    on.exit(close(connection))
    writeLines(line, connection, useBytes = TRUE)
  }

  # Whether set.seed was called, by the script or a package, since the last statement.
  seeded <- FALSE
  note_seed <- function() seeded <<- TRUE
  suppressMessages(trace("set.seed", tracer = as.call(list(note_seed)), print = FALSE, where = baseenv()))

  # Number, first and sums of the words of the generator, all exact; null before the first draw.
  digest <- function() {
    if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) return("null")
    words <- as.numeric(get(".Random.seed", envir = globalenv()))
    words[is.na(words)] <- -2147483648 # R shows this word as NA_integer_
    quoted(paste(sprintf("%.0f", c(length(words), words[1], sum(words), sum(words * seq_along(words)))), collapse = " "))
  }

  emit_state <- function() {
    emit("state", value = digest(), seeded = tolower(seeded))
    seeded <<- FALSE
  }

  # The numbers and texts of an object, field by field; functions and the like have none.
  emit_fields <- function(value, path) {
    if (is.factor(value)) value <- stats::setNames(as.character(value), names(value))
    plain <- function(column) typeof(column) %in% c("logical", "integer", "double") && !is.factor(column)
    if (is.data.frame(value) && length(value) && all(vapply(value, plain, NA))) value <- data.matrix(value)
    named <- names_of(value)
    value <- unclass(value)
    if (typeof(value) == "list") {
      for (i in seq_along(value)) emit_fields(value[[i]], paste0(path, part_name(names(value), i)))
    } else if (typeof(value) == "character" && length(value)) {
      emit("texts", field = quoted(path), values = listed(value))
    } else if (plain(value) && length(value)) {
      size <- if (length(dim(value)) > 1) dim(value) else length(value)
      numbers <- paste(sprintf("%a", as.double(value)), collapse = " ")
      emit("numbers", field = quoted(path), dim = paste0("[", paste(size, collapse = ", "), "]"), values = quoted(numbers))
    }
    if (typeof(value) != "list" && length(value)) {
      for (kind in names(named)) emit("texts", field = quoted(paste0(path, kind)), values = listed(named[[kind]]))
    }
  }
  # The names that a vector or a matrix carries, by what they are the names of.
  names_of <- function(value) {
    if (length(dim(value)) == 2) found <- list(" row names" = rownames(value), " column names" = colnames(value))
    else if (length(dim(value)) < 2) found <- list(" names" = names(value))
    else found <- list()
    Filter(length, found)
  }
  listed <- function(texts) paste0("[", paste(quoted(as.vector(texts)), collapse = ", "), "]")
  part_name <- function(names, i) {
    own <- if (is.null(names)) "" else names[i]
    if (is.na(own) || !nzchar(own) || sum(names == own, na.rm = TRUE) > 1) sprintf("[[%d]]", i) else paste0("$", own)
  }
  # A spelling that R's and Python's names share.
  common <- function(names) sub("_+$", "", gsub(".", "_", names, fixed = TRUE))
  emit_objects <- function(check, line) {
    emit("check", name = quoted(check), line = line)
    found <- ls(globalenv())
    if (length(arguments) > 2) found <- found[common(found) %in% common(arguments[-(1:2)])]
    for (name in found) {
      emit("object", name = quoted(name))
      emit_fields(get(name, envir = globalenv()), "")
    }
  }

  # Makes a statement; prints its value as R does at its prompt, because printing can draw random numbers.
  run <- function(statement) {
    result <- withVisible(eval(statement, globalenv()))
    if (result$visible) print(result$value)
  }
  fail <- function(error) {
    emit("error", message = quoted(conditionMessage(error)))
    quit(save = "no", status = 0)
  }

  options(device = function(...) grDevices::pdf(NULL)) # no files of pictures
  statements <- tryCatch(parse(script, keep.source = TRUE, encoding = "UTF-8"), error = fail)
  sources <- attr(statements, "srcref")
  comments <- utils::getParseData(statements)
  comments <- comments[comments$token == "COMMENT", ]
  pattern <- "^#\\s*check:\\s*(.*\\S)\\s*$"
  checks <- comments[grepl(pattern, comments$text), ]
  done <- 0
  emit_until <- function(line) {
    while (done < nrow(checks) && checks$line1[done + 1] < line) {
      done <<- done + 1
      emit_objects(sub(pattern, "\\1", checks$text[done]), checks$line1[done])
    }
  }
  emit_state()
  for (i in seq_along(statements)) {
    line <- as.integer(sources[[i]])[1]
    emit_until(line)
    emit("statement", line = line, text = quoted(paste(as.character(sources[[i]]), collapse = "\n")))
    tryCatch(run(statements[[i]]), error = fail)
    emit_state()
  }
  emit_until(Inf)
  emit_objects("", 0)
}, envir = new.env(parent = baseenv()))
