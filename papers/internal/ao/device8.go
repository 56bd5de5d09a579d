package ao

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// The rows of figure 8 on the GPU: the engine's kernels, each codec with the exceptions that
// it chooses, over the shortest lists again and again until they exceed the GPU's caches.
const (
	onGPU8   = "decoding, GPU"
	moved    = "bytes read and written"
	perByte8 = "bytes moved in decoding, GPU"
	own8     = "its own exceptions"

	patchedBlocks = "blocks with exceptions"
	issued8       = "instructions of a warp for a block"
)

// codecs8 are the engine's codecs of the paper's, by name.
var codecs8 = []struct{ name, codec string }{
	{"NewPFD", "newpfd"}, {"ParaPFD", "parapfor"}, {"LRC", "lrc"}, {"LRCSeg", "lrcseg"}, {"SegLRC", "seglrc"}, {"HS256_LRC", "hslrc"},
}

func onDevice8(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	s, err := e.Set("GOV")
	if err != nil {
		return nil, err
	}
	some := shortest(s, e.Pick(2_000_000, 20_000))
	var lists []format.Postings
	n := 0
	for most := e.Pick(40_000_000, 20_000); n < most; {
		for _, l := range some {
			lists, n = append(lists, format.Postings{Docs: l}), n+len(l)
		}
	}
	for _, c := range codecs8 {
		all, err := codecbench.Codecs([]string{c.codec})
		if err != nil {
			return nil, err
		}
		x, err := codecbench.Encode(all[0], codecbench.Docs, lists)
		if err != nil {
			return nil, err
		}
		t, err := e.OnDevice(x)
		if err != nil || ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		bytes := 4. // written
		for i := range x.Seqs {
			// A block's end in the payload and its last docID are read with it.
			bytes += float64(len(x.Seqs[i].Payload)+4*len(x.Seqs[i].Ends)+4*len(x.Seqs[i].Last)) / float64(n)
		}
		row := func(metric, unit string, v float64) {
			rows = append(rows, paper.Row{Metric: metric, Series: c.name, At: own8, Value: v, Unit: unit})
		}
		row(onGPU8, "M docIDs/s", float64(n)/t.Kernel/1e6)
		row(moved, "bytes a docID", bytes)
		row(perByte8, "GB/s", bytes*float64(n)/t.Kernel/1e9)
	}
	return rows, nil
}

// counts8 are the instructions that a warp issues for a block of 128 docIDs without exceptions
// and for one round of exceptions, in the code for sm_90 of the kernels decode_docs; and how to
// tell whether a block of words has exceptions, in a list that begins with head.
var counts8 = []struct {
	name, codec   string
	plain, rounds float64
	patched       func(head, block []uint32) bool
}{
	{"ParaPFD", "parapfor", 86, 62, func(_, block []uint32) bool { return len(block) > 0 && block[0]>>24 > 0 }},
	{"LRC", "lrc", 84, 67, func(head, block []uint32) bool { return len(block) > 4*int(head[3]&63) }},
}

// countBlocks counts the blocks with exceptions in the engine's codecs.
func countBlocks(lists [][]uint32) (rows []paper.Row, err error) {
	var all []format.Postings
	for _, l := range lists {
		all = append(all, format.Postings{Docs: l})
	}
	for _, c := range counts8 {
		codecs, err := codecbench.Codecs([]string{c.codec})
		if err != nil {
			return nil, err
		}
		x, err := codecbench.Encode(codecs[0], codecbench.Docs, all)
		if err != nil {
			return nil, err
		}
		n, patched := 0.0, 0.0
		for _, s := range x.Seqs {
			words := format.Uint32s(s.Payload)
			for i := range len(s.Ends) - 1 {
				if n++; c.patched(words, words[s.Ends[i]:s.Ends[i+1]]) {
					patched++
				}
			}
		}
		share := patched / max(n, 1)
		rows = append(rows, paper.Row{Metric: patchedBlocks, Series: c.name, At: own8, Value: 100 * share, Unit: "%"},
			paper.Row{Metric: issued8, Series: c.name, At: own8, Value: c.plain + share*c.rounds})
	}
	return rows, nil
}
