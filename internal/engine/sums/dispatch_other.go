//go:build !amd64 || purego

package sums

func addProducts(sums *[Window]uint32, docs, weights []uint32, by uint32) {
	addPortable(sums, docs, weights, by)
}

func above(sums *[Window]uint32, words []uint64, from int, pass uint32) {
	abovePortable(sums, words, from, pass)
}
