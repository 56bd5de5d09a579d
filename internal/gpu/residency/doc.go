// Package residency decides which posting lists of a snapshot lie in device memory, copies them
// there, checks them and evicts them.
//
// The files, from the API down:
//
//	load.go       Load: the lists of a batch; load_open.go: opening and copying them
//	checks.go     what a list must pass to become resident; proven.go: those that have; sums.go: checksums
//	recode.go     lists of other codecs in bp128
//	presence.go   presence words of lists
//	tiles.go      fields of impacts as a whole; banks.go: the order of their postings; postings.go: reading them
//	vectors.go    fields of dense vectors as a whole; whole.go: what is said of both
//	open.go       New and Close
//	evict.go      allocation and eviction
//	loading.go    the state of a load; loader.go: streams and memory for it
//	lists.go      Lists: the table of lists, and looking lists up
//	join.go       lists of several segments as one
//	segments.go   Segment and View: the segments of a snapshot, one by one or joined
//	list.go       List, one of them; Want, one that a batch needs
//
// A file uses what those below it declare.
package residency
