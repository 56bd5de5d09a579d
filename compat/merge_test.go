package compat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// A merge of segments of version 0.2 writes one of the current version, with the same
// documents that are left.
func TestMergeOf02(t *testing.T) {
	ctx := context.Background()
	dir := unpack(t, filepath.Join("testdata", "index-0.2.tar.gz"))
	before, versions := live(t, dir)
	if len(versions) != 1 || versions[format.Version{Major: 0, Minor: 2}] < 2 {
		t.Fatalf("segments of versions %v", versions)
	}
	// Its segments remain members of an index that is written to.
	w, err := writer.Open(ctx, dir, writer.Options{Schema: schema.Implicit("whitespace", "", true)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Merge(ctx, writer.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	after, versions := live(t, dir)
	if len(versions) != 1 || versions[format.Current()] != 1 {
		t.Errorf("segments of versions %v after a merge", versions)
	}
	if len(after) == 0 || fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("%d documents, before the merge %d", len(after), len(before))
	}
	if _, err := readIndex(dir); err != nil {
		t.Errorf("by the specification: %v", err)
	}
}

// live returns the ids and lengths of the documents that are not deleted, and how many segments
// there are of each version, of an index that verifies.
func live(t *testing.T, dir string) (map[string]string, map[format.Version]int) {
	t.Helper()
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(context.Background()); err != nil {
		t.Fatal(err)
	}
	docs, versions := map[string]string{}, map[format.Version]int{}
	for _, seg := range s.Segments() {
		versions[seg.Header().Version]++
		for i := range seg.Docs() {
			doc := seg.Base() + uint32(i)
			if deleted, err := s.Deleted(doc); err != nil {
				t.Fatal(err)
			} else if deleted {
				continue
			}
			id, err := s.AppendID(nil, doc)
			if err != nil {
				t.Fatal(err)
			}
			n, err := s.DocLen(doc)
			if err != nil {
				t.Fatal(err)
			}
			docs[string(id)] = fmt.Sprint(n)
		}
	}
	return docs, versions
}

// Ten documents take at most 12 kB of a disk with blocks of 4096 bytes.
func TestSmallIndex(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	w, err := writer.Open(ctx, dir, writer.Options{Schema: schema.Implicit("whitespace", "", false)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if err := w.Add(ctx, writer.Text(fmt.Appendf(nil, "doc%d", i), fmt.Appendf(nil, "some words of document number %d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var bytes, blocks int64
	for _, f := range files {
		i, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		bytes, blocks = bytes+i.Size(), blocks+(i.Size()+4095)/4096*4096
		t.Logf("%s: %d bytes", f.Name(), i.Size())
	}
	t.Logf("%d bytes, %d in blocks", bytes, blocks)
	if blocks > 12<<10 {
		t.Errorf("%d bytes in blocks of 4096", blocks)
	}
}

// A reader written from FORMAT.md alone finds the frequent terms of a segment that a merge makes
// long enough to have them, deleted documents counted.
func TestFrequentSpecification(t *testing.T) {
	ctx, dir, docs := context.Background(), t.TempDir(), 40_000
	w, err := writer.Open(ctx, dir, writer.Options{Schema: schema.Implicit("whitespace", "", false), MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for seg := range 2 {
		lens := make([]uint32, docs)
		var lists []writer.InvertedList
		for i := range 70 {
			l := writer.InvertedList{Term: fmt.Appendf(nil, "t%02d", i)}
			for d := seg; d < docs; d += 1 + i*(1+seg)%100 {
				l.Postings = l.AppendPosting(uint32(d), 1)
				lens[d]++
			}
			lists = append(lists, l)
		}
		err := w.AddInverted(ctx, writer.Inverted{
			Docs: func(yield func(writer.InvertedDoc, error) bool) {
				for d, n := range lens {
					if !yield(writer.InvertedDoc{ID: fmt.Appendf(nil, "%d-%d", seg, d), Len: n}, nil) {
						return
					}
				}
			},
			Lists: func(yield func(writer.InvertedList, error) bool) {
				for _, l := range lists {
					if !yield(l, nil) {
						return
					}
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	frequent := func() (n int) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(dir, "segment-*.pin"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if _, sections := container(f, 1); sections[22] != nil {
				n++
			}
		}
		if _, err := readIndex(dir); err != nil {
			t.Error(err)
		}
		return n
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if n := frequent(); n != 0 {
		t.Errorf("%d segments of %d documents have frequent terms", n, docs)
	}
	if _, err := w.Merge(ctx, writer.MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	for d := range 100 {
		if err := w.Delete(ctx, fmt.Appendf(nil, "0-%d", d)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if n := frequent(); n != 1 {
		t.Errorf("%d segments with frequent terms after the merge", n)
	}
}
