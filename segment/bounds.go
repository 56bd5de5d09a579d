package segment

import "encoding/binary"

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
