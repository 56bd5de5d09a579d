// Package model predicts how indexes in buckets and shards on nodes behave at sizes that nobody has at hand: from what
// queries of a real index read (Record), by simulation of discrete events under a seed.
//
//	trace.go    Trace: what each query of a log reads of an index, recorded from the reader
//	grow.go     Grow: the same trace for a segment of more documents; Exponents: how quantities grow
//	replay.go   Replay: what a local cache leaves of a trace
//	clock.go    the simulated clock
//	store.go    Store: object storage, and a client that hedges and repeats as that of package bucket does
//	search.go   Search: stateless searchers over an index in a bucket, under load, and their cost
//	nodes.go    Nodes: shards on nodes that fail, asked as package node's Router asks
//
// The predictions are as good as the assumptions, which are parameters; docs/model.md lists them and what was
// measured against them.
package model
