package writer

import (
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/bp128"
	"github.com/pinion-index/pinion/format/codec/vbyte128"
)

// BenchmarkMerge merges two halves of the collection into one segment: with their
// own codecs, so that blocks can be copied (bp128 for all lists, or chosen for
// each), and with another codec, so that everything is encoded again.
func BenchmarkMerge(b *testing.B) {
	docs, _ := collection(b)
	for _, bm := range []struct {
		name     string
		from, to codec.Codec
	}{{"copy-bp128", bp128.Codec{}, bp128.Codec{}}, {"copy-chosen", nil, nil}, {"encode", nil, vbyte128.Codec{}}} {
		b.Run(bm.name, func(b *testing.B) {
			dir := b.TempDir()
			writeHalves(b, dir, docs, bm.from)
			w, err := Open(b.Context(), dir, Options{DocsCodec: bm.to, FreqsCodec: bm.to})
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			var stats MergeStats
			var cpu time.Duration
			var walls []time.Duration
			for b.Loop() {
				cpu -= cpuTime()
				start := time.Now()
				s, st, err := w.merge(b.Context(), w.segments, w.share(b.Context()))
				if err != nil {
					b.Fatal(err)
				}
				walls = append(walls, time.Since(start))
				cpu += cpuTime()
				stats = st
				w.drop(s)
			}
			slices.Sort(walls)
			rate := func(d time.Duration) float64 { return float64(stats.Postings) / 1e6 / d.Seconds() }
			b.ReportMetric(rate(walls[len(walls)/2]), "median-Mpostings/s")
			b.ReportMetric(rate(walls[0]), "best-Mpostings/s")
			b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s/op")
			b.ReportMetric(float64(stats.Copied), "copied-blocks")
			b.ReportMetric(float64(stats.Encoded), "encoded-postings")
		})
	}
}

// writeHalves makes an index of docs in dir, in two segments, with lists in c.
func writeHalves(b *testing.B, dir string, docs []Document, c codec.Codec) {
	w, err := Open(b.Context(), dir, Options{Analyzer: simpleAnalyzer(b), DocsCodec: c, FreqsCodec: c})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for _, half := range [][]Document{docs[:len(docs)/2], docs[len(docs)/2:]} {
		addAll(b, w, half)
		if err := w.Flush(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Commit(b.Context()); err != nil {
		b.Fatal(err)
	}
}
