package seglrc

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/regress"
	"github.com/pinion-index/pinion/format/codec/newpfd"
)

const (
	// BlockLen is the number of values in a full block.
	BlockLen = regress.BlockLen

	turnBits = 5 // bits of c
	maxTurn  = 1<<(turnBits-1) - 1
	minTurn  = -1 << (turnBits - 1)
)

// Codec is seglrc; its zero value is ready.
type Codec struct{ frequencies }

// frequencies are stored as newpfd does.
type frequencies = newpfd.Frequencies

var _ codec.BlockCodec = Codec{}

// ID returns codec.SegLRC.
func (Codec) ID() codec.ID { return codec.SegLRC }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// line returns the line, less M, of n docIDs from base to last whose slope is
// turned by c.
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

// fit plans the segment of docs, which follow prev and are not consecutive, and
// leaves its lambda in lambda.
func fit(lambda, docs []uint32, prev uint32) regress.Segment {
	n, base, last := len(docs), prev+1, docs[len(docs)-1]
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
	return regress.New(lambda[:n], best[:n], least, uint32(turn)&(1<<turnBits-1), turnBits)
}

// leastSquares returns the turn that comes nearest to the least-squares slope.
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
	n := len(docs)
	if docs[n-1]-prev == uint32(n) {
		return dst, nil
	}
	var lambda [BlockLen]uint32
	s := fit(lambda[:], docs, prev)
	return s.Append(dst, lambda[:n], turnBits), nil
}

// AppendDocs appends a list of docIDs.
func (c Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	return codec.AppendDocsBlocks(c, dst, ends, docs)
}

// DocsSize returns the bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) {
	if err := codec.CheckDocs(docs, codec.NoDoc); err != nil {
		return 0, err
	}
	var lambda [BlockLen]uint32
	words, prev := uint(0), codec.NoDoc
	for at := 0; at < len(docs); at += BlockLen {
		block := docs[at:min(at+BlockLen, len(docs))]
		last := block[len(block)-1]
		if last-prev != uint32(len(block)) {
			s := fit(lambda[:], block, prev)
			words += s.Words()
		}
		prev = last
	}
	return int(words) * 4, nil
}
