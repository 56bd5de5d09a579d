package regress

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
)

// A Fitter fits a list of docIDs. It returns the list header, whole words, and the
// Planner of its segments.
type Fitter func(docs []uint32) (header []byte, plan Planner)

// A Planner plans the segment of docs, the elements from k on, which follow prev, and
// stores its lambda. ok is false for a block without words. It is called for each block
// in order.
type Planner func(lambda, docs []uint32, k int, prev uint32) (s Segment, ok bool)

// AppendDocs implements Codec.AppendDocs for lists of segments.
func AppendDocs(dst []byte, ends, docs []uint32, extraBits uint, fit Fitter) ([]byte, error) {
	ends[0] = 0
	if err := codec.CheckDocs(docs, codec.NoDoc); err != nil || len(docs) == 0 {
		return dst, err
	}
	start, prev := len(dst), codec.NoDoc
	header, plan := fit(docs)
	dst = append(dst, header...)
	ends[0] = uint32(len(header) / 4)
	lambda := make([]uint32, BlockLen)
	for at := 0; at < len(docs); at += BlockLen {
		block := docs[at:min(at+BlockLen, len(docs))]
		if s, ok := plan(lambda, block, at, prev); ok {
			dst = s.Append(dst, lambda[:len(block)], extraBits)
		}
		ends[at/BlockLen+1] = uint32((len(dst) - start) / 4)
		prev = block[len(block)-1]
	}
	return dst, nil
}

// DocsSize implements Codec.DocsSize for lists of segments.
func DocsSize(docs []uint32, fit Fitter) (int, error) {
	if err := codec.CheckDocs(docs, codec.NoDoc); err != nil || len(docs) == 0 {
		return 0, err
	}
	header, plan := fit(docs)
	words, prev := uint(len(header)/4), codec.NoDoc
	lambda := make([]uint32, BlockLen)
	for at := 0; at < len(docs); at += BlockLen {
		block := docs[at:min(at+BlockLen, len(docs))]
		if s, ok := plan(lambda, block, at, prev); ok {
			words += s.Words()
		}
		prev = block[len(block)-1]
	}
	return int(words) * 4, nil
}

// Open checks and parses block i of s.
func Open(s *format.Sequence, i int, extraBits uint) (b Segment, err error) {
	p, n, err := codec.Block(s, i, BlockLen)
	if err != nil {
		return b, err
	}
	if uint(n-1) >= BlockLen {
		return b, codec.ErrBlock
	}
	if err := codec.CheckLast(s.Last[i], s.Last[i], codec.Prev(s, i), n); err != nil {
		return b, err
	}
	if !b.open(p, n, extraBits) {
		return b, codec.ErrBlock
	}
	return b, nil
}

// Decode writes the docIDs of block i of s, parsed as b, to dst, which has 128 elements,
// and returns their number.
func (b *Segment) Decode(dst []uint32, s *format.Sequence, i int, l Local) (int, error) {
	dst = dst[:BlockLen:BlockLen]
	l.Start += b.Least
	if !b.Lambda(dst) || !l.Add(dst[:b.N], codec.Prev(s, i)) {
		return 0, codec.ErrBlock
	}
	if dst[b.N-1] != s.Last[i] {
		return 0, codec.ErrLastDoc
	}
	return b.N, nil
}

// Strict implements codec.Strict for a block of docIDs of a list whose header takes head words.
func Strict(s *format.Sequence, i int, extraBits, head uint) (Segment, error) {
	b, err := Open(s, i, extraBits)
	switch {
	case err != nil:
	case i == 0 && uint(s.Ends[0]) != head:
		err = codec.ErrEndpoints
	case !b.strict(extraBits):
		err = codec.ErrLoose
	}
	return b, err
}
