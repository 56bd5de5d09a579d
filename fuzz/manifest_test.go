package fuzz

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
)

// file is a store.Data over a slice.
type file []byte

func (f file) Size() int64  { return int64(len(f)) }
func (f file) Close() error { return nil }
func (f file) Range(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > int64(len(f))-n {
		return nil, fs.ErrInvalid
	}
	return f[off : off+n], nil
}

// WriteAt allows format.FileWriter to fill a *file.
func (f *file) WriteAt(p []byte, off int64) (int, error) {
	return (*damage.Memory)(f).WriteAt(p, off)
}

// container wraps content in a file with valid checksums, so that the fuzzer gets
// past them.
func container(kind format.Kind, id format.SectionID, content []byte) file {
	f := make(file, 0, len(content)+format.PageSize)
	w := format.NewFileWriter(&f, kind, format.ID{})
	w.Begin(id, format.SectionRequired)
	w.Write(content)
	w.End()
	w.Finish()
	return f
}

func FuzzManifest(x *testing.F) {
	f := fuzzing.New(x)
	f.Add(indexdir.AppendManifest(nil, &indexdir.Manifest{Generation: 1, NextFile: 1, Schema: schema.Implicit("", "", false)}))
	f.Add(indexdir.AppendManifest(nil, &indexdir.Manifest{
		Generation: 7, NextFile: 300, Schema: schema.Implicit("english", "stop", true),
		Segments: []indexdir.SegmentInfo{
			{File: 12, Docs: 338791, Postings: 14103196, Tokens: 19358188, DeletesFile: 299, Deleted: 3, DeletedTokens: 171},
			{File: 14, Docs: 1, Postings: 1, Tokens: 1},
		},
	}))
	f.Add(indexdir.AppendManifest(nil, &indexdir.Manifest{
		Generation: 7, NextFile: 300, KeepCommits: 3,
		Schema: &schema.Schema{NextID: 4, Fields: []schema.Field{
			{ID: 2, Name: "title", Kind: schema.Text, Analyzer: "english", Index: schema.IndexFreqs, Lengths: schema.LengthsByte, Boost: 2},
			{ID: 1, Name: "year", Kind: schema.Integer, Index: schema.IndexNone, Stored: true},
			{ID: 3, Name: "splade", Kind: schema.Impacts, Index: schema.IndexFreqs, Scale: 0.01},
		}},
		Segments: []indexdir.SegmentInfo{{
			File: 12, Docs: 1000, Postings: 14103, Tokens: 19358, DeletesFile: 299, DeletesID: format.ID{7}, Deleted: 3, FileLen: 8192, Tail: 4096,
			Fields: []indexdir.FieldStats{{ID: 2, Docs: 900, Tokens: 1800, Deleted: 2, DeletedTokens: 4}},
		}},
	}))
	f.Fuzz(func(t *testing.T, b []byte) {
		indexdir.ReadManifest("bare", file(b))
		m, err := indexdir.ReadManifest("wrapped", container(format.KindManifest, format.SectionManifest, b))
		if err != nil {
			return
		}
		if again := indexdir.AppendManifest(nil, m); !bytes.Equal(again, b) {
			t.Fatalf("%x is read as %+v, which is written as %x", b, m, again)
		}
	})
}

func FuzzDeletes(x *testing.F) {
	f := fuzzing.New(x)
	for _, docs := range []*docset.Bits{docset.BitsOf(1), docset.BitsOf(5, 70000, 200000, 300000, 400000)} {
		f.Add(docs.AppendPortable(make([]byte, len(format.ID{}))), docs.Len())
		docs.AddSet(docset.Range(1000, 9000))
		f.Add(docs.AppendPortable(make([]byte, len(format.ID{}))), docs.Len())
	}
	f.Fuzz(func(t *testing.T, b []byte, deleted uint32) {
		s := &indexdir.SegmentInfo{Docs: 1 << 20, Deleted: deleted, DeletesFile: 1}
		copy(s.DeletesID[:], b)
		bm, err := indexdir.ReadDeletes("deletes", container(format.KindDeletes, format.SectionDeletes, b), s)
		if err != nil {
			return
		}
		values := slices.Collect(bm.All())
		if uint64(len(values)) != uint64(deleted) {
			t.Fatalf("%d values, %d deleted", len(values), deleted)
		}
		for i, v := range values {
			if v >= s.Docs || i > 0 && v <= values[i-1] {
				t.Fatalf("value %d after %v", v, values[max(0, i-1)])
			}
		}
	})
}

// FuzzHeader reads fuzzed fronts of a container, with valid checksums.
func FuzzHeader(x *testing.F) {
	f := fuzzing.New(x)
	good := container(format.KindManifest, format.SectionManifest, []byte{1, 1, 0, 0, 0, 0, 0, 0})
	f.Add([]byte(good), int64(len(good)))
	f.Fuzz(func(t *testing.T, page []byte, size int64) {
		if len(page) < format.HeaderSize {
			return
		}
		page = append(bytes.Clone(page), make([]byte, format.PageSize)...)[:format.PageSize]
		front := uint64(size - format.FooterSize)
		if binary.LittleEndian.Uint32(page[48:]) > 0 {
			front = binary.LittleEndian.Uint64(page[format.HeaderSize+8:])
		}
		sum := xxhash.Sum64(page[format.HeaderSize:min(max(front, format.HeaderSize), format.PageSize)])
		for i := range 8 {
			page[40+i] = byte(sum >> (8 * i))
		}
		sum = xxhash.Sum64(page[:56])
		for i := range 8 {
			page[56+i] = byte(sum >> (8 * i))
		}
		h := format.Header{FileLen: size}
		h, foot := h, h.AppendFooter(nil, page)
		if got, err := format.ParseHeader("file", size, page, foot); err == nil {
			end := got.FrontSize()
			for _, s := range got.Sections {
				if s.Offset != end || s.Length < 0 || s.Offset+s.PaddedLength() > size {
					t.Fatalf("section %+v in a file of %d bytes", s, size)
				}
				end += s.PaddedLength()
			}
		}
	})
}

// FuzzPortable reads sets of documents. What is one takes at most twice its bytes, and is written and read as the same.
func FuzzPortable(x *testing.F) {
	f := fuzzing.New(x)
	for _, s := range []*docset.Set{docset.Of(), docset.Of(5, 70000, 200000, 300000, 400000), docset.Range(9, 300000), docset.Of(1, 2, 3, 5, 6, 7, 1<<31)} {
		f.Add(s.AppendPortable(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := docset.FromPortable(b, 0, docset.End)
		if err != nil {
			return
		}
		if s.Bytes() > uint64(2*len(b)+1024) {
			t.Fatalf("%d bytes are a set of %d", len(b), s.Bytes())
		}
		written := s.AppendPortable(nil)
		again, err := docset.FromPortable(written, 0, docset.End)
		if err != nil || again.Len() != s.Len() {
			t.Fatalf("%x is read as %d documents, written as %x, and read as %d: %v", b, s.Len(), written, again.Len(), err)
		}
		next := uint32(0)
		for doc := range again.All() {
			if s.Next(next) != doc || !s.Contains(doc) {
				t.Fatalf("the first document from %d on is %d, and when written %d", next, s.Next(next), doc)
			}
			next = doc + 1
			if next > 1<<20 {
				break // there are sets of all documents
			}
		}
	})
}
