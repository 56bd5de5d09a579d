package ao

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/tools/internal/codecbench"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

// The rows of figure 8 on the GPU: the engine's kernels, each codec with the exceptions that
// it chooses, over the shortest lists again and again until they exceed the GPU's caches.
const (
	onGPU8   = "decoding, GPU"
	moved    = "bytes read and written"
	perByte8 = "bytes moved in decoding, GPU"
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
	var lists []codecbench.Postings
	n := 0
	for most := e.Pick(40_000_000, 20_000); n < most; {
		for _, l := range some {
			lists, n = append(lists, codecbench.Postings{Docs: l}), n+len(l)
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
			rows = append(rows, paper.Row{Metric: metric, Series: c.name, At: "its own exceptions", Value: v, Unit: unit})
		}
		row(onGPU8, "M docIDs/s", float64(n)/t.Kernel/1e6)
		row(moved, "bytes a docID", bytes)
		row(perByte8, "GB/s", bytes*float64(n)/t.Kernel/1e9)
	}
	return rows, nil
}
