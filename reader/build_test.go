package reader_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// postings is one list; docIDs are local.
type postings struct{ docs, freqs []uint32 }

// content is what a segment is built from.
type content struct {
	docs    uint32
	lists   map[string]postings
	id      func(doc uint32) string // nil: "doc-" and the docID
	stored  bool
	deleted []uint32
	codec   codec.ID // 0: bp128
}

func (c *content) docID(doc uint32) string {
	if c.id != nil {
		return c.id(doc)
	}
	return fmt.Sprintf("doc-%d", doc)
}

func text(doc uint32) string { return fmt.Sprintf("the text of document %d", doc) }

// lengths returns the sums of the frequencies of every document.
func (c *content) lengths() []uint32 {
	n := make([]uint32, c.docs)
	for _, l := range c.lists {
		for i, d := range l.docs {
			n[d] += l.freqs[i]
		}
	}
	return n
}

// addSegment writes a segment and returns its manifest entry.
func addSegment(t testing.TB, l *indexdir.Lock, c *content) indexdir.SegmentInfo {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if c.codec == 0 {
		c.codec = codec.BP128
	}
	cd, ok := registry.ByID(c.codec)
	if !ok {
		t.Fatalf("no codec %s", c.codec)
	}
	num, f, err := l.CreateSegment()
	check(err)
	id := indexdir.NewID()
	b, err := build.New(format.NewFileWriter(f, format.KindSegment, id), build.Options{
		Docs: c.docs, Lengths: []segment.LengthTable{segment.NewLengthTable(c.lengths())}, Analyzer: "simple", Stored: c.stored, DocsCodec: cd, FreqsCodec: cd,
	})
	check(err)
	for d := range c.docs {
		var tx []byte
		if c.stored {
			tx = []byte(text(d))
		}
		check(b.AddDoc([]byte(c.docID(d)), tx))
	}
	terms := make([]string, 0, len(c.lists))
	for term := range c.lists {
		terms = append(terms, term)
	}
	slices.Sort(terms)
	for _, term := range terms {
		check(b.AddList([]byte(term), format.Postings{Docs: c.lists[term].docs, Freqs: c.lists[term].freqs}))
	}
	_, err = b.Finish()
	check(err)
	check(f.Sync())
	check(f.Close())
	m := b.Meta()
	s := indexdir.SegmentInfo{File: num, ID: id, Docs: m.Docs, Postings: m.Postings, Tokens: m.Tokens}
	if len(c.deleted) > 0 {
		check(l.WriteDeletes(&s, docset.BitsOf(c.deleted...)))
		for _, d := range c.deleted {
			s.DeletedTokens += uint64(c.lengths()[d])
		}
	}
	return s
}

// amend commits what f makes of the newest manifest, that many times.
func amend(t testing.TB, fsys store.FS, commits int, f func(l *indexdir.Lock, m *indexdir.Manifest)) {
	t.Helper()
	d, err := indexdir.OpenFS(fsys)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := l.Manifest()
	f(l, m)
	for range commits {
		if err := l.Commit(m); err != nil {
			t.Fatal(err)
		}
	}
}

// commit makes an index of exactly these segments the newest.
func commit(t testing.TB, fsys store.FS, contents ...*content) {
	t.Helper()
	amend(t, fsys, 1, func(l *indexdir.Lock, m *indexdir.Manifest) {
		m.Schema, m.Segments = schema.Implicit("simple", "", false), nil
		for _, c := range contents {
			m.Segments = append(m.Segments, addSegment(t, l, c))
		}
	})
}

// writeTo makes an index of exactly these segments in a local directory. It works
// on platforms that cannot lock it.
func writeTo(t testing.TB, dir string, contents ...*content) {
	t.Helper()
	fsys := memfs.New()
	commit(t, fsys, contents...)
	for name, file := range copyOf(t, fsys) {
		if err := os.WriteFile(filepath.Join(dir, name), file.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// open opens an index of these segments in memory and its snapshot.
func open(t testing.TB, contents ...*content) *reader.Snapshot {
	t.Helper()
	fsys := memfs.New()
	commit(t, fsys, contents...)
	x, err := reader.Open(t.Context(), reader.FromStore(fsys), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.Close() != nil || x.Close() != nil {
			t.Error("close")
		}
	})
	return s
}

// ones returns n frequencies of 1.
func ones(n int) []uint32 {
	f := make([]uint32, n)
	for i := range f {
		f[i] = 1
	}
	return f
}

// cursor returns a cursor on the first posting of term in segment i.
func cursor(t testing.TB, s *reader.Snapshot, i int, term string) *reader.Cursor {
	t.Helper()
	seg := s.Segments()[i]
	e, ok, err := seg.Lookup([]byte(term))
	if err != nil || !ok {
		t.Fatalf("term %q: %v, %v", term, ok, err)
	}
	c := reader.NewCursor()
	t.Cleanup(c.Close)
	if err := c.Init(seg, e); err != nil {
		t.Fatal(err)
	}
	return c
}

// fatal lets examples use the helpers of tests.
type fatal struct{ testing.TB }

func (fatal) Helper()                   {}
func (fatal) Fatal(args ...any)         { panic(fmt.Sprint(args...)) }
func (fatal) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }
