// Package gpubench times a device: memory, decoding, loading, intersection and ranked
// queries. Each figure comes with the bound or goal that it is held against, and each
// result is compared with the CPU's. The commands gpucheck and idxbench print the rows.
//
//	bench.go         Bench: one device, its options, timing by events
//	rows.go          figures as rows of a table
//	memory.go        copies and fills
//	decode.go        decoding to device memory; sequence.go makes and encodes the data
//	collection.go    generated indexes
//	queries.go       loading, conjunctions, ranked queries
//	strategies.go    ways to intersect, by the ratio of lengths
//	disjunctions.go  ways to answer disjunctions
//	latency.go       batches one after another, and single queries gathered
//	check.go         random queries, compared with the CPU's answers
package gpubench
