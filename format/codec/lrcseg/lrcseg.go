package lrcseg

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/internal/regress"
	"github.com/pinion-index/pinion/format/codec/newpfd"
)

// BlockLen is the number of values in a full block.
const BlockLen = regress.BlockLen

// Codec is lrcseg; its zero value is ready.
type Codec struct{ frequencies }

// frequencies are stored as newpfd does.
type frequencies = newpfd.Frequencies

var _ codec.Codec = Codec{}

// ID returns codec.LRCSeg.
func (Codec) ID() codec.ID { return codec.LRCSeg }

// BlockLen returns 128.
func (Codec) BlockLen() int { return BlockLen }

// plan plans the segment of the docIDs from element k on and leaves its lambda in
// lambda.
func plan(lambda, docs []uint32, l regress.Line, k int) regress.Segment {
	var dev [BlockLen]int32
	least, _ := regress.Deviations(dev[:], docs, l.From(k))
	return regress.New(lambda, dev[:len(docs)], least, 0, 0)
}

// AppendDocs appends a list of docIDs.
func (Codec) AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error) {
	ends[0] = 0
	if err := codec.CheckDocs(docs, codec.NoDoc); err != nil || len(docs) == 0 {
		return dst, err
	}
	start := len(dst)
	l := regress.Fit(docs)
	dst = regress.AppendLine(dst, l)
	ends[0] = regress.LineSize / 4
	var lambda [BlockLen]uint32
	for at := 0; at < len(docs); at += BlockLen {
		block := docs[at:min(at+BlockLen, len(docs))]
		s := plan(lambda[:], block, l, at)
		dst = s.Append(dst, lambda[:len(block)], 0)
		ends[at/BlockLen+1] = uint32((len(dst) - start) / 4)
	}
	return dst, nil
}

// DocsSize returns the bytes that AppendDocs would append.
func (Codec) DocsSize(docs []uint32) (int, error) {
	if err := codec.CheckDocs(docs, codec.NoDoc); err != nil || len(docs) == 0 {
		return 0, err
	}
	l := regress.Fit(docs)
	words := uint(regress.LineSize / 4)
	var lambda [BlockLen]uint32
	for at := 0; at < len(docs); at += BlockLen {
		s := plan(lambda[:], docs[at:min(at+BlockLen, len(docs))], l, at)
		words += s.Words()
	}
	return int(words) * 4, nil
}
