# Records R's answers: Rscript r_reference/record.R [pattern]
#
# Reads cases.json, runs every case whose id matches the pattern (a regular expression; default all) and writes
# recorded/<id>.json with doubles as %.17g. A record that has the same case, input and answer stays as it is, so that
# records change only where R's answers do. Needs jsonlite, the sha256sum command and the packages of the cases.

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

# A named list as a JSON object, one member per line at the given depth.
write_object <- function(members, indent) {
  lines <- paste0(indent, vapply(names(members), write_string, ""), ": ", unlist(members))
  paste0("{\n", paste(lines, collapse = ",\n"), "\n", substring(indent, 3), "}")
}

# A vector or matrix: its dimensions where it has any, its values column by column.
write_field <- function(field) {
  values <- write_array(write_double(as.numeric(field)))
  if (is.null(dim(field))) return(paste0("{\"values\": ", values, "}"))
  paste0("{\"dim\": ", write_array(dim(field)), ", \"values\": ", values, "}")
}

write_result <- function(result) {
  write_object(list(
    value = if (length(result$value)) write_object(lapply(result$value, write_field), "      ") else "{}",
    error = if (is.null(result$error)) "null" else write_string(result$error),
    warnings = write_array(vapply(result$warnings, write_string, "")),
    state = write_array(write_double(result$state)),
    "next" = write_array(write_double(result[["next"]])),
    seconds = sprintf("%.4f", result$seconds)), "    ")
}

write_provenance <- function(case) {
  text <- vapply(provenance(case$package), as.character, "")
  text[["rng_kind"]] <- paste(suppressWarnings(RNGkind()), collapse = " ")
  text[["scripts_md5"]] <- script_sums(case$package)
  write_object(lapply(text, write_string), "    ")
}

# SHA-256 of a matrix as little-endian doubles, row by row.
matrix_sha256 <- function(x) {
  file <- tempfile()
  on.exit(unlink(file))
  writeBin(as.vector(t(x)), file, size = 8, endian = "little")
  sub(" .*", "", system2("sha256sum", shQuote(file), stdout = TRUE))
}

# A parsed JSON value as JSON again (jsonlite would keep 15 digits only).
write_json <- function(value) {
  if (is.null(value)) return("null")
  if (is.list(value) && !length(value)) return(if (is.null(names(value))) "[]" else "{}")
  if (is.list(value)) {
    members <- vapply(value, write_json, "")
    if (is.null(names(value))) return(write_array(members))
    return(paste0("{", paste0(vapply(names(value), write_string, ""), ": ", members, collapse = ", "), "}"))
  }
  if (is.character(value)) return(write_string(value))
  if (is.logical(value)) return(if (value) "true" else "false")
  write_double(value)
}

# The lines of a record that hold its case, input and answer: all but the seconds and where it comes from.
answer_lines <- function(lines) {
  lines <- lines[seq_len(match("  \"provenance\": {", lines, length(lines) + 1) - 1)]
  lines[!startsWith(lines, "    \"seconds\":")]
}

# The text of the record of a case, which makes its call.
case_record <- function(case, datasets) {
  x <- NULL
  input <- "null"
  if (!is.null(case$data)) {
    x <- make_data(case$data, datasets, folder)
    input <- write_object(list(sha256 = write_string(matrix_sha256(x)), n = nrow(x), p = ncol(x)), "    ")
  }
  args <- lapply(case$args, decode_argument, x = x)
  if (!is.null(x)) args <- c(list(x = x), args)
  result <- evaluate_case(case[["function"]], case$package, args, case$seed, case$sample_kind, case$before)
  write_object(list(case = write_json(case), input = input, result = write_result(result),
                    provenance = write_provenance(case)), "  ")
}

# Writes a record unless it says what the one that is there says; TRUE if it was written.
keep_or_write <- function(text, path) {
  lines <- strsplit(text, "\n", fixed = TRUE)[[1]]
  if (file.exists(path) && identical(answer_lines(readLines(path)), answer_lines(lines))) return(FALSE)
  temporary <- paste0(path, ".part")
  writeLines(text, temporary)
  file.rename(temporary, path)
}

pattern <- c(commandArgs(TRUE), "")[1]
table <- jsonlite::fromJSON(file.path(folder, "cases.json"), simplifyVector = FALSE)
dir.create(file.path(folder, "recorded"), showWarnings = FALSE)
chosen <- Filter(function(case) grepl(pattern, case$id), table$cases)
packages <- vapply(chosen, function(case) case$package, "")
missing <- Filter(function(package) !requireNamespace(package, quietly = TRUE), unique(packages))
written <- 0
for (case in chosen[!packages %in% missing]) {
  path <- file.path(folder, "recorded", paste0(case$id, ".json"))
  written <- written + keep_or_write(case_record(case, table$datasets), path)
}
cat(sum(!packages %in% missing), "cases run,", written, "records written\n")
if (length(missing)) {
  message(sum(packages %in% missing), " cases not run: not installed are ", toString(missing), "; see install.R")
  quit(status = 1)
}
