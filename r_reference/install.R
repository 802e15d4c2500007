# Installs the R packages of the cases, at the versions that the records were made with:
# Rscript r_reference/install.R [package ...]
# Those whose folder in packages/ has a file VERSION come from CRAN: the current release where it has that version,
# its archive of older releases otherwise.

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1])
files <- Sys.glob(file.path(dirname(normalizePath(script)), "packages", "*", "VERSION"))
VERSIONS <- stats::setNames(vapply(files, readLines, ""), basename(dirname(files)))

# The mirror that R is set up with, else the first of R's own list.
if (getOption("repos")[["CRAN"]] == "@CRAN@") utils::chooseCRANmirror(ind = 1, local.only = TRUE)
repository <- sub("/$", "", getOption("repos")[["CRAN"]])

# A writable library: the first of R's own that is, else the user's.
library_folder <- function() {
  writable <- .libPaths()[file.access(.libPaths(), 2) == 0]
  if (length(writable)) return(writable[1])
  personal <- Sys.getenv("R_LIBS_USER")
  dir.create(personal, recursive = TRUE, showWarnings = FALSE)
  personal
}

installed_version <- function(name) {
  tryCatch(as.character(utils::packageVersion(name)), error = function(e) "none")
}

# Where the wanted version of a package is.
source_url <- function(name, current) {
  file <- paste0(name, "_", VERSIONS[[name]], ".tar.gz")
  is_current <- name %in% rownames(current) && current[name, "Version"] == VERSIONS[[name]]
  folder <- if (is_current) "src/contrib" else paste0("src/contrib/Archive/", name)
  paste(repository, folder, file, sep = "/")
}

# Installs one package with the packages it needs; TRUE if the wanted version is there afterwards.
install_version <- function(name, current, folder) {
  if (installed_version(name) == VERSIONS[[name]]) return(TRUE)
  needed <- unlist(tools::package_dependencies(name, db = current))
  missing <- setdiff(needed, rownames(utils::installed.packages()))
  if (length(missing)) utils::install.packages(missing, lib = folder, repos = repository)
  utils::install.packages(source_url(name, current), lib = folder, repos = NULL, type = "source")
  .libPaths(c(folder, .libPaths()))
  installed_version(name) == VERSIONS[[name]]
}

wanted <- commandArgs(TRUE)
if (!length(wanted)) wanted <- names(VERSIONS)
unknown <- setdiff(wanted, names(VERSIONS))
if (length(unknown)) stop("unknown: ", toString(unknown), "; known are ", toString(names(VERSIONS)), call. = FALSE)

todo <- Filter(function(name) installed_version(name) != VERSIONS[[name]], wanted)
failed <- character(0)
if (length(todo)) {
  current <- suppressWarnings(tryCatch(
    utils::available.packages(paste0(repository, "/src/contrib"), type = "source"), error = function(e) NULL))
  if (is.null(current) || !nrow(current)) {
    message("CRAN cannot be reached at ", repository, ": nothing was installed. Missing: ", toString(todo), ".\n",
            "Live comparisons with these packages will be skipped and counted; the recorded answers need no R.")
    quit(status = 1)
  }
  folder <- library_folder()
  failed <- Filter(function(name) !isTRUE(tryCatch(install_version(name, current, folder),
                                                   error = function(e) FALSE)), todo)
}
for (name in wanted) cat(sprintf("%-12s wanted %-8s installed %s\n", name, VERSIONS[[name]], installed_version(name)))
if (length(failed)) {
  message("not installed: ", toString(failed), "; see the messages above")
  quit(status = 1)
}
