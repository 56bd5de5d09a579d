package querytest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
)

// File is an io.WriterAt over memory.
type File struct{ Bytes []byte }

func (f *File) WriteAt(p []byte, off int64) (int, error) {
	if n := int(off) + len(p); n > len(f.Bytes) {
		f.Bytes = append(f.Bytes, make([]byte, n-len(f.Bytes))...)
	}
	return copy(f.Bytes[off:], p), nil
}

// Segment makes a segment of docs.
func Segment(t testing.TB, docs [][]string, c codec.Codec) *segment.Segment {
	t.Helper()
	s, err := segment.Open("test", segment.Aligned(SegmentBytes(t, docs, c)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// SegmentBytes makes a segment file of docs.
func SegmentBytes(t testing.TB, docs [][]string, c codec.Codec) []byte {
	t.Helper()
	lists := map[string]*format.Postings{}
	lens := make([]uint32, len(docs))
	for d, words := range docs {
		lens[d] = uint32(len(words))
		for _, w := range words {
			p := lists[w]
			if p == nil {
				p = &format.Postings{}
				lists[w] = p
			}
			if n := p.Len(); n > 0 && p.Docs[n-1] == uint32(d) {
				p.Freqs[n-1]++
				continue
			}
			*p = p.AppendPosting(uint32(d), 1)
		}
	}
	f := new(File)
	w := format.NewFileWriter(f, format.KindSegment, format.ID{1})
	b, err := build.New(w, build.Options{Docs: uint32(len(docs)), Lengths: []segment.LengthTable{segment.NewLengthTable(lens)}, Analyzer: "whitespace", DocsCodec: c, FreqsCodec: c})
	if err != nil {
		t.Fatal(err)
	}
	for d := range docs {
		if err := b.AddDoc([]byte(fmt.Sprintf("d%07d", d)), nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, term := range slices.Sorted(maps.Keys(lists)) {
		if err := b.AddList([]byte(term), *lists[term]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	return f.Bytes
}

// Part is a segment of a collection, and the documents that are deleted there.
type Part struct {
	Segment *reader.Segment
	Deletes *reader.Deletes // nil if none
}

// Parts makes segments of docs, cut before the given documents.
func Parts(t testing.TB, docs [][]string, deleted map[int]bool, c codec.Codec, cuts ...int) []Part {
	t.Helper()
	var parts []Part
	cuts = append(cuts, len(docs))
	lo := 0
	for _, hi := range cuts {
		if hi <= lo {
			continue
		}
		s := reader.NewSegment(Segment(t, docs[lo:hi], c), uint32(lo), len(parts))
		p := Part{Segment: s}
		docs := &docset.Bits{}
		for d := lo; d < hi; d++ {
			if deleted[d] {
				docs.Add(uint32(d - lo))
			}
		}
		if docs.Len() > 0 {
			p.Deletes = reader.NewDeletes(docs.Words())
		}
		parts = append(parts, p)
		lo = hi
	}
	return parts
}
