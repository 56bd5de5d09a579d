package posting

import "github.com/pinion-index/pinion/reader"

// End is the docID of an exhausted list; it is above every docID.
const End = reader.NoDoc

// ChunkLen is the length of a chunk, as List.ChunkOf returns it.
const ChunkLen = 128

// Find looks docs[i:] up in a chunk, up to the first that is above all of it; next is its index. It writes the indexes
// of those that the chunk has to kept, and first plus their places in the chunk to at, each with room for all of docs[i:].
func Find(docs []uint32, i int, chunk *[ChunkLen]uint32, first int, kept []uint32, at []uint64) (found, next int) {
	_, _ = kept[:len(docs)-i], at[:len(docs)-i]
	return find(docs, i, chunk, first, kept, at)
}

// findPortable is Find. Like the assembly it does not branch on what it finds.
func findPortable(docs []uint32, i int, chunk *[ChunkLen]uint32, first int, kept []uint32, at []uint64) (found, next int) {
	last := chunk[ChunkLen-1]
	docs = docs[:min(len(docs), i+len(kept), i+len(at))]
	for ; i < len(docs) && docs[i] <= last; i++ {
		t := uint64(docs[i]) // a difference of docIDs that is negative has the sign bit
		j := (uint64(chunk[63]) - t) >> 63 << 6
		j += (uint64(chunk[(j+31)%ChunkLen]) - t) >> 63 << 5
		j += (uint64(chunk[(j+15)%ChunkLen]) - t) >> 63 << 4
		j += (uint64(chunk[(j+7)%ChunkLen]) - t) >> 63 << 3
		j += (uint64(chunk[(j+3)%ChunkLen]) - t) >> 63 << 2
		j += (uint64(chunk[(j+1)%ChunkLen]) - t) >> 63 << 1
		j += (uint64(chunk[j%ChunkLen]) - t) >> 63
		kept[found], at[found] = uint32(i), uint64(first)+j
		found += int((uint64(chunk[j%ChunkLen]^docs[i]) - 1) >> 63)
	}
	return found, i
}

// LowerBound returns the index of the first element of v, which ascends, that is at least target,
// or len(v).
func LowerBound(v []uint32, target uint32) int {
	lo, hi := 0, len(v)
	for lo < hi {
		m := int(uint(lo+hi) / 2)
		if v[m] < target {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}
