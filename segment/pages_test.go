package segment_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// broad is Small with so much text that PAGESUMS has several groups.
func broad() *segtest.Model {
	m := segtest.Small()
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 600 {
		text := make([]byte, 16<<10)
		for j := range text {
			text[j] = byte(r.Uint32())
		}
		m.Texts[i] = string(text)
	}
	return m
}

// Each way to use a section fails while a page that it needs is damaged, and says where.
func TestDamagedPages(t *testing.T) {
	longtest.Once(t)
	b := segment.Aligned(broad().Build(t, segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("vbyte128"), Stored: true}))
	h := segtest.Open(t, b).Header()
	var l segment.List
	lookup := func(s *segment.Segment, term string) (segment.Entry, error) {
		e, ok, err := s.Lists().Lookup([]byte(term))
		if err == nil && !ok {
			err = errors.New("no such term")
		}
		return e, err
	}
	uses := map[format.SectionID]func(s *segment.Segment) error{
		format.SectionTerms:     func(s *segment.Segment) error { _, err := lookup(s, "hash"); return err },
		format.SectionTermIndex: func(s *segment.Segment) error { _, err := lookup(s, "hash"); return err },
		format.SectionPostings: func(s *segment.Segment) error {
			e, err := lookup(s, "hash")
			if err == nil {
				err = s.Lists().Init(&l, e)
			}
			if err != nil {
				return err
			}
			docs := make([]uint32, l.Blocks*l.BlockLen)
			n, err := l.DecodeDocs(docs, 0, l.Blocks)
			if err == nil {
				n, err = l.DecodeFreqs(docs, 0, l.Blocks)
			}
			var e2 *format.Error
			if errors.As(err, &e2) && e2.Block != n/l.BlockLen {
				return fmt.Errorf("%d postings before %v", n, err)
			}
			return err
		},
		format.SectionDocLengths: func(s *segment.Segment) error { _, err := s.Documents().Length(3); return err },
		format.SectionIDs:        func(s *segment.Segment) error { return s.Documents().EachID(func(uint32, []byte) error { return nil }) },
		format.SectionIDIndex:    func(s *segment.Segment) error { return s.Documents().EachID(func(uint32, []byte) error { return nil }) },
		format.SectionIDHash: func(s *segment.Segment) error {
			sec, _ := s.Header().Section(format.SectionIDHash)
			_, err := s.Raw().SectionBytes(sec.ID, 0, sec.Length)
			return err
		},
		format.SectionStored: func(s *segment.Segment) error {
			texts, err := s.Documents().Texts()
			for doc := uint32(0); doc < s.Meta().Docs && err == nil; doc++ {
				_, err = texts.At(doc)
			}
			return err
		},
		format.SectionStoredIndex: func(s *segment.Segment) error { _, err := s.Documents().AppendStored(nil, 0); return err },
	}
	for _, sec := range h.Sections { // Open reads META, a reader over a network LISTS
		if uses[sec.ID] == nil && sec.ID != format.SectionMeta && sec.ID != format.SectionLists && sec.ID != format.SectionPageSums {
			t.Errorf("no use of %s", sec.ID)
		}
	}
	alone := 0 // pages without other sections
	for id, use := range uses {
		sec, _ := h.Section(id)
		for _, at := range []int64{0, sec.Length / 2, sec.Length - 8} {
			if id == format.SectionPostings && at == 0 {
				continue // another list
			}
			for _, mapped := range []bool{true, false} {
				d := segment.Data(&onDemand{b: b, fail: -1})
				if mapped {
					d = b
				}
				s, err := segment.Open("test.pin", d)
				if err != nil {
					t.Fatal(err)
				}
				damaged := sec.Offset + at + 7
				page := max(damaged/format.PageSize*format.PageSize, h.FrontSize())
				b[damaged] ^= 16
				own := page >= sec.Offset && page+format.PageSize <= sec.End()
				if own {
					alone++
				}
				var e *format.Error
				for range 2 {
					if err := use(s); !errors.As(err, &e) || !errors.Is(e, format.ErrCorrupt) || e.File != "test.pin" || !onPage(h, e.Section, page) || e.Offset != page {
						t.Errorf("%s at %d, mapped %v: %v", id, at, mapped, err)
					} else if own && e.Section != id.String() {
						t.Errorf("%s at %d, mapped %v, on a page of its own: %v", id, at, mapped, err)
					}
				}
				if err := check.Segment(context.Background(), s, check.Options{Level: check.Checksums}); !errors.As(err, &e) || e.Section != id.String() || e.Offset != max(page, sec.Offset) {
					t.Errorf("%s at %d, mapped %v: verification says %v", id, at, mapped, err)
				}
				b[damaged] ^= 16
				if err := use(s); err != nil {
					t.Errorf("%s at %d, mapped %v, intact again: %v", id, at, mapped, err)
				}
			}
		}
	}
	if alone < 6 {
		t.Errorf("%d pages of one section", alone)
	}
}

// onPage reports whether a section has bytes of the page that begins at an offset.
func onPage(h *format.Header, section string, page int64) bool {
	return slices.ContainsFunc(h.Sections, func(s format.Section) bool {
		return s.ID.String() == section && s.Offset < page/format.PageSize*format.PageSize+format.PageSize && s.End() > page
	})
}

// A block fails while a page is damaged that holds none of it, but bytes that it shares with
// blocks before it.
func TestDamagedSharedBytes(t *testing.T) {
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 50000)}
	for i := range m.Lens {
		m.IDs = append(m.IDs, fmt.Sprint(i))
	}
	var ps []segtest.Posting
	for i := range uint32(47*128 + 8) {
		ps = append(ps, segtest.P(3*i+i/128*600, 1+i%600))
	}
	for i := range 8 { // not all have page borders in the same places
		m.AddList(fmt.Sprint(i), ps[i*100:])
	}
	c := segtest.Codec("simdbp128")
	b := segment.Aligned(m.Build(t, segtest.With{Docs: c, Freqs: c}))
	page := func(at int64) int64 { return at / format.PageSize * format.PageSize }
	tested := [2]int{}
	for term := range m.Lists {
		s := segtest.Open(t, b)
		sec, _ := s.Header().Section(format.SectionPostings)
		e, _, _ := s.Lists().Lookup([]byte(term))
		l, err := s.Lists().List(e)
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]int64{}
		for _, p := range l.Layout() {
			at[p.Name] = sec.Offset + e.Offset + p.Offset
		}
		last := l.Blocks - 1
		for i, x := range []struct {
			payload int64
			seq     *format.Sequence
			decode  func(dst []uint32, block, count int) (int, error)
		}{{at["docs"], &l.Docs, l.DecodeDocs}, {at["freqs"], &l.Freqs, l.DecodeFreqs}} {
			shared := x.payload + 4*int64(x.seq.Ends[last/16*16]) + int64(last%16)
			if page(shared) == page(at["docs"]-1) || page(shared) == page(x.payload+4*int64(x.seq.Ends[last])) {
				continue // List has read the page, or the block is there, too
			}
			tested[i]++
			b[shared] ^= 1
			var fe *format.Error
			if _, err := x.decode(make([]uint32, l.BlockLen), last, 1); !errors.As(err, &fe) || fe.Offset != page(shared) || fe.Block != last {
				t.Errorf("list %s: %v", term, err)
			}
			b[shared] ^= 1
		}
	}
	if tested[0] == 0 || tested[1] == 0 {
		t.Errorf("tested %v lists", tested)
	}
}

// A look-up of an id checks the pages that it has searched, not all of IDHASH.
func TestFindIDTouches(t *testing.T) {
	m := segtest.Small()
	for minor, most := range map[uint16]int{
		5: 3 * format.PageSize / 8,
		6: format.PageSize/2 + format.PageSize/64, // 9,000 documents have entries of 2 bytes; those of a bucket are read together
	} {
		b := segment.Aligned(segtest.InVersion(t, segment.Aligned(m.Build(t, segtest.Default())), minor))
		s := segtest.Open(t, b)
		sec, _ := s.Header().Section(format.SectionIDHash)
		b[(sec.Offset+format.PageSize)/format.PageSize*format.PageSize+3] ^= 1 // in a page of hashes only
		failed := 0
		for _, id := range m.IDs {
			if _, ok, err := s.Documents().FindID([]byte(id)); err != nil {
				failed++
			} else if !ok {
				t.Fatalf("id %q is not found", id)
			}
		}
		if failed == 0 || failed > most {
			t.Errorf("0.%d: %d of %d look-ups fail, of a page at most %d", minor, failed, len(m.IDs), most)
		}
	}
}

// Damage of PAGESUMS leaves the pages of one group unreadable.
func TestDamagedPageSums(t *testing.T) {
	longtest.Once(t)
	b := segment.Aligned(broad().Build(t, segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("vbyte128"), Stored: true}))
	h := segtest.Open(t, b).Header()
	sums := h.Sections[len(h.Sections)-1]
	if sums.ID != format.SectionPageSums || sums.Length < 2*format.PageSize {
		t.Fatalf("%v", sums)
	}
	b[sums.Offset+4*format.PageGroup] ^= 1 // the sum of the first group
	s := segtest.Open(t, b)
	var e *format.Error
	if _, err := s.Documents().AppendStored(nil, 0); !errors.As(err, &e) || e.Section != "page-sums" || e.Offset != sums.Offset {
		t.Error(err)
	}
	if _, ok, err := s.Lists().Lookup([]byte("hash")); !ok || err != nil { // on a page with other sections
		t.Error(ok, err)
	}
	if _, err := s.Documents().Length(0); err != nil { // in a later group
		t.Error(err)
	}
	if err := check.Segment(context.Background(), s, check.Options{Level: check.Checksums}); !errors.As(err, &e) || e.Section != "page-sums" {
		t.Error(err)
	}
	s = segtest.Open(t, b)
	s.Raw().SkipPageChecks()
	if _, err := s.Documents().AppendStored(nil, 0); err != nil {
		t.Error(err)
	}
}

// One damaged page leaves the sections readable that it has little of and that are sound.
func TestDamagedSharedPage(t *testing.T) {
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, IDs: []string{"a", "b"}, Texts: []string{"word", "word two"}, Lens: make([]uint32, 2)}
	m.AddList("two", segtest.Pairs(1, 1))
	m.AddList("word", segtest.Pairs(0, 1, 1, 1))
	w := segtest.Default()
	w.Stored = true
	b := segment.Aligned(m.Build(t, w))
	if len(b) > format.PageSize {
		t.Fatalf("%d bytes", len(b))
	}
	stored, _ := segtest.Open(t, b).Header().Section(format.SectionStored)
	for i := range 9 {
		b[stored.Offset+int64(i)] ^= byte(0x5a + i)
	}
	for _, d := range []segment.Data{b, &onDemand{b: b, fail: -1}} {
		s, err := segment.Open("test.pin", d)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, ok, err := s.Lists().Lookup([]byte("word")); !ok || err != nil {
				t.Error(ok, err)
			}
			if id, err := s.Documents().AppendID(nil, 1); string(id) != "b" || err != nil {
				t.Error(string(id), err)
			}
			if _, err := s.Documents().AppendStored(nil, 1); !errors.Is(err, format.ErrCorrupt) {
				t.Error(err)
			}
		}
	}
}
