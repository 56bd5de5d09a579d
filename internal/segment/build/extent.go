package build

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// appendExtent appends the extent of the encoded blocks. If part of the payload is in
// files, it appends only the beginning and returns the rest.
func (e *ListEncoder) appendExtent(dst []byte) ([]byte, *Tail, error) {
	kth := e.kth
	if e.dirty {
		counted := e.counter.Take(e.model)
		e.dirty = false
		for i := range kth {
			kth[i] = e.model.better(counted[i], kth[i])
		}
	}
	quad := e.listQuad()
	bounds, err := e.positions()
	if err != nil {
		return dst, nil, err
	}
	flags, m := uint8(0), uint(0)
	if bounds.hasLR {
		flags |= layout.ExtLR
	}
	if bounds.hasHash {
		flags |= layout.ExtHash
		m = bounds.m
	}
	if kth[0].TF != 0 {
		flags |= layout.ExtKth
	}
	if e.impacts {
		flags |= layout.ExtImpacts
	}
	blocks := len(e.last)
	y := layout.ExtentOf(int64(blocks), flags, m)
	y.SetPayload(e.docEnds[blocks], e.freqEnds[blocks])
	if y.Size/layout.ExtentAlign > math.MaxUint32 || e.words() > math.MaxUint32 {
		return dst, nil, fmt.Errorf("segment: list of %d bytes is too long for an extent", y.Size)
	}
	at, size := len(dst), y.Size
	if e.tail.spool != nil {
		size = y.Docs
	}
	dst = slices.Grow(dst, int(size)+format.ReadablePadding)[:at+int(size)]
	b := dst[at:]
	clear(b[:y.Docs])
	b[layout.ExtDocsCodec], b[layout.ExtFreqsCodec] = byte(e.docsCodec.ID()), byte(e.freqsCodec.ID())
	b[layout.ExtBlockLog], b[layout.ExtFlags] = byte(bits.Len(uint(e.blockLen))-1), flags
	binary.LittleEndian.PutUint32(b[layout.ExtLength:], uint32(y.Size/layout.ExtentAlign))
	binary.LittleEndian.PutUint32(b[layout.ExtN:], uint32(e.n))
	binary.LittleEndian.PutUint32(b[layout.ExtFirst:], e.first)
	binary.LittleEndian.PutUint64(b[layout.ExtQuad:], uint64(quad))
	copy(b[y.DocEnds:], format.BytesOf(e.docEnds[:blocks+1]))
	copy(b[y.FreqEnds:], format.BytesOf(e.freqEnds[:blocks+1]))
	copy(b[y.Last:], format.BytesOf(e.last))
	copy(b[y.Quads:], format.BytesOf(e.quads))
	if bounds.hasLR {
		putLR(b[y.LR:], &bounds.lr)
	}
	if bounds.hasHash {
		b[y.Hash], b[y.Hash+1] = bounds.shift, byte(m)
		copy(b[y.Hash+layout.HashHead:], format.BytesOf(e.start))
	}
	if kth[0].TF != 0 {
		for i, k := range kth {
			b[y.Kth+2*int64(i)], b[y.Kth+2*int64(i)+1] = k.TF, k.Len
		}
	}
	if e.tail.spool != nil {
		t, sum, err := e.detachTail(&y, b)
		binary.LittleEndian.PutUint64(b, sum)
		return dst, t, err
	}
	clear(b[y.Docs+int64(copy(b[y.Docs:], e.docsBytes)) : y.Freqs])
	clear(b[y.Freqs+int64(copy(b[y.Freqs:], e.freqsBytes)):])
	binary.LittleEndian.PutUint64(b, xxhash.Sum64(b[layout.ExtLength:]))
	return dst, nil, nil
}

// listQuad returns the bound of the list, which those of its blocks give.
func (e *ListEncoder) listQuad() format.Quad {
	if e.impacts {
		return listMaxima(e.quads)
	}
	for _, q := range e.quads {
		e.listward.AddQuad(q)
	}
	return e.listward.Quad()
}
