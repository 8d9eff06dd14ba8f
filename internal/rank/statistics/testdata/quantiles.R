# Prints two-sided quantiles of the normal distribution (freedom 0) and of Student's t.
for (level in c(0.5, 0.8, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.999999))
  for (freedom in c(0, 1, 2, 3, 4, 5, 10, 29, 30, 99, 224, 499, 500, 1000, 100000)) {
    q <- if (freedom == 0) qnorm((1 - level) / 2, lower.tail = FALSE) else qt((1 - level) / 2, freedom, lower.tail = FALSE)
    cat(sprintf("%.17g %d %.17g\n", level, as.integer(freedom), q))
  }
