// Package statistics holds the formulas by which rankings say how sure a number is: exact sums,
// quantiles, and intervals for the mean of several tasks.
//
// All arithmetic is + - * / and square root of binary64, in the order written, and no product is
// fused with a sum: each one that is added to something is converted first. So every machine comes
// to the same bits.
//
// Two targets are told apart. An interval for the benchmark says where the number would lie if the
// same benchmark were run again; it needs the number of questions of each task. An interval for
// tasks says where it would lie on other tasks of the kind; it needs the spread between tasks. The
// agentic coding of LiveBench has three tasks of 20 questions. A model that solves 0.55, 0.65 and
// 0.9 of them has the mean 0.7:
//
//	Benchmark([]float64{0.55, 0.65, 0.9}, []float64{20, 20, 20}, Normal(0.95))  // 0.582 to 0.796
//	Tasks([]float64{0.55, 0.65, 0.9}, Student(0.95, 2))                         // 0.267 to 0.937
package statistics
