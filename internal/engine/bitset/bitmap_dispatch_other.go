//go:build !amd64 || purego

package bitset

func matchDocs(words []uint64, lo uint32, docs []uint32, found []uint16) int {
	return matchPortable(words, lo, docs, found)
}
