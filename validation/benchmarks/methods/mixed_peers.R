# R's side of mixed_peers.py: Rscript mixed_peers.R and one of
#
#   data FOLDER                                   writes the tables that come with R's packages
#   fit FOLDER TABLE PACKAGE FILE REPEATS ENOUGH  labels, variables and seconds of a package on a table
#   published FOLDER PACKAGE FILE                 repeats the published example of a package
#
# The header of a table has the kind of each column: category, integer, number, class.

arguments <- commandArgs(TRUE)
folder <- arguments[2]
has <- function(package) requireNamespace(package, quietly = TRUE)

dataset <- function(name, package) {
  place <- new.env()
  utils::data(list = name, package = package, envir = place)
  place[[name]]
}

write_table <- function(name, frame, truth) {
  kind <- vapply(frame, function(column) {
    if (is.factor(column)) "category" else if (is.integer(column)) "integer" else "number"
  }, "")
  names(frame) <- paste(names(frame), kind, sep = ":")
  frame[["class:class"]] <- truth
  utils::write.csv(frame, file.path(folder, paste0(name, ".csv")), row.names = FALSE, na = "")
}

write_datasets <- function() {
  if (has("VarSelLCM")) {
    heart <- dataset("heart", "VarSelLCM")
    write_table("heart", heart[names(heart) != "Class"], heart$Class)
  }
  if (has("mlbench")) {
    votes <- dataset("HouseVotes84", "mlbench")
    write_table("votes", votes[names(votes) != "Class"], votes$Class)
    zoo <- dataset("Zoo", "mlbench")
    zoo[vapply(zoo, is.logical, NA)] <- lapply(zoo[vapply(zoo, is.logical, NA)], factor)
    write_table("zoo", zoo[names(zoo) != "type"], zoo$type)
  }
  biopsy <- stats::na.omit(dataset("biopsy", "MASS"))
  scores <- biopsy[setdiff(names(biopsy), c("ID", "class"))]
  write_table("biopsy", as.data.frame(lapply(scores, factor)), biopsy$class)
}

read_table <- function(name) {
  path <- file.path(folder, paste0(name, ".csv"))
  raw <- utils::read.csv(path, check.names = FALSE, colClasses = "character", na.strings = "")
  kind <- sub(".*:", "", names(raw))
  read <- list(category = factor, integer = as.integer, number = as.numeric, class = factor)
  columns <- Map(function(column, one) read[[one]](column), raw, kind)
  names(columns) <- sub(":.*", "", names(raw))
  frame <- as.data.frame(columns[kind != "class"])
  list(frame = frame, k = length(unique(columns[["class"]])))
}

# Medians of processor seconds, which other work on the machine disturbs little. What is slow runs once.
timed <- function(call, repeats, enough) {
  seconds <- numeric(0)
  while (length(seconds) < repeats && sum(seconds) < enough) {
    set.seed(0)
    begin <- proc.time()
    found <- call()
    seconds <- c(seconds, sum((proc.time() - begin)[1:2]))
  }
  c(found, list(seconds = stats::median(seconds)))
}

by_kproto <- function(data) {
  x <- data$frame
  numbers <- !vapply(x, is.factor, NA)
  if (all(numbers) || !any(numbers)) stop("needs numbers and categories")
  x[numbers] <- lapply(x[numbers], function(column) as.numeric(scale(column)))
  fit <- clustMixType::kproto(x, data$k, nstart = 10, na.rm = "no", verbose = FALSE)
  list(labels = fit$cluster, variables = names(x))
}

by_varsellcm <- function(data) {
  fit <- VarSelLCM::VarSelCluster(data$frame, data$k, crit.varsel = "BIC")
  list(labels = VarSelLCM::fitted(fit), variables = fit@model@names.relevant)
}

fit_one <- function(name, method, path, repeats, enough) {
  data <- read_table(name)
  call <- list(clustMixType = by_kproto, VarSelLCM = by_varsellcm)[[method]]
  found <- tryCatch(
    timed(function() call(data), repeats, enough),
    error = function(problem) list(problem = conditionMessage(problem))
  )
  line <- data.frame(
    seconds = if (is.null(found$seconds)) NA else found$seconds,
    variables = paste(found$variables, collapse = " "),
    labels = paste(found$labels, collapse = " "),
    problem = if (is.null(found$problem)) "" else found$problem
  )
  utils::write.csv(line, path, row.names = FALSE, na = "")
}

# Section "Example" of Szepannek (2018), with the random numbers of R before 3.6.
published_kproto <- function() {
  suppressWarnings(RNGkind(sample.kind = "Rounding"))
  set.seed(42)
  n <- 100
  often <- c(0.9, 0.1)
  factors <- lapply(1:2, function(i) {
    first <- sample(c("A", "B"), 2 * n, replace = TRUE, prob = often)
    factor(c(first, sample(c("A", "B"), 2 * n, replace = TRUE, prob = rev(often))))
  })
  numbers <- lapply(1:2, function(i) {
    unlist(lapply(c(-1, 1, -1, 1), function(sign) rnorm(n, mean = sign * qnorm(0.9))))
  })
  x <- data.frame(x1 = factors[[1]], x2 = factors[[2]], x3 = numbers[[1]], x4 = numbers[[2]])
  fit <- clustMixType::kproto(x, 4, verbose = FALSE)
  RNGkind(sample.kind = "Rejection")
  list(lambda = fit$lambda, sizes = fit$size, error = sum(fit$withinss), labels = fit$cluster)
}

# The vignette of VarSelLCM: one answer is missing, one to three clusters.
published_heart <- function() {
  heart <- dataset("heart", "VarSelLCM")
  x <- heart[names(heart) != "Class"]
  x[1, 1] <- NA
  set.seed(0)
  without <- VarSelLCM::VarSelCluster(x, 1:3, vbleSelec = FALSE, crit.varsel = "BIC")
  with <- VarSelLCM::VarSelCluster(x, 1:3, crit.varsel = "BIC")
  list(
    bic_without = VarSelLCM::BIC(without), bic_with = VarSelLCM::BIC(with),
    labels_without = VarSelLCM::fitted(without), labels_with = VarSelLCM::fitted(with),
    variables = with@model@names.relevant
  )
}

write_published <- function(package, path) {
  found <- list(clustMixType = published_kproto, VarSelLCM = published_heart)[[package]]()
  texts <- vapply(found, function(value) {
    paste(if (is.numeric(value)) format(value, digits = 15, trim = TRUE) else value, collapse = " ")
  }, "")
  utils::write.csv(data.frame(quantity = names(texts), value = texts), path, row.names = FALSE)
}

versions <- function() {
  names <- c("clustMixType", "VarSelLCM", "mlbench", "MASS")
  known <- vapply(names, function(name) if (has(name)) as.character(utils::packageVersion(name)) else "", "")
  known <- c(R = as.character(getRversion()), known)
  utils::write.csv(data.frame(name = names(known), version = known), file.path(folder, "versions.tsv"),
                   row.names = FALSE)
}

switch(arguments[1],
  data = { write_datasets(); versions() },
  published = write_published(arguments[3], arguments[4]),
  fit = fit_one(arguments[3], arguments[4], arguments[5], as.integer(arguments[6]), as.numeric(arguments[7]))
)
