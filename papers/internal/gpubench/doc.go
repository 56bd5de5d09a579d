// Package gpubench benchmarks a device: memory, decoding, loading, intersection and
// ranked queries. Each figure has a bound or goal to compare it with, and each result is
// compared with the CPU's. The command paper gpu prints the rows.
//
//	bench.go         Bench: one device, its options, timing by events
//	rows.go          figures as rows of a table
//	memory.go        copies and fills
//	decode.go        decoding to device memory; sequence.go makes and encodes the data
//	collection.go    the collections and their queries
//	queries.go       loading, conjunctions, ranked queries
//	strategies.go    algorithms for intersection, by the ratio of lengths
//	latency.go       consecutive batches
//	steps.go         single queries on two processors; ways.go compares ways to answer them
//	lists.go         decoding of resident lists, timed
package gpubench
