package writer_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// largeFields are those of the documents of TestLargeMemory.
var largeFields = []schema.Field{
	{Name: "body", Kind: schema.Text, Analyzer: "standard", Positions: true, Stored: true},
	{Name: "tag", Kind: schema.Keyword, Column: true, Stored: true},
	{Name: "size", Kind: schema.Integer, Column: true, Stored: true},
	{Name: "line", Kind: schema.Text, Analyzer: "english", Positions: true, Stored: true},
}

// largeShapes make documents of n bytes.
var largeShapes = []struct {
	name string
	make func(n int) []schema.Value
}{
	{"one word", func(n int) []schema.Value {
		return []schema.Value{schema.TextValue(0, bytes.Repeat([]byte("a "), n/2))}
	}},
	{"distinct words", func(n int) []schema.Value {
		text := make([]byte, 0, n)
		for i := uint64(0); len(text) < n-16; i++ {
			for x := i; ; x /= 36 {
				text = append(text, "0123456789abcdefghijklmnopqrstuvwxyz"[x%36])
				if x < 36 {
					break
				}
			}
			text = append(text, ' ')
		}
		return []schema.Value{schema.TextValue(0, text)}
	}},
	{"one token", func(n int) []schema.Value {
		return []schema.Value{schema.TextValue(0, bytes.Repeat([]byte("x"), n))}
	}},
	{"noise", func(n int) []schema.Value {
		text := make([]byte, n)
		rand.NewChaCha8([32]byte{1}).Read(text)
		return []schema.Value{schema.TextValue(0, text)}
	}},
	{"many values", func(n int) (values []schema.Value) {
		for i := 0; n > 100; i++ {
			v := schema.IntegerValue(2, int64(i*i))
			switch i % 3 {
			case 0:
				v = schema.KeywordValue(1, fmt.Appendf(nil, "keyword %d", i))
			case 1:
				v = schema.TextValue(3, fmt.Appendf(nil, "lines of the file, %d, are texts of their own", i%1000))
			}
			if n -= 8; v.Kind != schema.Integer {
				n -= len(v.Bytes()) - 8
			}
			values = append(values, v)
		}
		return values
	}},
}

// peak returns how much of the heap was in use at most while f ran, to a tenth: what collections of garbage found in use,
// which come whenever it has grown by that.
func peak(f func()) int {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	most := make(chan uint64)
	done := make(chan struct{})
	go func() {
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		n := uint64(0)
		for {
			metrics.Read(s)
			n = max(n, s[0].Value.Uint64())
			select {
			case <-done:
				most <- n
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	f()
	close(done)
	return int(<-most)
}

// A document of a quarter of the memory budget is added, whatever it has, beside at most four times its size of memory. With
// PINION_LONG one has 16 MiB, as the default budget of package pinion allows.
func TestLargeMemory(t *testing.T) {
	longtest.Once(t) // the race detector has memory of its own
	for _, shape := range largeShapes {
		for _, budget := range []struct {
			memory int64
			fill   bool // it is in use before
		}{{16 << 20, true}, {64 << 20, false}}[:longtest.Count(1, 2)] {
			size, fill := int(budget.memory/4), budget.fill
			o := writer.Options{Schema: &schema.Schema{Fields: largeFields}, Memory: budget.memory, Threads: 2, MergePolicy: writer.NoMerges}
			w, err := writer.Open(t.Context(), t.TempDir(), o)
			if err != nil {
				t.Fatal(err)
			}
			values := shape.make(size)
			before := int(reachableNow())
			got := size - before + peak(func() { // the document counts as one of its size
				if fill {
					for i := range 20_000 {
						d := writer.Doc{ID: fmt.Appendf(nil, "%d", i), Values: []schema.Value{schema.TextValue(0, fmt.Appendf(nil, "a%d b%d c%d %d", i, i, i, i%100))}}
						if err = w.Add(t.Context(), d); err != nil {
							return
						}
					}
				}
				err = w.Add(t.Context(), writer.Doc{ID: []byte("large"), Values: values})
			})
			if err != nil {
				t.Fatalf("%s: %v", shape.name, err)
			}
			if most := int(budget.memory) + 4*size; got > most {
				t.Errorf("%s, fill %v: %d bytes, at most %d are allowed", shape.name, fill, got, most)
			}
			t.Logf("%s, fill %v: %.1f MiB, %.1f times the document", shape.name, fill, float64(got)/(1<<20), float64(got)/float64(size))
			if err := w.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func reachableNow() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Documents are taken up to the size that MaxDocument says, with a schema and without, and no longer ones. One that is refused
// leaves that of its id, and others, as they are.
func TestMaxDocument(t *testing.T) {
	o := writer.Options{Memory: writer.MinMemory, Threads: 1, Schema: schema.Implicit("", "", true)}
	n := o.MaxDocument()
	if n != writer.MinMemory/4 || (&writer.Options{Memory: 64 << 20}).MaxDocument() != 16<<20 || (&writer.Options{}).MaxDocument() != 128<<20 || (&writer.Options{Memory: 1 << 40}).MaxDocument() != 512<<20 {
		t.Fatalf("MaxDocument is %d", n)
	}
	text := []byte(strings.Repeat("a ", n/2))
	open := func(o writer.Options) (*writer.Writer, *memfs.FS) {
		fs := memfs.New()
		w, err := writer.OpenFS(t.Context(), fs, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Close() })
		return w, fs
	}
	check := func(w *writer.Writer, fs *memfs.FS, docs uint64) {
		t.Helper()
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		s, err := r.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Verify(t.Context()); err != nil || s.Stats().Live != docs {
			t.Errorf("%d documents, %v", s.Stats().Live, err)
		}
	}
	w, fs := open(o)
	for i, text := range [][]byte{text[:3], text, append(bytes.Clone(text), 'x'), text[:3]} {
		err := w.Add(t.Context(), writer.Text(fmt.Append(nil, i%3), text))
		if (i == 2) != errors.Is(err, writer.ErrDocument) || err != nil && i != 2 {
			t.Errorf("text of %d bytes: %v", len(text), err)
		}
	}
	check(w, fs, 2)
	o.Schema = &schema.Schema{Fields: largeFields}
	w, fs = open(o)
	numbers := make([]schema.Value, n/8+1)
	for i := range numbers {
		numbers[i] = schema.IntegerValue(2, int64(i))
	}
	for i, values := range [][]schema.Value{numbers[:3], numbers[1:], numbers, {schema.TextValue(0, text[8:]), schema.TextValue(3, "")},
		{schema.TextValue(0, text[7:]), schema.KeywordValue(1, []byte("x"))}} {
		err := w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i%2), Values: values})
		if bad := i == 2 || i == 4; bad != errors.Is(err, writer.ErrDocument) || err != nil && !bad {
			t.Errorf("%d: %d values: %v", i, len(values), err)
		}
	}
	check(w, fs, 2)
}
