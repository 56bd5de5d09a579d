package reliability

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/search"
	segments "github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// TestManySegments makes an index of as many segments as a commit can hold (indexdir.MaxSegments),
// and one more, which is refused: by -scratch; else of 300. A reader opens it, refreshes and
// queries it; it is merged.
func TestManySegments(t *testing.T) {
	n := 300
	if *scratch != "" {
		n = indexdir.MaxSegments
		defer debug.SetGCPercent(debug.SetGCPercent(25)) // of 8 GB
	}
	dir, err := os.MkdirTemp(*scratch, "many-")
	check(t, err)
	defer os.RemoveAll(dir)
	makeSegments(t, dir, n-1)
	o := options("")
	o.MergePolicy = writer.NoMerges
	w, err := writer.Open(ctx, dir, o)
	check(t, err)
	one := func(i int) {
		check(t, w.Add(ctx, writer.Text(fmt.Appendf(nil, "d%d", i), fmt.Appendf(nil, "all n%d", i))), w.Flush(ctx))
	}
	before := memory()
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	check(t, err)
	defer x.Close()
	look := func(docs, parts int) {
		s, err := x.Snapshot()
		check(t, err)
		defer s.Close()
		searcher, err := search.NewSearcher(s, search.Options{})
		check(t, err)
		defer searcher.Close()
		for _, doc := range []int{0, docs / 2, docs - 1} {
			res, err := searcher.Search(ctx, search.Query{Text: fmt.Sprintf("all n%d", doc), Mode: query.ModeAnd})
			check(t, err)
			if len(s.Segments()) != parts || len(res.Hits) != 1 || int(res.Hits[0].Doc) != doc {
				t.Fatalf("%d segments, not %d; document %d: %v", len(s.Segments()), parts, doc, res.Hits)
			}
		}
	}
	look(n-1, n-1)
	t.Logf("%d segments in one commit, %d bytes of memory each in a reader", n-1, int(memory()-before)/n)
	one(n - 1)
	check(t, w.Commit(ctx))
	fresh, err := x.Refresh(t.Context())
	if check(t, err); !fresh {
		t.Fatal("nothing new")
	}
	look(n, n)
	if n == indexdir.MaxSegments {
		one(n)
		err := w.Commit(ctx)
		t.Logf("one more: %v", err)
		if err == nil {
			t.Fatal("a segment too many is committed")
		}
		w.Close()
		w, err = writer.Open(ctx, dir, o)
		check(t, err)
	}
	_, err = w.Merge(ctx, writer.MergeOptions{MaxSegments: 100})
	check(t, err, w.Commit(ctx))
	_, err = w.Merge(ctx, writer.MergeOptions{})
	check(t, err, w.Commit(ctx), w.Close())
	_, err = x.Refresh(t.Context())
	check(t, err)
	look(n, 1)
	docs, err := contents(store.Dir(dir))
	if check(t, err); len(docs) != n {
		t.Fatalf("%d documents, want %d", len(docs), n)
	}
	check(t, x.Close())
	w, err = writer.Open(ctx, dir, o) // removes what the reader held
	check(t, err, w.Close(), leftovers(store.Dir(dir)))
}

// makeSegments makes an index of n segments, of a document each. A Writer would look in all of
// them for the id of each document that it adds.
func makeSegments(t *testing.T, dir string, n int) {
	d, err := indexdir.Create(dir)
	check(t, err)
	defer d.Close()
	a, err := analysis.New("whitespace", "")
	check(t, err)
	l, err := d.LockWith(indexdir.LockOptions{Schema: schema.Implicit(a.Name(), a.Options(), false)})
	check(t, err)
	defer l.Close()
	m := l.Manifest()
	name, of := m.Analyzer()
	for i := range n {
		num, f, err := l.CreateSegment()
		check(t, err)
		id := indexdir.NewID()
		b, err := segments.New(format.NewFileWriter(f, format.KindSegment, id), segments.Options{Docs: 1, Lengths: []segment.LengthTable{segment.NewLengthTable([]uint32{2})},
			Analyzer: name, AnalyzerOptions: of, Stored: true, DocsCodec: bp128.Codec{}, FreqsCodec: bp128.Codec{}})
		check(t, err, b.AddDoc(fmt.Appendf(nil, "d%d", i), fmt.Appendf(nil, "all n%d", i)))
		one := format.Postings{Docs: []uint32{0}, Freqs: []uint32{1}}
		check(t, b.AddList([]byte("all"), one), b.AddList(fmt.Appendf(nil, "n%d", i), one))
		_, err = b.Finish()
		check(t, err, f.Sync(), f.Close())
		meta := b.Meta()
		m.Segments = append(m.Segments, indexdir.SegmentInfo{File: num, ID: id, Docs: meta.Docs, Postings: meta.Postings, Tokens: meta.Tokens})
	}
	check(t, l.Commit(m))
}

// memory returns the bytes of the heap in use.
func memory() uint64 {
	var m runtime.MemStats
	debug.FreeOSMemory()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
