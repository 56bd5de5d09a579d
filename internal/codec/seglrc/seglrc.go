package seglrc

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/regress"
	"github.com/pinion-index/pinion/internal/codec/newpfd"
)

const (
	// BlockLen is the number of values in a full block.
	BlockLen = regress.BlockLen

	turnBits = 5 // bits of c
	maxTurn  = 1<<(turnBits-1) - 1
	minTurn  = -1 << (turnBits - 1)
)

// Codec is seglrc. The zero value is ready to use.
type Codec struct{ frequencies }

// frequencies are stored as in newpfd.
type frequencies = newpfd.Frequencies

var _ codec.BlockCodec = Codec{}

// ID returns codec.SegLRC.
func (Codec) ID() codec.ID { return codec.SegLRC }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// line returns the line, without M, of n docIDs from base to last, with the slope turned
// by c.
func line(n int, base, last uint32, c int) regress.Local {
	s := uint64(last-base) << 7
	if n == BlockLen {
		s >>= 7
	} else {
		s /= uint64(n)
	}
	s += uint64(int64(s>>6) * int64(c))
	return regress.Local{Start: base, Step: uint32(s >> 7), FracStep: uint32(s&127) << 18}
}

// fit fits a list, which has no header.
func fit([]uint32) ([]byte, regress.Planner) { return nil, plan }

// plan plans the segment of docs, which follow prev. ok is false for consecutive docIDs,
// which have no segment.
func plan(lambda, docs []uint32, _ int, prev uint32) (s regress.Segment, ok bool) {
	n, base, last := len(docs), prev+1, docs[len(docs)-1]
	if last-prev == uint32(n) {
		return s, false
	}
	var dev, best [BlockLen]int32
	var least int32
	turn, narrowest := 0, ^uint32(0)
	middle := leastSquares(docs, base)
	for c := max(middle-2, minTurn); c <= min(middle+2, maxTurn); c++ {
		lo, hi := regress.Deviations(dev[:n], docs, line(n, base, last, c))
		if r := uint32(hi - lo); r < narrowest {
			turn, narrowest, least, best = c, r, lo, dev
		}
	}
	return regress.New(lambda, best[:n], least, uint32(turn)&(1<<turnBits-1), turnBits), true
}

// leastSquares returns the turn closest to the least-squares slope.
func leastSquares(docs []uint32, base uint32) int {
	n := int64(len(docs))
	s := int64(docs[n-1]-base) << 7 / n
	if n == 1 || s>>6 == 0 {
		return 0
	}
	cross := int64(0) // twice the sum of (j - mean of j) * docID
	for j, d := range docs {
		cross += int64(d-base) * (2*int64(j) - n + 1)
	}
	slope := cross / n * (6 << 7) / (n*n - 1)
	turn := (slope - s) / (s >> 6)
	return int(min(max(turn, minTurn), maxTurn))
}

// AppendDocsBlock appends a block of docIDs that follow prev.
func (Codec) AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error) {
	if err := codec.CheckDocs(docs, prev); err != nil {
		return dst, err
	}
	var lambda [BlockLen]uint32
	if s, ok := plan(lambda[:], docs, 0, prev); ok {
		dst = s.Append(dst, lambda[:len(docs)], turnBits)
	}
	return dst, nil
}

// AppendDocs appends a list of docIDs.
func (Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	return regress.AppendDocs(dst, ends, docs, turnBits, fit)
}

// DocsSize returns the number of bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) { return regress.DocsSize(docs, fit) }

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, blockDocs)
}

// blockDocs decodes a block of docIDs.
func blockDocs(dst []uint32, s *format.Sequence, i int) (int, error) {
	if s.Ends[i] == s.Ends[i+1] {
		return consecutive(dst, s, i)
	}
	b, err := regress.Open(s, i, turnBits)
	if err != nil {
		return 0, err
	}
	turn := int(int32(b.Extra<<(32-turnBits)) >> (32 - turnBits))
	return b.Decode(dst, s, i, line(b.N, codec.Prev(s, i)+1, s.Last[i], turn))
}

// consecutive decodes a block without words.
func consecutive(dst []uint32, s *format.Sequence, i int) (int, error) {
	_, n, err := codec.Block(s, i, BlockLen)
	if err != nil {
		return 0, err
	}
	prev, last := codec.Prev(s, i), s.Last[i]
	if uint(n-1) >= BlockLen || last-prev != uint32(n) {
		return 0, codec.ErrBlock
	}
	for j := range dst[:n] {
		dst[j] = prev + 1 + uint32(j)
	}
	return n, codec.CheckLast(last, last, prev, n)
}

// StrictDocs implements codec.Strict. c may have a lower bit set that moves no docID.
func (Codec) StrictDocs(s *format.Sequence, block int, docs []uint32) error {
	if s.Ends[block] == s.Ends[block+1] {
		return nil
	}
	b, err := regress.Strict(s, block, turnBits, 0)
	rise := uint64(docs[len(docs)-1]-codec.Prev(s, block)-1) << 7
	if err == nil && b.Extra != 0 && rise/uint64(len(docs))>>6 == 0 {
		err = codec.ErrLoose // c turns nothing
	}
	return err
}
