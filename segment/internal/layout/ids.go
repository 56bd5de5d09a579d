package layout

// SearchHashes returns the index of the first of the ascending hashes that is at least key.
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

// IDHashKey returns the element of IDHASH for the xxhash64 of an id and its docID.
func IDHashKey(hash uint64, doc uint32) uint64 { return hash&^0xffffffff | uint64(doc) }

// IDBlocks returns how many blocks the ids of docs documents have.
func IDBlocks(docs int) int { return (docs + IDsPerBlock - 1) / IDsPerBlock }
