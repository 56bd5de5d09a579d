package query

// Seek is a strategy for finding the posting at or after a docID.
type Seek uint8

// The strategies. All find the same posting.
const (
	// SeekSkip gallops through the skip header and bisects the block.
	SeekSkip Seek = iota
	// SeekRange bisects the safe range of the list's linear regression, where it
	// has one (Ao 2011, section 3.3).
	SeekRange
	// SeekHash bisects the hash bucket, where the list has buckets (Ao 2011,
	// section 3.4).
	SeekHash
)

// String returns the strategy's name: skip, range, hash.
func (s Seek) String() string { return [...]string{"skip", "range", "hash", "?"}[min(s, 3)] }

// positions returns between which positions of the list the first docID that is
// at least target lies, by l's strategy. hi may be the length of the list.
func (l *list) positions(target uint32) (lo, hi int) {
	if l.seekBy == SeekHash && l.l.HasHash {
		return l.l.Bucket(target)
	}
	return l.l.Range(target)
}

// findBlockBy is findBlock by regression or buckets.
func (l *list) findBlockBy(b int, target uint32) int {
	if len(l.last) == 1 {
		return gallop(l.last, b, target)
	}
	lo, hi := l.positions(target)
	lo, hi = lo/l.l.BlockLen, hi/l.l.BlockLen
	if lo >= len(l.last) || hi < b {
		return gallop(l.last, b, target) // metadata that contradict the list
	}
	return lowerBound(l.last, max(lo, b), min(hi+1, len(l.last)), target)
}

// narrow intersects the indexes lo to hi of the current block with what the
// strategy knows about target.
func (l *list) narrow(target uint32, lo, hi int) (int, int) {
	if len(l.last) == 1 {
		return lo, hi
	}
	a, z := l.positions(target)
	first := l.block * l.l.BlockLen
	return max(lo, min(a-first, hi)), min(hi, max(z-first, lo))
}
