package reader_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// pieces is a file of zeros except for some bytes.
type pieces struct {
	size  int64
	parts map[int64][]byte
}

func (p *pieces) ReadAt(b []byte, off int64) (int, error) {
	n := int(min(int64(len(b)), p.size-off))
	clear(b[:n])
	for at, part := range p.parts {
		if at < off+int64(n) && at+int64(len(part)) > off {
			copy(b[max(0, at-off):n], part[max(0, off-at):])
		}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// idHashLength returns the length of IDHASH for n documents, a multiple of 4096.
func idHashLength(n int64) int64 {
	return n/8*int64(6+bits.Len64(uint64(n/16-1))) + n/4 + n/64
}

// sparseSegment is a segment with a valid header and META. Its sections are all
// zeros, of the lengths that the number of documents implies.
func sparseSegment(id format.ID, docs uint32) *pieces {
	const terms = 1 << 20
	meta := binary.AppendUvarint(nil, 1)
	for _, v := range []uint64{uint64(docs), terms, terms, 0, 0, math.MaxUint32, 4} {
		meta = binary.AppendUvarint(meta, v)
	}
	meta = append(meta, 6)
	meta = append(meta, "simple"...)
	meta = append(meta, 0, 0, 0, 0)          // options, extents, compact bytes, flags
	meta = append(meta, make([]byte, 16)...) // codecs
	n := int64(docs)
	h := &format.Header{Version: format.Current(), Kind: format.KindSegment, ID: id}
	p := &pieces{parts: map[int64][]byte{}}
	off := format.Current().LeastFront(9)
	for _, s := range []struct {
		id     format.SectionID
		length int64
	}{
		{format.SectionPostings, n * 4}, {format.SectionTerms, terms * 4}, {format.SectionTermIndex, terms/32*16 + 8},
		{format.SectionDocLengths, n * 4}, {format.SectionIDs, n}, {format.SectionIDIndex, (n+15)/16*8 + 8},
		{format.SectionIDHash, idHashLength(n)}, {format.SectionMeta, int64(len(meta))}, {format.SectionPageSums, -1},
	} {
		if s.length < 0 {
			s.length = format.Current().Pages(h.FrontSize(), off).SumsLength()
		}
		sec := format.Section{ID: s.id, Flags: format.SectionRequired, Offset: off, Length: s.length}
		if s.id == format.SectionMeta {
			padded := append(meta, make([]byte, sec.PaddedLength()-s.length)...)
			sec.Checksum = xxhash.Sum64(padded)
			p.parts[off] = padded
		}
		off += sec.PaddedLength()
		h.Sections = append(h.Sections, sec)
	}
	p.size = off + format.FooterSize
	h.FileLen = p.size
	p.parts[0] = h.AppendFront(nil)
	p.parts[off] = h.AppendFooter(nil, p.parts[0])
	return p
}

func sparseManifest(tb testing.TB, id format.ID, docs uint32) *pieces {
	m := &indexdir.Manifest{Generation: 1, NextFile: 2, Schema: schema.Implicit("simple", "", false),
		Segments: []indexdir.SegmentInfo{{File: 1, ID: id, Docs: docs, Postings: 1 << 20}}}
	p := &pieces{parts: map[int64][]byte{}}
	w := format.NewFileWriter(p, format.KindManifest, format.ID{2})
	w.Begin(format.SectionManifest, format.SectionRequired)
	w.Write(indexdir.AppendManifest(nil, m))
	w.End()
	h, err := w.Finish()
	if err != nil {
		tb.Fatal(err)
	}
	p.size = h.FileLen
	return p
}

// WriteAt keeps a copy of b.
func (p *pieces) WriteAt(b []byte, off int64) (int, error) {
	p.parts[off] = append([]byte(nil), b...)
	return len(b), nil
}

// sparse is an index of one sparse segment as a Source.
func sparse(tb testing.TB, docs uint32) *counting {
	id := format.ID{1}
	c := &counting{files: map[string]func() (io.ReaderAt, int64){}}
	for name, p := range map[string]*pieces{
		indexdir.SegmentName(1): sparseSegment(id, docs), indexdir.ManifestName(1): sparseManifest(tb, id, docs),
	} {
		c.files[name] = func() (io.ReaderAt, int64) { return p, p.size }
	}
	return c
}

// sparseDir writes such an index to disk, holes and all, and returns its size.
func sparseDir(tb testing.TB, docs uint32) (dir string, size int64) {
	tb.Helper()
	dir = tb.TempDir()
	id := format.ID{1}
	for name, p := range map[string]*pieces{
		indexdir.SegmentName(1): sparseSegment(id, docs), indexdir.ManifestName(1): sparseManifest(tb, id, docs),
	} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			tb.Fatal(err)
		}
		if err := f.Truncate(p.size); err != nil {
			tb.Skipf("no sparse file of %d bytes here: %v", p.size, err)
		}
		for off, b := range p.parts {
			if _, err := f.WriteAt(b, off); err != nil {
				tb.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			tb.Fatal(err)
		}
		size += p.size
	}
	return dir, size
}

// An index of 17 GiB opens although hardly a page of it is on disk.
func TestOpenSparse(t *testing.T) {
	if noMappings {
		t.Skip("files are read, not mapped")
	}
	dir, size := sparseDir(t, 1<<30)
	if size < 8<<30 {
		t.Fatalf("the index has only %d bytes", size)
	}
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, _ := x.Snapshot()
	defer s.Close()
	if s.Stats().Docs != 1<<30 {
		t.Errorf("%d documents", s.Stats().Docs)
	}
}

// BenchmarkOpen opens and closes indexes of several sizes. Manifest and headers
// are read; everything else is only mapped.
func BenchmarkOpen(b *testing.B) {
	for _, docs := range []uint32{1 << 10, 1 << 20, 1 << 25, 1 << 29, 1 << 30} {
		dir, size := sparseDir(b, docs)
		b.Run(fmt.Sprintf("MiB=%d", size>>20), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x, err := reader.Open(b.Context(), reader.Dir(dir), reader.Options{})
				if err != nil {
					b.Fatal(err)
				}
				x.Close()
			}
		})
	}
}
