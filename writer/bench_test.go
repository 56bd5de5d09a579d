package writer

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/schema"
)

// collection returns the documents of the gzipped JSONL collection in the file that
// the environment variable PINION_COLLECTION names, and the size of their text in
// bytes.
func collection(tb testing.TB) ([]Doc, int64) {
	c := readCollection()
	if c.err != nil {
		tb.Fatal(c.err)
	}
	if c.docs == nil {
		tb.Skip("PINION_COLLECTION names no collection")
	}
	return c.docs, c.size
}

type readDocs struct {
	docs []Doc
	size int64
	err  error
}

var readCollection = sync.OnceValue(func() (c readDocs) {
	path := os.Getenv("PINION_COLLECTION")
	if path == "" {
		return c
	}
	f, err := os.Open(path)
	if err != nil {
		return readDocs{err: err}
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return readDocs{err: err}
	}
	dec := json.NewDecoder(bufio.NewReaderSize(z, 1<<20))
	var text []byte // one allocation, so that the garbage collector has nothing to do
	for dec.More() {
		var d struct{ ID, Contents string }
		if c.err = dec.Decode(&d); c.err != nil {
			return c
		}
		from := len(text)
		text = append(append(text, d.ID...), d.Contents...)
		mid, end := from+len(d.ID), len(text)
		c.docs = append(c.docs, Text(text[from:mid:mid], text[mid:end:end]))
		c.size += int64(end - mid)
	}
	// Appending has moved the text: point all documents to its final location.
	at := 0
	for i, d := range c.docs {
		mid := at + len(d.ID)
		end := mid + len(d.Values[0].Bytes())
		c.docs[i] = Text(text[at:mid:mid], text[mid:end:end])
		at = end
	}
	return c
})

func addAll(tb testing.TB, w *Writer, docs []Doc) {
	for _, d := range docs {
		if err := w.Add(tb.Context(), d); err != nil {
			tb.Fatal(err)
		}
	}
}

// BenchmarkBuild builds an index of the collection in a directory.
func BenchmarkBuild(b *testing.B) {
	docs, size := collection(b)
	b.SetBytes(size)
	var cpu time.Duration
	best := time.Hour
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		runtime.GC()
		debug.FreeOSMemory()
		cpu -= cputime.Process()
		b.StartTimer()
		start := time.Now()
		w, err := Open(b.Context(), dir, Options{Schema: schema.Implicit("simple", "", false)})
		if err != nil {
			b.Fatal(err)
		}
		addAll(b, w, docs)
		if err := w.Commit(b.Context()); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
		m := w.segments[0].seg.Meta()
		b.ReportMetric(float64(m.Terms), "terms")
		b.ReportMetric(float64(m.Postings), "postings")
		b.ReportMetric(float64(m.Tokens), "tokens")
		b.ReportMetric(float64(len(w.segments)), "segments")
		b.ReportMetric(float64(w.segments[0].data.Size())/1e6, "MB")
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		cpu += cputime.Process()
	}
	b.ReportMetric(best.Seconds(), "best-s/op")
	b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s/op")
}
