package writer

import (
	"testing"
	"time"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/vbyte128"
)

// BenchmarkMerge merges two halves of the collection into one segment: with the
// codec that they have, so that blocks can be copied, and with another.
func BenchmarkMerge(b *testing.B) {
	docs, _ := collection(b)
	dir := b.TempDir()
	w, err := Open(b.Context(), dir, Options{Analyzer: simpleAnalyzer(b)})
	if err != nil {
		b.Fatal(err)
	}
	for _, half := range [][]Document{docs[:len(docs)/2], docs[len(docs)/2:]} {
		addAll(b, w, half)
		if err := w.Flush(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Commit(b.Context()); err != nil {
		b.Fatal(err)
	}
	w.Close()
	for _, bm := range []struct {
		name string
		to   codec.Codec
	}{{"copy", nil}, {"encode", vbyte128.Codec{}}} {
		b.Run(bm.name, func(b *testing.B) {
			w, err := Open(b.Context(), dir, Options{DocsCodec: bm.to, FreqsCodec: bm.to})
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			var stats MergeStats
			var cpu time.Duration
			best := time.Hour
			for b.Loop() {
				cpu -= cpuTime()
				start := time.Now()
				s, st, err := w.merge(b.Context(), w.segments)
				if err != nil {
					b.Fatal(err)
				}
				best = min(best, time.Since(start))
				cpu += cpuTime()
				stats = st
				w.drop(s)
			}
			perSecond := float64(stats.Postings) * float64(b.N) / 1e6
			b.ReportMetric(perSecond/b.Elapsed().Seconds(), "Mpostings/s")
			b.ReportMetric(float64(stats.Postings)/1e6/best.Seconds(), "best-Mpostings/s")
			b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s/op")
			b.ReportMetric(float64(stats.Copied), "copied-blocks")
			b.ReportMetric(float64(stats.Encoded), "encoded-postings")
		})
	}
}
