package coding

import (
	"fmt"
	"slices"
)

// Kind is a way to encode a list.
type Kind uint8

// The kinds: on gaps, and on deviations from lines.
const (
	PFD     Kind = iota // b-bit slots, exceptions linked through them, whole values behind (Ao 2011, 4.1; Griffin 2018, 2.1.1)
	NewPFD              // overflows and positions of exceptions in two S16 arrays
	ParaPFD             // overflows and positions of exceptions in two arrays of fixed width (Ao 2011, appendix G)
	LRC                 // one line and one least deviation a list (4.2)
	LRCSeg              // one line a list, a least deviation for each segment
	SegLRC              // a line for each segment
	HSLRC               // likewise, and hash buckets are the segments (4.3)
)

var kindNames = [...]string{"PFD", "NewPFD", "ParaPFD", "LRC", "LRCSeg", "SegLRC", "HS_LRC"}

// String returns the papers' name.
func (k Kind) String() string { return kindNames[k] }

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{PFD, NewPFD, ParaPFD, LRC, LRCSeg, SegLRC, HSLRC} }

// Scheme is a kind with its parameters.
type Scheme struct {
	Kind    Kind
	Segment int     // values of a segment, up to 1024; of HSLRC the mean of a bucket is at most that
	Share   float64 // exceptions, of the values of a segment, at most; 0.1 is the 90 % rule
}

// List is an encoded list of docIDs.
type List struct {
	scheme Scheme
	n      int
	s      stream
	starts []int    // of the segments, in bits, and the end
	first  []int    // index of each segment's first value, and n
	prev   []uint32 // of gap kinds: the docID before each segment
	line   line     // of LRC and LRCSeg
	lines  []line   // of SegLRC and HSLRC
	least  []int64  // by list (LRC) or segment: what is added to deviations
}

// Encode encodes a list.
func (s Scheme) Encode(docs []uint32) (*List, error) {
	if s.Segment < 32 || s.Segment > 1024 {
		return nil, fmt.Errorf("coding: segments of %d values: 32 to 1024 can be made", s.Segment)
	}
	l := &List{scheme: s, n: len(docs)}
	l.cut(docs)
	if s.Kind <= ParaPFD {
		l.encodeGaps(docs)
	} else {
		l.encodeLines(docs)
	}
	l.starts = append(l.starts, l.s.n)
	l.s.words = append(l.s.words, 0, 0) // decoders read beyond the end
	return l, nil
}

// cut divides the list into segments.
func (l *List) cut(docs []uint32) {
	if l.scheme.Kind == HSLRC {
		l.first = Buckets(docs, l.scheme.Segment)
		// A bucket may exceed what segments have room for.
		for i := 0; i+1 < len(l.first); i++ {
			if l.first[i+1]-l.first[i] > 1024 {
				l.first = slices.Insert(l.first, i+1, l.first[i]+1024)
			}
		}
		return
	}
	for at := 0; at < len(docs); at += l.scheme.Segment {
		l.first = append(l.first, at)
	}
	l.first = append(l.first, len(docs))
}

// Buckets returns the index of the first element of each hash bucket that is not empty,
// and the number of elements: buckets share their leading m bits, with the least m for
// which the mean bucket has at most that many elements (Ao 2011, section 3.4).
func Buckets(docs []uint32, mean int) []int {
	if len(docs) == 0 {
		return []int{0}
	}
	k := 0
	for uint64(docs[len(docs)-1])>>k != 0 {
		k++
	}
	m := 0
	for len(docs) > mean<<m {
		m++
	}
	shift := max(k-m, 0)
	out := []int{0}
	for i := 1; i < len(docs); i++ {
		if docs[i]>>shift != docs[i-1]>>shift {
			out = append(out, i)
		}
	}
	return append(out, len(docs))
}

// Bits returns the size: segments, their heads and a 32-bit offset for each, and lines.
func (l *List) Bits() int {
	n := l.s.n + 32*(len(l.first)-1)
	switch l.scheme.Kind {
	case LRC:
		n += 64 + 32 // slope and intercept in single precision, least deviation
	case LRCSeg:
		n += 64 + 32*len(l.least)
	case SegLRC, HSLRC:
		n += (64 + 16) * len(l.lines)
	}
	return n
}

// Len returns the number of docIDs.
func (l *List) Len() int { return l.n }

// Segments returns the number of segments.
func (l *List) Segments() int { return len(l.first) - 1 }

// First returns the index of the first docID of segment i, and for i = Segments the number
// of docIDs.
func (l *List) First(i int) int { return l.first[i] }

// Decode decodes the list to dst, which has room for all docIDs.
func (l *List) Decode(dst []uint32) {
	for i := range l.Segments() {
		l.DecodeSegment(dst[l.first[i]:l.first[i+1]], i)
	}
}

// DecodeSegment decodes segment i to dst, which has as many elements.
func (l *List) DecodeSegment(dst []uint32, i int) {
	if l.scheme.Kind <= ParaPFD {
		l.decodeGaps(dst, i)
		sum := l.prev[i]
		for j, g := range dst {
			sum += g + 1
			dst[j] = sum
		}
		return
	}
	l.decodeLine(dst, i)
}

// DecodeGaps decodes only the gaps, less one, of a list of a gap kind.
func (l *List) DecodeGaps(dst []uint32) {
	for i := range l.Segments() {
		l.decodeGaps(dst[l.first[i]:l.first[i+1]], i)
	}
}
