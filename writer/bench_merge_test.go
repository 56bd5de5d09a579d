package writer

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/vbyte128"
	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/schema"
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
			w, err := Open(b.Context(), dir, Options{DocsCodec: codec.Name(bm.to), FreqsCodec: codec.Name(bm.to)})
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			var stats MergeStats
			var cpu time.Duration
			var walls []time.Duration
			for b.Loop() {
				cpu -= cputime.Process()
				start := time.Now()
				s, st, err := merging{w}.merge(b.Context(), w.segments, w.share(b.Context()))
				if err != nil {
					b.Fatal(err)
				}
				walls = append(walls, time.Since(start))
				cpu += cputime.Process()
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
func writeHalves(b *testing.B, dir string, docs []Doc, c codec.Codec) {
	w, err := Open(b.Context(), dir, Options{Schema: schema.Implicit("simple", "", false), DocsCodec: codec.Name(c), FreqsCodec: codec.Name(c)})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for _, half := range [][]Doc{docs[:len(docs)/2], docs[len(docs)/2:]} {
		addAll(b, w, half)
		if err := w.Flush(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Commit(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCommitBesideMerge times commits of one document, with its fsyncs, while the
// two halves of the collection are merged in the background, and alone.
func BenchmarkCommitBesideMerge(b *testing.B) {
	docs, _ := collection(b)
	var beside, alone, merges []time.Duration
	for b.Loop() {
		dir := b.TempDir()
		writeHalves(b, dir, docs, nil)
		begin := false
		w, err := Open(b.Context(), dir, Options{MergePolicy: func(s []SegmentStats) []Run {
			if begin {
				begin = false
				return []Run{{0, 2}}
			}
			return nil
		}})
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		commit := func() time.Duration {
			n++
			start := time.Now()
			if err := errors.Join(w.Add(b.Context(), Text(fmt.Append(nil, "new", n), []byte("one document"))), w.Commit(b.Context())); err != nil {
				b.Fatal(err)
			}
			return time.Since(start)
		}
		for range 5 {
			alone = append(alone, commit())
		}
		begin = true
		commit()
		start := time.Now()
		done := make(chan error, 1)
		go func() { done <- w.WaitMerges(b.Context()) }()
		for merging := true; merging; {
			beside = append(beside, commit())
			select {
			case err := <-done:
				if err != nil {
					b.Fatal(err)
				}
				merging = false
			default:
			}
		}
		merges = append(merges, time.Since(start))
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	for name, d := range map[string][]time.Duration{"alone": alone, "beside": beside, "merge": merges} {
		slices.Sort(d)
		b.ReportMetric(d[len(d)/2].Seconds()*1e3, name+"-median-ms")
		b.ReportMetric(d[len(d)-1].Seconds()*1e3, name+"-max-ms")
	}
}
