package layout

import "github.com/cespare/xxhash/v2"

// IDHash returns the hash by which IDHASH finds an id: the high half of its xxhash64.
func IDHash(id []byte) uint32 { return uint32(xxhash.Sum64(id) >> 32) }

// SearchHashes returns the index of the first of the ascending hashes that is at least key, in an IDHASH that is not packed.
// Hashes are uniformly distributed, so it starts at the expected position and widens the
// search from there. It has read elements from low up to high only.
func SearchHashes(hashes []uint64, key uint64) (i, low, high int) {
	n := len(hashes)
	if n == 0 {
		return 0, 0, 0
	}
	guess := int(key >> 32 * uint64(n) >> 32)
	lo, hi := guess, guess
	for step := 8; lo > 0 && hashes[lo-1] >= key; step *= 2 {
		hi, lo = lo, max(lo-step, 0)
	}
	if lo == guess {
		for step := 8; hi < n && hashes[hi] < key; step *= 2 {
			lo, hi = hi, min(hi+step, n)
		}
	}
	low, high = max(min(lo, guess)-1, 0), min(max(hi, guess)+1, n)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if hashes[mid] < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, low, high
}

// IDHashKey returns the element for a hash and a docID of an IDHASH that is not packed.
func IDHashKey(hash, doc uint32) uint64 { return uint64(hash)<<32 | uint64(doc) }

// IDBlocks returns how many blocks the ids of docs documents have.
func IDBlocks(docs int) int { return (docs + IDsPerBlock - 1) / IDsPerBlock }
