# Prints Wilson's intervals, by R's prop.test, and Newcombe's for the difference of two shares, which
# are made of these: x n level low high, and x1 n1 x2 n2 level low high.
wilson <- function(x, n, level) suppressWarnings(prop.test(x, n, conf.level = level, correct = FALSE)$conf.int)
newcombe <- function(x1, n1, x2, n2, level) {
  i1 <- wilson(x1, n1, level)
  i2 <- wilson(x2, n2, level)
  d <- x1 / n1 - x2 / n2
  c(d - sqrt((x1 / n1 - i1[1])^2 + (i2[2] - x2 / n2)^2), d + sqrt((i1[2] - x1 / n1)^2 + (x2 / n2 - i2[1])^2))
}
levels <- c(0.5, 0.8, 0.95, 0.99, 0.9999)
for (level in levels) for (n in c(1, 2, 5, 20, 60, 117, 225, 1000, 12345)) for (part in c(0, 0.07, 0.3, 0.5, 0.9, 1)) {
  x <- round(part * n)
  cat("wilson", x, n, level, sprintf("%.12g", wilson(x, n, level)), "\n")
}
for (level in levels) for (k in 1:30) {
  n1 <- 3 + (k * 37) %% 211
  n2 <- 3 + (k * 53) %% 307
  x1 <- (k * 17) %% (n1 + 1)
  x2 <- (k * 29) %% (n2 + 1)
  cat("newcombe", x1, n1, x2, n2, level, sprintf("%.12g", newcombe(x1, n1, x2, n2, level)), "\n")
}
