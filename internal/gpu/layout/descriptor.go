package layout

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/segment"
)

// Describe returns the descriptor of a list in a segment with docs documents. Its
// addresses are offsets in the extent until Place is called.
func Describe(v *segment.List, docs uint32) kernels.ListDesc {
	d := kernels.ListDesc{
		N: uint32(v.N), Blocks: uint32(v.Blocks), MaxDoc: docs,
		DocWords: uint32(len(v.Docs.Payload) / 4), FreqWords: uint32(len(v.Freqs.Payload) / 4),
		DocsCodec: v.DocsCodec, FreqsCodec: v.FreqsCodec,
	}
	_, d.PresenceScale = kernels.PresenceWords(d.N, docs)
	for 1<<d.LogBlock < v.BlockLen {
		d.LogBlock++
	}
	for _, p := range v.Layout() {
		a := kernels.Ptr(p.Offset)
		switch p.Name {
		case "doc-ends":
			d.DocEnds = a
		case "freq-ends":
			d.FreqEnds = a
		case "skip":
			d.Last = a
		case "quads":
			d.Quads = a
		case "hash-buckets":
			d.Hash = a + 4 // after shift and bits
		case "docs":
			d.Docs = a
		case "freqs":
			d.Freqs = a
		}
	}
	if v.HasLR {
		d.Flags |= kernels.FlagLR
		d.LRInv, d.LRBase, d.LRLeft, d.LRRight = int64(v.LR.Inv), v.LR.Base, v.LR.Left, v.LR.Right
	}
	if v.HasHash {
		d.Flags |= kernels.FlagHash
		d.HashShift = v.Hash.Shift
		for 1<<d.HashBits < len(v.Hash.Start)-1 {
			d.HashBits++
		}
	}
	return d
}

// Place turns the offsets of a descriptor into addresses, for an extent at address at.
// Offset 0 means none, since the extent's header is there, and stays 0.
func Place(d *kernels.ListDesc, at kernels.Ptr) {
	for _, p := range []*kernels.Ptr{&d.Docs, &d.Freqs, &d.DocEnds, &d.FreqEnds, &d.Last, &d.Quads, &d.Hash} {
		if *p != 0 {
			*p += at
		}
	}
}

// DescSize is the size of a descriptor in bytes.
var DescSize = len(kernels.Bytes(&kernels.ListDesc{}))

// AppendPlain appends a list without an extent as plain values, for a segment with docs
// documents, and returns its descriptor. p must not be empty.
func AppendPlain(b *Buffers, p format.Postings, docs uint32) kernels.ListDesc {
	n := uint32(p.Len())
	ends := Put(b, []uint32{0, n, p.Docs[n-1]})
	return kernels.ListDesc{
		Docs: Put(b, p.Docs), Freqs: Put(b, p.Freqs), DocEnds: ends, FreqEnds: ends, Last: ends + 8,
		N: n, Blocks: 1, DocWords: n, FreqWords: n, DocsCodec: kernels.Raw, FreqsCodec: kernels.Raw, LogBlock: 7, MaxDoc: docs,
	}
}
