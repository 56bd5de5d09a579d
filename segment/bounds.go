package segment

import (
	"encoding/binary"
	"math"
)

// LinearRegression predicts the position of a docID in its list (Ao 2011, section
// 3.3), in fixed point with 32 fraction bits. For every element l[i]:
// Est(l[i])-Left <= i <= Est(l[i])+Right.
type LinearRegression struct {
	Inv         uint64 // positions per docID, at most 1<<32
	Base        int64  // position at docID 0, between -1<<62 and 1<<62
	Left, Right uint32 // greatest deviations
}

// Est returns the predicted position of docID x, which may be outside the list.
func (r *LinearRegression) Est(x uint32) int64 {
	return (int64(uint64(x)*r.Inv) + r.Base) >> 32
}

func parseLR(b []byte, n uint32) (LinearRegression, bool) {
	r := LinearRegression{
		Inv:   binary.LittleEndian.Uint64(b),
		Base:  int64(binary.LittleEndian.Uint64(b[8:])),
		Left:  binary.LittleEndian.Uint32(b[16:]),
		Right: binary.LittleEndian.Uint32(b[20:]),
	}
	return r, r.Inv <= 1<<32 && r.Base >= -1<<62 && r.Base <= 1<<62 && r.Left <= n && r.Right <= n
}

// HashBuckets splits a list by the high bits of its docIDs (Ao 2011, section
// 3.4): the elements of bucket x>>Shift are those at Start[bucket] up to
// Start[bucket+1].
type HashBuckets struct {
	Shift uint8
	Start []uint32 // one element more than there are buckets
}

// Range returns bounds on the position of the first docID that is at least target: lo <=
// position <= hi. They come from the linear regression and are 0 and N without one. If
// there is no such docID, its position is N.
func (l *List) Range(target uint32) (lo, hi int) {
	if !l.HasLR || target > math.MaxInt32 {
		return 0, l.N
	}
	est := l.LR.Est(target)
	n := int64(l.N)
	lo = int(min(max(est-int64(l.LR.Left), 0), n))
	hi = int(min(max(est+int64(l.LR.Right)+1, int64(lo)), n))
	return lo, hi
}

// Bucket is Range by the hash buckets instead of the linear regression.
func (l *List) Bucket(target uint32) (lo, hi int) {
	if !l.HasHash {
		return 0, l.N
	}
	h := target >> l.Hash.Shift
	if h >= uint32(len(l.Hash.Start)-1) {
		return l.N, l.N
	}
	lo = int(min(l.Hash.Start[h], uint32(l.N)))
	hi = int(min(l.Hash.Start[h+1], uint32(l.N)))
	return lo, max(lo, hi)
}
