# data.table: groups, joins and sorts with all threads, then the same in forked children (mclapply), where data.table uses one.
suppressPackageStartupMessages({library(data.table); library(parallel)})
setDTthreads(0)
set.seed(7)
rows <- 2e6
table <- data.table(id = sample.int(1e5, rows, TRUE), group = sample.int(50, rows, TRUE), value = rnorm(rows))
work <- function(part) {
  own <- copy(part)
  setorder(own, group, id, value)
  sums <- own[, .(total = sum(value), middle = median(value), count = .N), by = .(group)]
  first <- own[, .(first = value[1L]), by = id]
  c(sum(sums$total), sum(sums$middle), sum(as.numeric(sums$count)), sum(first$first), own$value[rows / 4])
}
begin <- proc.time()[["elapsed"]]
here <- work(table)
children <- mclapply(1:4, function(i) work(table[group %% 4L == i - 1L]), mc.cores = 2)
again <- work(table)
fread_file <- tempfile()
fwrite(table[1:500000], fread_file)
back <- fread(fread_file)
cat(sprintf("seconds %.6f\n", proc.time()[["elapsed"]] - begin))
stopifnot(identical(here, again), all(vapply(children, is.numeric, TRUE)))
print_near <- function(name, values) for (i in seq_along(values)) cat(sprintf("near %s_%d %.17g 1e-12\n", name, i, values[i]))
print_near("here", here[!is.na(here)])
for (i in 1:4) print_near(paste0("child_", i), children[[i]][!is.na(children[[i]])])
print_near("read", c(nrow(back), sum(back$value)))
