package segment_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// hinted is a Data that notes what it is asked to read ahead.
type hinted struct {
	segment.Bytes
	asked []bool // by page of the file
	times int
	apart [][2]int64 // the ranges that are read here and there
}

func (h *hinted) WillNeed(off, n int64) {
	h.times++
	for p := off / format.PageSize; p <= (off+n-1)/format.PageSize; p++ {
		h.asked[p] = true
	}
}

func (h *hinted) Scattered(off, n int64) { h.apart = append(h.apart, [2]int64{off, off + n}) }

// A mapping is split once at most: one range at an end of the file is read here and there, which
// holds the sections of documents and not the lists.
func TestScattered(t *testing.T) {
	longtest.Once(t)
	for _, w := range []segtest.With{{}, {Stored: true}, {DocsFirst: true}, {DocsFirst: true, Stored: true}} {
		w.Docs, w.Freqs = segtest.Codec("bp128"), segtest.Codec("bp128")
		b := segment.Aligned(broad().Build(t, w))
		d := &hinted{Bytes: b, asked: make([]bool, len(b)/format.PageSize+1)}
		s, err := segment.Open("apart", d)
		if err != nil {
			t.Fatal(err)
		}
		if s.ExpectQueries(); len(d.apart) != 1 {
			t.Errorf("%+v: ranges %d", w, d.apart)
			continue
		}
		lo, hi := d.apart[0][0], d.apart[0][1]
		if lo != 0 && hi != d.Size() {
			t.Errorf("%+v: bytes %d to %d of %d", w, lo, hi, d.Size())
		}
		for _, sec := range s.Header().Sections {
			within := lo <= sec.Offset && sec.Offset+sec.PaddedLength() <= hi
			switch sec.ID {
			case format.SectionIDs, format.SectionIDIndex, format.SectionIDHash, format.SectionStored:
				if !within {
					t.Errorf("%+v: %s is not in %d to %d", w, sec.ID, lo, hi)
				}
			case format.SectionPostings:
				if within {
					t.Errorf("%+v: the lists are in %d to %d", w, lo, hi)
				}
			}
		}
	}
}

// TestPrefetch uses a segment of which only those pages are left that were asked for ahead.
func TestPrefetch(t *testing.T) {
	b := segment.Aligned(broad().Build(t, segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("vbyte128"), Stored: true}))
	d := &hinted{Bytes: b, asked: make([]bool, len(b)/format.PageSize+1)}
	s, err := segment.Open("asked", d)
	if err != nil {
		t.Fatal(err)
	}
	s.ExpectQueries()
	term, docs := []byte("hash"), []uint32{0, 77, 599}
	s.Lists().PrefetchTerms([][]byte{term})
	e, ok, err := s.Lists().Lookup(term)
	if err != nil || !ok || e.Kind != segment.KindExtent {
		t.Fatal(e, ok, err)
	}
	s.Lists().Prefetch(e, 1<<20)
	s.Documents().Prefetch(docs, true)

	left := slices.Clone(b)
	meta, _ := s.Header().Section(format.SectionMeta)
	for p := range len(left) / format.PageSize {
		if at := int64(p) * format.PageSize; !d.asked[p] && p > 0 && at != meta.Offset && at+2*format.PageSize <= int64(len(left)) {
			clear(left[at : at+format.PageSize])
		}
	}
	u, err := segment.Open("left", segment.Aligned(left))
	if err != nil {
		t.Fatal(err)
	}
	use := func(s *segment.Segment) {
		t.Helper()
		if _, err := s.Documents().Lengths(); err != nil {
			t.Error(err)
		}
		if e, _, err := s.Lists().Lookup(term); err != nil {
			t.Error(err)
		} else if l, err := s.Lists().List(e); err != nil {
			t.Error(err)
		} else if _, err := l.DecodeDocs(make([]uint32, l.Blocks*l.BlockLen), 0, l.Blocks); err != nil {
			t.Error(err)
		} else if _, err := l.DecodeFreqs(make([]uint32, l.Blocks*l.BlockLen), 0, l.Blocks); err != nil {
			t.Error(err)
		}
		for _, d := range docs {
			if _, err := s.Documents().AppendID(nil, d); err != nil {
				t.Error(err)
			}
			if _, err := s.Documents().AppendStored(nil, d); err != nil {
				t.Error(err)
			}
		}
	}
	use(u)
	if _, err := u.Documents().AppendStored(nil, 300); err == nil {
		t.Error("a text that was not asked for can be read")
	}

	// What was read is not asked for again, except for lists.
	use(s)
	d.times = 0
	s.Lists().PrefetchTerms([][]byte{term})
	s.Documents().Prefetch(docs, true)
	if d.times > 0 {
		t.Errorf("%d ranges that were read are asked for again", d.times)
	}
	if s.Lists().Prefetch(e, 1<<20); d.times != 1 {
		t.Errorf("a list is asked for %d times", d.times)
	}
}

// Who walks through a column has it read in large pieces; who reads the values of a document has
// not.
func TestColumnAhead(t *testing.T) {
	longtest.Once(t)
	b := segment.Aligned(columns(rand.New(rand.NewPCG(3, 1)), 200_000).Build(t, segtest.Default()))
	plain := segtest.Open(t, b)
	sec, _ := plain.Header().Section(format.SectionColumns)
	for i := range plain.Fields() {
		d := &hinted{Bytes: b, asked: make([]bool, len(b)/format.PageSize+1)}
		s, err := segment.Open("columns", d)
		if err != nil {
			t.Fatal(err)
		}
		c, ok, err := s.Field(i).Column()
		if err != nil {
			t.Fatal(err)
		} else if !ok {
			continue
		}
		before := d.times
		if _, err := c.Append(nil, 7); err != nil || d.times > before+1 { // a group of sums
			t.Errorf("field %d: %d hints for a document, %v", i, d.times-before, err)
		}
		before = d.times
		clear(d.asked)
		var values segment.ColumnValues
		for block := range c.Blocks() {
			if err := c.Read(block, &values); err != nil {
				t.Fatal(err)
			}
		}
		begin := sec.Offset + columnBegin(plain, i)
		for block := range c.Blocks() {
			end := begin + c.Bounds(block).Bytes
			for page := begin / format.PageSize; begin < end && page <= (end-1)/format.PageSize; page++ {
				if !d.asked[page] && page > begin/format.PageSize {
					t.Fatalf("field %d: page %d of block %d is not read ahead", i, page, block)
				}
			}
			begin = end
		}
		if most := int(c.Info().Bytes>>17) + 3; d.times-before > 2*most {
			t.Errorf("field %d: %d hints for %d bytes", i, d.times-before, c.Info().Bytes)
		}
	}
}
