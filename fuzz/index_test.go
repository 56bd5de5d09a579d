package fuzz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

func whitespace() writer.Options {
	return writer.Options{Schema: schema.Implicit("whitespace", "", true), Memory: writer.MinMemory, Threads: 1}
}

// seedIndex returns the files of an index of n documents, the third of which is deleted.
func seedIndex(f testing.TB, n int) map[string][]byte {
	fs, ctx := memfs.New(), context.Background()
	w, err := writer.OpenFS(ctx, fs, whitespace())
	for i := range n {
		if err == nil {
			err = w.Add(ctx, writer.Text(fmt.Appendf(nil, "d%d", i), fmt.Appendf(nil, "all w%d w%d x%d", i%7, i%40, i)))
		}
	}
	if err = errors.Join(err, w.Commit(ctx), w.Delete(ctx, []byte("d2")), w.Commit(ctx), w.Close()); err != nil {
		f.Fatal(err)
	}
	names, _ := fs.List()
	files := map[string][]byte{}
	for _, name := range names {
		d, err := fs.Open(name)
		if err != nil {
			f.Fatal(err)
		}
		files[name], _ = d.Range(0, d.Size())
	}
	return files
}

// load returns a file system with these files.
func load(files map[string][]byte) *memfs.FS {
	fs := memfs.New()
	for name, b := range files {
		fs.Put(name, b)
	}
	return fs
}

func segmentOf(f testing.TB, files map[string][]byte) *damage.File {
	parsed, err := damage.Parse(files[indexdir.SegmentName(1)])
	if err != nil {
		f.Fatal(err)
	}
	return parsed
}

func content(f *damage.File, id format.SectionID) *[]byte {
	for i := range f.Sections {
		if f.Sections[i].ID == id {
			return &f.Sections[i].Content
		}
	}
	return nil
}

// FuzzDictionary reads a segment whose dictionary is arbitrary.
func FuzzDictionary(x *testing.F) {
	f := fuzzing.New(x)
	good := segmentOf(f, seedIndex(f, 150))
	f.Add(*content(good, format.SectionTerms), *content(good, format.SectionTermIndex))
	f.Fuzz(func(t *testing.T, terms, index []byte) {
		if len(terms)+len(index) > 1<<16 {
			return
		}
		d := good.Clone()
		*content(d, format.SectionTerms), *content(d, format.SectionTermIndex) = terms, index
		s, err := segment.Open("fuzz", segment.Aligned(d.Bytes()))
		if err != nil {
			return
		}
		sound := check.Segment(context.Background(), s, check.Options{}) == nil
		var last []byte
		it := s.Lists().Terms()
		for it.Next() {
			if last != nil && bytes.Compare(it.Term(), last) <= 0 && sound {
				t.Fatalf("%q follows %q", it.Term(), last)
			}
			last = append(last[:0], it.Term()...)
			e, ok, err := s.Lists().Lookup(last)
			if sound && (err != nil || !ok || e != it.Entry()) {
				t.Fatalf("%q is found: %v, %+v, not %+v, %v", last, ok, e, it.Entry(), err)
			}
			s.Lists().Terms().SeekGE(last)
			s.Lists().Prefix(last[:len(last)/2]).Next()
		}
		if sound && it.Err() != nil {
			t.Fatal(it.Err())
		}
	})
}

// FuzzTombstones queries an index whose deleted documents are arbitrary bytes: what they
// delete is no hit, all else is.
func FuzzTombstones(x *testing.F) {
	f := fuzzing.New(x)
	const docs = 150
	files := seedIndex(f, docs)
	name := ""
	for n := range files {
		if n != indexdir.LockName && n[0] == 'd' {
			name = n
		}
	}
	good, err := damage.Parse(files[name])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(*content(good, format.SectionDeletes), true)
	f.Add(*content(good, format.SectionDeletes), false)
	f.Add(docset.Of(77).AppendPortable(nil), true)
	f.Fuzz(func(t *testing.T, b []byte, stamp bool) {
		damaged := map[string][]byte{}
		for n, c := range files {
			damaged[n] = c
		}
		if damaged[name] = b; stamp {
			d := good.Clone()
			*content(d, format.SectionDeletes) = b
			damaged[name] = d.Bytes()
		}
		x, err := reader.Open(t.Context(), reader.FromStore(load(damaged)), reader.Options{})
		if err != nil {
			return
		}
		defer x.Close()
		s, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		searcher, err := search.NewSearcher(s, search.Options{})
		if err != nil {
			return
		}
		defer searcher.Close()
		res, err := searcher.Search(context.Background(), search.Query{RawTerms: [][]byte{[]byte("all")}, K: docs})
		if err != nil || len(res.Hits) != docs-1 {
			t.Fatalf("%d hits, %v", len(res.Hits), err)
		}
		for _, h := range res.Hits {
			if deleted, err := s.Deleted(h.Doc); deleted || err != nil {
				t.Fatalf("hit %d is deleted: %v, %v", h.Doc, deleted, err)
			}
		}
	})
}

// FuzzFile reads a whole segment file of arbitrary bytes, as it is or with checksums that
// hold: without verification first, as queries do.
func FuzzFile(x *testing.F) {
	f := fuzzing.New(x)
	b := segmentOf(f, seedIndex(f, 40)).Bytes()
	f.Add(b, false)
	f.Add(b, true)
	f.Fuzz(func(t *testing.T, b []byte, stamp bool) {
		if len(b) < 2*format.HeaderSize+format.FooterSize || len(b) > 1<<20 {
			return
		}
		b = segment.Aligned(b)
		if stamp {
			if d, err := damage.Parse(b); err == nil {
				b = segment.Aligned(d.Bytes())
			}
			damage.StampHeader(b)
		}
		if s, err := segment.Open("fuzz", segment.Bytes(b)); err == nil {
			readSegment(s)
			check.Segment(context.Background(), s, check.Options{})
		}
	})
}
