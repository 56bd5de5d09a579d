package search_test

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// lengthFields are the fields of lengthFiles.
var lengthFields = []string{"a", "b", "c", "d"}

// lengthFiles returns an index of one segment with four fields whose lengths take 140 kB each. All
// fields have the term "all", and d the term "short".
func lengthFiles(t *testing.T) map[string][]byte {
	const docs = 70_000
	s := new(schema.Schema)
	for _, name := range lengthFields {
		s.Fields = append(s.Fields, schema.Field{Name: name, Kind: schema.Text, Analyzer: "whitespace"})
	}
	ctx, dir := context.Background(), memfs.New()
	w, err := writer.OpenFS(ctx, dir, writer.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	var v []schema.Value
	for d := range docs {
		v = v[:0]
		for f := range lengthFields {
			text := "all"
			if d == 7 {
				text = strings.Repeat("all ", 300) // so that a length takes two bytes
			} else if d%1000 == 0 {
				text = "short all"
			}
			v = append(v, schema.TextValue(f, []byte(text)))
		}
		if err := w.Add(ctx, writer.Doc{ID: fmt.Append(nil, d), Values: v}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Merge(ctx, writer.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return filesOf(dir)
}

// ranges is a store.ReadFS of files that are neither mapped nor read on demand. It notes which pages of
// segments are read.
type ranges struct {
	files map[string][]byte
	mu    sync.Mutex
	seen  map[int64]bool
}

func (f *ranges) ID() any                 { return f }
func (f *ranges) String() string          { return "ranges" }
func (f *ranges) List() ([]string, error) { return (&objects{files: f.files}).List() }

func (f *ranges) Open(name string) (store.Data, error) {
	b, ok := f.files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return &rangesOf{f, segment.Aligned(b), strings.HasPrefix(name, "segment")}, nil
}

// rangesOf is a file of ranges.
type rangesOf struct {
	fs      *ranges
	file    segment.Bytes
	segment bool
}

func (d *rangesOf) Size() int64  { return d.file.Size() }
func (d *rangesOf) Close() error { return nil }

func (d *rangesOf) Range(off, n int64) ([]byte, error) {
	d.fs.mu.Lock()
	defer d.fs.mu.Unlock()
	for at := off / format.PageSize; d.segment && at <= (off+n-1)/format.PageSize; at++ {
		d.fs.seen[at] = true
	}
	return d.file.Range(off, n)
}

// TestLengthsWhenNeeded: the lengths of documents in a field are read when a query first scores a list of the field,
// of a directory as well as from a store.
func TestLengthsWhenNeeded(t *testing.T) {
	files := lengthFiles(t)
	var name string
	for name = range files {
		if strings.HasPrefix(name, "segment") {
			break
		}
	}
	s, err := segment.Open(name, segment.Aligned(files[name]))
	if err != nil {
		t.Fatal(err)
	}
	sec, _ := s.Header().Section(format.SectionDocLengths)
	local, remote := &ranges{files: files, seen: map[int64]bool{}}, &objects{files: files}
	// Of what a cache of a megabyte does not take, nothing is read in advance.
	x := remote.opened(t, 1<<20)
	defer x.close(t)
	index, err := reader.Open(t.Context(), reader.FromStore(local), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	snap, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	searcher, err := search.NewSearcher(snap, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer searcher.Close()
	// read returns the fields of whose lengths most pages were read.
	read := func(seen func(page int64) bool) (fields []string) {
		for i, f := range s.Fields() {
			n := 0
			v := s.Field(i).Info()
			lo := sec.Offset + v.LengthsAt
			first, end := lo/format.PageSize, (lo+70_000*int64(v.LenWidth)-1)/format.PageSize+1
			for page := first; page < end; page++ {
				if seen(page) {
					n++
				}
			}
			if n > int(end-first)/2 {
				fields = append(fields, f.Name)
			}
		}
		return fields
	}
	want := func(what string, fields ...string) {
		t.Helper()
		if got := read(func(page int64) bool { return local.seen[page] }); !slices.Equal(got, fields) {
			t.Errorf("%s: a directory: lengths of %q were read, want %q", what, got, fields)
		}
		if got := read(func(page int64) bool { return remote.seen[name][page] }); !slices.Equal(got, fields) {
			t.Errorf("%s: a store: lengths of %q were read, want %q", what, got, fields)
		}
	}
	want("open")
	for _, c := range []struct {
		what  string
		query search.Query
		read  []string
	}{
		{"a term that is not there", search.Query{Node: query.Term{Field: "a", Text: "none"}}, nil},
		{"one field", search.Query{Node: query.Term{Field: "b", Text: "short"}}, []string{"b"}},
		{"two fields", search.Query{Node: query.Bool{Should: []query.Node{query.Term{Field: "b", Text: "all"}, query.Term{Field: "d", Text: "short"}}}}, []string{"b", "d"}},
	} {
		got, err := searcher.Search(t.Context(), c.query)
		if err != nil {
			t.Fatal(err)
		}
		far, err := x.Search(t.Context(), c.query)
		if err != nil || !slices.Equal(got.Hits, far.Hits) {
			t.Errorf("%s: %v, %v from a store: %v", c.what, got.Hits, far.Hits, err)
		}
		want(c.what, c.read...)
	}
	counted := search.Query{Node: query.Term{Field: "c", Text: "short"}}
	for _, of := range []*search.Searcher{searcher, x.Searcher} {
		if n, err := of.Count(t.Context(), counted); err != nil || n != 70 {
			t.Errorf("%d matches, %v", n, err)
		}
	}
	want("a count", "b", "d")
}
