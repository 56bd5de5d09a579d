// Package layout says how lists, queries and results lie in device memory.
//
//	arena.go        ranges of one allocation, for list extents
//	buffers.go      the memory of one batch: copied in, worked in, copied out
//	descriptor.go   descriptors of lists, with and without an extent
//	presence.go     the size of presence words
//	accumulators.go which queries have accumulators at the same time
package layout
