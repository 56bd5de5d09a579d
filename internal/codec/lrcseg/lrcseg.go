package lrcseg

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/regress"
	"github.com/pinion-index/pinion/internal/codec/newpfd"
)

// BlockLen is the number of values in a full block.
const BlockLen = regress.BlockLen

// Codec is lrcseg. The zero value is ready to use.
type Codec struct{ frequencies }

// frequencies are stored as in newpfd.
type frequencies = newpfd.Frequencies

var _ codec.Codec = Codec{}

// ID returns codec.LRCSeg.
func (Codec) ID() codec.ID { return codec.LRCSeg }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// AppendDocs appends a list of docIDs.
func (Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	return regress.AppendDocs(dst, ends, docs, 0, fit)
}

// DocsSize returns the number of bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) { return regress.DocsSize(docs, fit) }

func fit(docs []uint32) (header []byte, plan regress.Planner) {
	l := regress.Fit(docs)
	return regress.AppendLine(nil, l), func(lambda, docs []uint32, k int, _ uint32) (regress.Segment, bool) {
		var dev [BlockLen]int32
		least, _ := regress.Deviations(dev[:], docs, l.From(k))
		return regress.New(lambda, dev[:len(docs)], least, 0, 0), true
	}
}

// DecodeDocs decodes the docIDs of count blocks from block on.
func (Codec) DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (int, error) {
	return codec.Rows(dst, s, block, count, BlockLen, blockDocs)
}

// blockDocs decodes a block of docIDs.
func blockDocs(dst []uint32, s *format.Sequence, i int) (int, error) {
	b, err := regress.Open(s, i, 0)
	if err != nil {
		return 0, err
	}
	if s.Ends[0] != regress.LineSize/4 || len(s.Payload) < regress.LineSize {
		return 0, codec.ErrEndpoints
	}
	return b.Decode(dst, s, i, regress.ReadLine(s.Payload).From(i*BlockLen))
}

// StrictDocs implements codec.Strict. Low bits of the slope may be more than the docIDs need.
func (Codec) StrictDocs(s *format.Sequence, block int, _ []uint32) error {
	_, err := regress.Strict(s, block, 0, regress.LineSize/4)
	return err
}
