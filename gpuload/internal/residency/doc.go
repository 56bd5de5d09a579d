// Package residency decides which posting lists of a snapshot lie in device memory, copies them
// there, checks them and evicts them.
//
// The files, from the API down:
//
//	lists.go      Lists: the table of lists; List, one of them; Want, one that a batch needs
//	load.go       loading lists; load_open.go: opening them; loader.go: streams and memory for that
//	checks.go     what a list must pass to become resident
//	recode.go     lists of other codecs in bp128
//	evict.go      allocation and eviction
//	presence.go   presence words of lists
//	join.go       lists of several segments as one
//	segments.go   Segment and View: the segments of a snapshot, one by one or joined
package residency
