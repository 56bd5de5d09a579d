package columns

import (
	"math"
	"slices"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Scores are the scores of documents of a segment as a Column of floats, for hits that are sorted by scores among other keys.
type Scores struct {
	docs   []uint32
	keys   []int64
	bounds []segment.ColumnBounds // by block
	first  []int                  // by block: where its documents begin in docs; at its end len(docs)
	info   segment.ColumnInfo
}

// ScoreKey returns the key of a score.
func ScoreKey(score float32) int64 { return schema.FloatKey(float64(score)) }

// KeyScore returns the score whose key that is. It is math.NaN of keys that are none of a score.
func KeyScore(key int64) float32 { return float32(schema.KeyFloat(key)) }

// Reset makes s empty, of a segment with a number of documents.
func (s *Scores) Reset(docs uint32) {
	n := (int(docs) + segment.ColumnBlock - 1) / segment.ColumnBlock
	s.docs, s.keys, s.info = s.docs[:0], s.keys[:0], segment.ColumnInfo{Min: math.MaxInt64, Max: math.MinInt64}
	s.bounds, s.first = slices.Grow(s.bounds[:0], n)[:n], slices.Grow(s.first[:0], n+1)[:n+1]
	clear(s.bounds)
	clear(s.first)
}

// Add adds a document, behind those that were added before it.
func (s *Scores) Add(doc uint32, score float32) {
	key := ScoreKey(score)
	s.docs, s.keys = append(s.docs, doc), append(s.keys, key)
	b := &s.bounds[doc/segment.ColumnBlock]
	if b.Docs == 0 {
		b.Min, b.Max, b.Form = key, key, segment.ColumnDense
	}
	b.Min, b.Max, b.Docs, b.Values = min(b.Min, key), max(b.Max, key), b.Docs+1, b.Values+1
	s.info.Min, s.info.Max, s.info.Docs, s.info.Values = min(s.info.Min, key), max(s.info.Max, key), s.info.Docs+1, s.info.Values+1
	s.first[doc/segment.ColumnBlock+1] = len(s.docs)
}

// Done completes s after the last Add.
func (s *Scores) Done() {
	for b := 1; b < len(s.first); b++ {
		s.first[b] = max(s.first[b], s.first[b-1])
	}
	if len(s.docs) == 0 {
		s.info.Min, s.info.Max = 0, 0
	}
}

// Docs returns the documents of a block.
func (s *Scores) Docs(block int) []uint32 { return s.docs[s.first[block]:s.first[block+1]] }

// Len returns how many documents there are.
func (s *Scores) Len() int { return len(s.docs) }

// Info implements Column.
func (s *Scores) Info() segment.ColumnInfo { return s.info }

// Blocks implements Column.
func (s *Scores) Blocks() int { return len(s.bounds) }

// Bounds implements Column.
func (s *Scores) Bounds(block int) segment.ColumnBounds { return s.bounds[block] }

// Read implements Column.
func (s *Scores) Read(block int, dst *segment.ColumnValues) error {
	dst.Present, dst.Ends = [segment.ColumnBlock / 64]uint64{}, nil
	dst.Numbers = slices.Grow(dst.Numbers[:0], segment.ColumnBlock)[:segment.ColumnBlock]
	clear(dst.Numbers)
	for i := s.first[block]; i < s.first[block+1]; i++ {
		at := s.docs[i] % segment.ColumnBlock
		dst.Present[at/64] |= 1 << (at % 64)
		dst.Numbers[at] = s.keys[i]
	}
	return nil
}

// Range implements Column.
func (s *Scores) Range(block int, lo, hi int64, dst *[64]uint64) error {
	*dst = [64]uint64{}
	for i := s.first[block]; i < s.first[block+1]; i++ {
		if k := s.keys[i]; lo <= k && k <= hi {
			at := s.docs[i] % segment.ColumnBlock
			dst[at/64] |= 1 << (at % 64)
		}
	}
	return nil
}

// Append implements Column.
func (s *Scores) Append(dst []int64, doc uint32) ([]int64, error) {
	b := doc / segment.ColumnBlock
	from := s.first[b]
	if i, ok := slices.BinarySearch(s.docs[from:s.first[b+1]], doc); ok {
		dst = append(dst, s.keys[from+i])
	}
	return dst, nil
}

// Outside implements Column.
func (s *Scores) Outside(int) error { return nil }

// Keyword implements Column: there are none.
func (s *Scores) Keyword(dst []byte, _ int64) ([]byte, error) { return dst, nil }

// Ordinal implements Column.
func (s *Scores) Ordinal([]byte) (int64, bool, error) { return 0, false, nil }
