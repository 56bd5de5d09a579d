// Package layout defines how lists, queries and results are stored in device memory.
//
//	arena.go        an allocator of ranges, for list extents
//	buffers.go      the memory of one batch: input, scratch, output
//	descriptor.go   descriptors of lists, with and without an extent
//	presence.go     the size of presence words
//	accumulators.go which queries have accumulators at the same time
package layout
