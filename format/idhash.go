package format

import "math/bits"

// The geometry of section IDHASH from version 0.6 on: an entry for each document, in the order of hashes, and as many buckets.
const (
	IDPrintBits = 6   // bits of the hash in an entry, beside the number of a block of ids
	IDBucketRun = 256 // buckets of which the section says how many entries are before them
)

// IDEntryBits returns the width of entries in a segment with that many blocks of ids. Each document takes a byte at least, so that
// the length of the section tells how many there are.
func IDEntryBits(blocks int64) int64 {
	return IDPrintBits + max(2, int64(bits.Len64(uint64(max(blocks, 1)-1))))
}

// idHashLength is the rule for the length of IDHASH.
func idHashLength(v Version, n Counts) int64 {
	if !v.PackedIDs() {
		return 8 * n.Docs
	}
	return (n.Docs*IDEntryBits(n.IDBlocks)+7)/8 + (2*n.Docs+7)/8 + 4*((n.Docs+IDBucketRun-1)/IDBucketRun)
}
