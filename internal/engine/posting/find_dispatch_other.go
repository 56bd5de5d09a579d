//go:build !amd64 || purego

package posting

func find(docs []uint32, i int, chunk *[ChunkLen]uint32, first int, kept []uint32, at []uint64) (found, next int) {
	return findPortable(docs, i, chunk, first, kept, at)
}
