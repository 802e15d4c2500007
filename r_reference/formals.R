# The arguments of R's functions as R gives them: names in order, defaults as R writes them.
#
# Reads lines "package function" from standard input, where an underscore may stand for a dot, and prints a line for
# each argument of those that are installed: package, version, our name, R's name, argument, default (empty without).
# Only arguments are asked for, which a caller has to know; no body of a function is read.
# Called by python -m r_reference.formals, which writes formals.csv.

# Generic functions whose method for dendrograms ours is.
OF_DENDROGRAMS <- c("labels", "nobs", "reorder")
# Of another generic function the arguments are those of its method for k-means, or else of its default method.
find_function <- function(name, package) {
  space <- asNamespace(package)
  known <- ls(space, all.names = TRUE)
  found <- known[gsub(".", "_", known, fixed = TRUE) == name]
  found <- c(found[found == name], found)
  if (!length(found)) return(NULL)
  methods <- intersect(paste0(found[1], c(".kmeans", ".default")), known)
  chosen <- if (length(methods) && "..." %in% names(formals(args(get(found[1], space)))) && length(formals(args(get(found[1], space)))) == 2)
    methods[1] else found[1]
  body <- if (name %in% OF_DENDROGRAMS) utils::getS3method(name, "dendrogram") else get(chosen, space)
  if (is.function(body)) list(name = found[1], formals = formals(args(body)))
}

write_default <- function(value) if (identical(value, quote(expr = ))) "" else paste(deparse(value, 500L), collapse = "")

wanted <- utils::read.table(file("stdin"), colClasses = "character", col.names = c("package", "name"))
for (package in unique(wanted$package)) {
  if (!suppressWarnings(requireNamespace(package, quietly = TRUE))) next
  version <- as.character(utils::packageVersion(package))
  for (name in wanted$name[wanted$package == package]) {
    found <- find_function(name, package)
    if (is.null(found)) next
    defaults <- vapply(as.list(found$formals), write_default, "")
    cat(paste(package, version, name, found$name, names(defaults), defaults, sep = "\t"), sep = "\n")
  }
}
