package gpuload

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/kernels"
	"github.com/pinion-index/pinion/segment"
)

// describe returns the descriptor of a list of a segment with that many documents; its
// addresses are offsets in the extent.
func describe(v *segment.List, docs uint32) kernels.ListDesc {
	d := kernels.ListDesc{
		N: uint32(v.N), Blocks: uint32(v.Blocks), MaxDoc: docs,
		DocWords: uint32(len(v.Docs.Payload) / 4), FreqWords: uint32(len(v.Freqs.Payload) / 4),
		DocsCodec: uint8(v.DocsCodec.ID()), FreqsCodec: uint8(v.FreqsCodec.ID()),
	}
	_, d.PresenceScale = kernels.PresenceWords(d.N, docs)
	for 1<<d.LogBlock < v.BlockLen {
		d.LogBlock++
	}
	for _, p := range v.Layout() {
		a := Ptr(p.Offset)
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
			d.Hash = a + 4 // behind shift, bits
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

// A family of codecs is what a kernel is compiled for; each is in the next.
type family uint8

const (
	packedFamily family = iota // bp128 and bp256
	newpfdFamily               // and newpfd
	anyFamily
)

func familyOf(id uint8) family {
	switch id {
	case kernels.BP128, kernels.BP256:
		return packedFamily
	case kernels.NewPFD:
		return newpfdFamily
	}
	return anyFamily
}

// place makes offsets in an extent addresses on the device. No part is at offset 0, where
// the extent's header is.
func place(d *kernels.ListDesc, at Ptr) {
	for _, p := range []*Ptr{&d.Docs, &d.Freqs, &d.DocEnds, &d.FreqEnds, &d.Last, &d.Quads, &d.Hash} {
		if *p != 0 {
			*p += at
		}
	}
}

// linear reports whether a codec of docIDs is of the linear-regression family.
func linear(id uint8) bool { return id >= uint8(codec.LRC) && id <= uint8(codec.HSLRC) }

// supported reports whether kernels decode a codec.
func supported(id uint8) bool {
	return id >= kernels.BP128 && id <= kernels.EF
}
