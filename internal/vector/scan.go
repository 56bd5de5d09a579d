package vector

import "math/bits"

// Set is vectors with their codes, in the order of their numbers.
type Set struct {
	Dims      int
	Metas     []Meta
	High, Low []byte                // planes, PlaneSize(Dims) bytes a vector
	Floats    func(i int) []float32 // padded; valid until the next call. What codes stand for, turned, where they are alone
}

// chunk is how many vectors are looked at by the upper plane before they are by the lower one.
const chunk = 64

// Scan offers vectors of s, from lo up to hi, that are in the mask if it is not nil and whose scores for a query may be at least what
// the last offer for it returned, at first its least. Several queries read the vectors together: each word of the mask is in the cache
// for all of them. It counts what it looks at, for each query.
func Scan(queries []*Query, s *Set, lo, hi int, mask []uint64, least []float32, offer func(query, i int, score float32) (least float32)) (c Counts) {
	x := scan{set: s, offer: offer}
	look := func() {
		for i, q := range queries {
			x.look(i, q, &least[i])
		}
		x.n = 0
	}
	for at := lo &^ 63; at < hi; at += 64 {
		word := ^uint64(0)
		if mask != nil {
			word = mask[at/64]
		}
		if at < lo {
			word &= ^uint64(0) << (lo - at)
		}
		if hi-at < 64 {
			word &= 1<<(hi-at) - 1
		}
		if x.n+bits.OnesCount64(word) > chunk {
			look()
		}
		for ; word != 0; word &= word - 1 {
			x.which[x.n] = uint32(at + bits.TrailingZeros64(word))
			x.n++
		}
	}
	look()
	return x.Counts
}

// scan is a Scan on its way.
type scan struct {
	set   *Set
	offer func(query, i int, score float32) (least float32)
	Counts

	which    [chunk]uint32 // those to look at
	n        int
	products [chunk]int32
	bounds   [chunk]float64
	fetched  uint32 // makes what is only read to be fetched be read
}

// look looks at the vectors that have been collected, for query number of those.
func (x *scan) look(number int, q *Query, least *float32) {
	s, which := x.set, x.which[:x.n]
	if x.n == 0 {
		return
	}
	if number == 0 && which[x.n-1]-which[0] >= uint32(2*x.n) { // far apart: all are fetched at the same time
		for _, n := range which {
			x.fetched += uint32(s.Metas[n].R4)
		}
	}
	upperProducts(x.products[:x.n], s.High, which, q.narrow)
	q.bounds(x.bounds[:x.n], &q.upper, x.products[:], s.Metas, which)
	x.Vectors += x.n
	size := PlaneSize(s.Dims)
	for i, bound := range x.bounds[:len(which)] {
		if bound >= float64(*least) { // fetched at the same time, too
			for at := int(which[i]) * size; at < int(which[i]+1)*size; at += 64 {
				x.fetched += uint32(s.Low[at])
			}
		}
	}
	for i, bound := range x.bounds[:len(which)] {
		if bound < float64(*least) {
			continue
		}
		x.Both++
		n := int(which[i])
		var both [1]float64
		products := [1]int32{bothProducts(s.High[n*size:(n+1)*size], s.Low[n*size:(n+1)*size], q.both.codes)}
		if q.bounds(both[:], &q.both, products[:], s.Metas, which[i:i+1]); both[0] < float64(*least) {
			continue
		}
		x.Floats++
		if score := q.Score(s.Floats(n), &s.Metas[n]); score >= *least {
			*least = x.offer(number, n, score)
		}
	}
}

// Counts are how many vectors a scan looked at.
type Counts struct {
	Vectors int // by the upper plane
	Both    int // by both
	Floats  int // as floats
}

// upperProductsPortable sets products to the sums of the products of query and the upper planes of the vectors which of high.
func upperProductsPortable(products []int32, high []byte, which []uint32, query []int8) {
	size := len(query) / 2
	for i, n := range which {
		sum, plane := int32(0), high[int(n)*size:int(n+1)*size]
		for at := 0; at < size; at += groupSize {
			p, of := (*[groupSize]byte)(plane[at:]), (*[group]int8)(query[2*at:])
			for j, b := range p {
				sum += int32(b&15)*int32(of[j]) + int32(b>>4)*int32(of[j+groupSize])
			}
		}
		products[i] = sum
	}
}

// bothProductsPortable returns the sum of the products of query and the code of a vector.
func bothProductsPortable(high, low []byte, query []int16) int32 {
	sum := int32(0)
	for at := 0; at < len(high); at += groupSize {
		h, l, of := (*[groupSize]byte)(high[at:]), (*[groupSize]byte)(low[at:]), (*[group]int16)(query[2*at:])
		for j, b := range h {
			sum += int32(b<<4|l[j]&15)*int32(of[j]) + int32(b&0xf0|l[j]>>4)*int32(of[j+groupSize])
		}
	}
	return sum
}
