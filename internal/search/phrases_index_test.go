package search_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// placedIndex returns a snapshot of an index of docs, with segments of so many documents, whose fields have positions if the
// schema says so.
func placedIndex(t *testing.T, sch *schema.Schema, docs []oracle.Record, c codec.Codec, size int) *reader.Snapshot {
	t.Helper()
	return snapshotOf(t, placedFS(t, sch, docs, c, size))
}

// snapshotOf returns a snapshot of the index in fs.
func snapshotOf(t *testing.T, fs store.ReadFS) *reader.Snapshot {
	t.Helper()
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// placedFS is placedIndex that returns the files.
func placedFS(t *testing.T, sch *schema.Schema, docs []oracle.Record, c codec.Codec, size int) *memfs.FS {
	t.Helper()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	fs := memfs.New()
	d, err := indexdir.OpenFS(fs)
	do(err)
	l, err := d.Lock()
	do(err)
	m := l.Manifest()
	m.Schema, m.StoredUnknown = sch, false
	for lo := 0; lo < len(docs); lo += size {
		part := docs[lo:min(lo+size, len(docs))]
		m.Segments = append(m.Segments, placedSegment(t, l, sch, part, c, lo))
		s, data, err := l.OpenSegment(m, len(m.Segments)-1)
		do(err)
		deleted := &docset.Bits{}
		for d := range part {
			if part[d].Deleted {
				deleted.Add(uint32(d))
			}
		}
		if info := &m.Segments[len(m.Segments)-1]; deleted.Len() > 0 {
			do(info.CountDeleted(s, deleted.Words()))
			do(l.WriteDeletes(info, deleted))
		}
		do(data.Close())
	}
	do(l.Commit(m))
	do(l.Close())
	return fs
}

// placedSegment writes a segment of docs, whose ids count from first.
func placedSegment(t *testing.T, l *indexdir.Lock, sch *schema.Schema, docs []oracle.Record, c codec.Codec, first int) indexdir.SegmentInfo {
	t.Helper()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	fields := slices.SortedFunc(slices.Values(sch.Fields), func(a, b schema.Field) int { return cmp.Compare(a.Name, b.Name) })
	o := build.Options{Docs: uint32(len(docs)), DocsCodec: c, FreqsCodec: c}
	for i := range fields {
		x := build.Field{Field: fields[i]}
		if x.HasLengths() {
			lens := make([]uint32, len(docs))
			for d := range docs {
				lens[d] = uint32(len(docs[d].Terms[x.Name]))
			}
			x.Lengths = []segment.LengthTable{segment.NewLengthTable(lens)}
		}
		o.Fields = append(o.Fields, x)
	}
	num, file, err := l.CreateSegment()
	do(err)
	b, err := build.New(format.NewFileWriter(file, format.KindSegment, indexdir.NewID()), o)
	do(err)
	for i := range fields {
		addPlaced(t, b, i, &fields[i], docs)
	}
	for d := range docs {
		do(b.AddDoc(fmt.Append(nil, first+d), nil))
	}
	h, err := b.Finish()
	do(err)
	do(file.Close())
	meta := b.Meta()
	return indexdir.SegmentInfo{File: num, ID: h.ID, FileLen: h.FileLen, Tail: h.Tail(), Docs: meta.Docs, Postings: meta.Postings, Tokens: meta.Tokens, Fields: indexdir.StatsOf(b.Fields())}
}

// addPlaced adds the lists of a field.
func addPlaced(t *testing.T, b *build.Builder, i int, f *schema.Field, docs []oracle.Record) {
	t.Helper()
	lists, gaps, next := map[string]format.Postings{}, map[string][]uint32{}, map[string]uint32{}
	for d := range docs {
		clear(next)
		for j, w := range docs[d].Terms[f.Name] {
			p := lists[w]
			if n := p.Len(); n > 0 && p.Docs[n-1] == uint32(d) {
				if f.HasLengths() {
					p.Freqs[n-1]++
				}
			} else {
				p = p.AppendPosting(uint32(d), 1)
			}
			lists[w] = p
			if f.Positions {
				at := uint32(j)
				if docs[d].Places != nil {
					at = uint32(docs[d].Places[f.Name][j])
				}
				gaps[w] = append(gaps[w], at-next[w])
				next[w] = at + 1
			}
		}
	}
	if len(lists) == 0 {
		return
	}
	if err := b.BeginField(i); err != nil {
		t.Fatal(err)
	}
	for _, w := range slices.Sorted(maps.Keys(lists)) {
		if err := b.AddPositions([]byte(w), lists[w], gaps[w]); err != nil {
			t.Fatal(err)
		}
	}
}
