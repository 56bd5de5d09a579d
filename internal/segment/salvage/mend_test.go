package salvage_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// sample is a segment to be damaged, with what a manifest knows of it.
type sample struct {
	name  string
	good  segment.Bytes
	h     *format.Header
	known salvage.Known
}

// samples are segments in both orders of sections, with and without text, one without
// documents, and some in which IDHASH is not packed.
func samples(t testing.TB) (all []sample) {
	small := segtest.Small()
	with := segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("vbyte128")}
	minor := format.Current().Minor
	add := func(name string, m *segtest.Model, w segtest.With) {
		b := segment.Aligned(segtest.InVersion(t, m.Build(t, w), minor))
		s, err := segment.Open(name, b)
		if err != nil {
			t.Fatal(err)
		}
		meta := s.Meta()
		all = append(all, sample{name, b, s.Header(), salvage.Known{ID: s.Header().ID, Postings: meta.Postings,
			Tokens: meta.Tokens, Analyzer: meta.Analyzer, AnalyzerOptions: meta.AnalyzerOptions}})
	}
	add("plain", small, with)
	with.Stored = true
	add("texts", small, with)
	with.DocsFirst = true
	add("documents first", small, with)
	add("empty", &segtest.Model{Lists: map[string][]segtest.Posting{}}, with)
	add("three documents", three(), with)
	minor = 3
	add("0.3", small, with)
	add("three documents, 0.3", three(), with)
	return all
}

// three is so short that sections of either version are padded to the same length.
func three() *segtest.Model {
	m := &segtest.Model{Lists: map[string][]segtest.Posting{"word": {segtest.P(0, 1), segtest.P(2, 2)}}}
	for i, n := range []uint32{1, 0, 2} {
		m.IDs, m.Texts, m.Lens = append(m.IDs, fmt.Sprint("id", i)), append(m.Texts, "text"), append(m.Lens, n)
	}
	return m
}

// section returns where a section is, with its padding.
func (s *sample) section(t testing.TB, id format.SectionID) (off, n int64) {
	sec, ok := s.h.Section(id)
	if !ok {
		t.Fatalf("%s has no section %v", s.name, id)
	}
	return sec.Offset, sec.PaddedLength()
}

// mend mends b and requires the undamaged file.
func (s *sample) mend(t *testing.T, b []byte, what string) *salvage.Mended {
	t.Helper()
	m, err := salvage.Mend(s.name, segment.Aligned(b), s.known)
	if err != nil {
		t.Fatalf("%s, %s: %v", s.name, what, err)
	}
	got, err := m.Data.Range(0, m.Data.Size())
	if err != nil {
		t.Fatalf("%s, %s: %v", s.name, what, err)
	}
	if !m.Whole || !bytes.Equal(got, s.good) {
		t.Fatalf("%s, %s: whole %v, equal %v: %v", s.name, what, m.Whole, bytes.Equal(got, s.good), m.Mends)
	}
	return m
}

// TestFlippedBits flips bits everywhere, and densely where one bit makes the file
// unreadable: as many times as many as PINION_MEND says. Each time the file comes back, and
// the bit is named.
func TestFlippedBits(t *testing.T) {
	more := int64(1)
	if n, err := strconv.ParseInt(os.Getenv("PINION_MEND"), 10, 64); err == nil {
		more = n
	}
	for _, s := range samples(t) {
		meta, n := s.section(t, format.SectionMeta)
		end := int64(len(s.good)) - format.FooterSize
		b := segment.Aligned(bytes.Clone(s.good))
		bits := 0
		for at, step := int64(0), int64(0); at < 8*int64(len(b)); at += step {
			switch byteAt := at / 8; {
			case byteAt < 512, byteAt >= meta && byteAt < meta+128, byteAt >= meta+n && byteAt < meta+n+256, byteAt >= end:
				step = max(1, 51/more)
			default:
				step = max(1, 29999/more)
			}
			b[at/8] ^= 1 << (at % 8)
			m := s.mend(t, b, fmt.Sprintf("bit %d of byte %d", at%8, at/8))
			if len(m.Mends) != 1 || m.Mends[0].Offset != at/8 || m.Mends[0].Bit != int(at%8) || !m.Mends[0].Sure {
				t.Fatalf("%s: bit %d of byte %d: %v", s.name, at%8, at/8, m.Mends)
			}
			b[at/8] ^= 1 << (at % 8)
			bits++
		}
		t.Logf("%s: %d bits flipped, each found", s.name, bits)
	}
}

// TestLostParts destroys parts of which others know everything.
func TestLostParts(t *testing.T) {
	for _, s := range samples(t) {
		meta, metaLen := s.section(t, format.SectionMeta)
		sums, sumsLen := s.section(t, format.SectionPageSums)
		end := int64(len(s.good)) - format.FooterSize
		type part struct {
			name   string
			off, n int64
		}
		implied := []part{}
		for _, id := range []format.SectionID{format.SectionIDIndex, format.SectionIDHash, format.SectionTermIndex, format.SectionDocLengths} {
			off, n := s.section(t, id)
			implied = append(implied, part{id.String(), off, n})
		}
		for _, c := range append(implied, []part{
			{"header", 0, format.HeaderSize},
			{"first sector", 0, 512},
			{"second sector", 512, s.h.FrontSize() - 512},
			{"front", 0, s.h.FrontSize()},
			{"table", format.HeaderSize, 512},
			{"footer", end, format.FooterSize},
			{"META", meta, metaLen},
			{"PAGESUMS", sums, sumsLen},
			{"PAGESUMS and footer", sums, sumsLen + format.FooterSize},
			{"META and PAGESUMS", meta, metaLen + sumsLen},
			{"META, PAGESUMS and footer", meta, metaLen + sumsLen + format.FooterSize},
		}...) {
			for _, fill := range []string{"zeros", "noise"} {
				b := bytes.Clone(s.good)
				clear(b[c.off : c.off+c.n])
				if fill == "noise" {
					r := rand.NewChaCha8([32]byte{})
					r.Read(b[c.off : c.off+c.n])
				}
				if bytes.Equal(b, s.good) {
					continue
				}
				m := s.mend(t, b, fill+" for "+c.name)
				for _, x := range m.Mends {
					if x.Offset < c.off || x.Offset+x.Length > c.off+c.n || !x.Sure {
						t.Errorf("%s for %s: %v", fill, c.name, x)
					}
				}
			}
		}
		b := bytes.Clone(s.good)
		for _, c := range append(implied, part{"PAGESUMS", sums, sumsLen}, part{"META", meta, metaLen}) {
			for i := range b[c.off : c.off+c.n] {
				b[c.off+int64(i)] ^= byte(3 + 5*i)
			}
		}
		s.mend(t, b, "noise for all of them")
		// What is cut off behind the sections comes back too.
		cuts := []int64{end + 63, end, sums + sumsLen/2, sums, meta + metaLen/2, meta}
		if lists, ok := s.h.Section(format.SectionLists); ok {
			lengths, n := s.section(t, format.SectionDocLengths)
			cuts = append(cuts, lists.Offset+lists.Length/2, lists.Offset, lengths+n/2, lengths)
		}
		for _, n := range cuts {
			if 2*n < int64(len(s.good)) {
				continue
			}
			s.mend(t, s.good[:n], fmt.Sprintf("%d of %d bytes", n, len(s.good)))
		}
		s.mend(t, append(bytes.Clone(s.good), make([]byte, 1000)...), "1000 bytes more")
	}
}

// TestUnconfirmed destroys the front and the footer, or the front and a page of
// ids: nothing confirms the section table then, and the file is read all the same.
func TestUnconfirmed(t *testing.T) {
	for _, s := range samples(t) {
		ids, _ := s.section(t, format.SectionIDs)
		for _, c := range []struct {
			name   string
			off, n int64
			whole  bool
			flip   int64
		}{
			{"footer", int64(len(s.good)) - format.FooterSize, format.FooterSize, true, -1},
			{"footer and a bit", int64(len(s.good)) - format.FooterSize, format.FooterSize, false, ids},
			{"ids", ids, 100, false, -1},
		} {
			b := segment.Aligned(bytes.Clone(s.good))
			clear(b[:s.h.FrontSize()])
			for i := range b[c.off : c.off+c.n] {
				b[c.off+int64(i)] ^= byte(3 + 5*i)
			}
			if c.flip >= 0 {
				b[c.flip] ^= 1
			}
			m, err := salvage.Mend(s.name, b, s.known)
			if err != nil {
				t.Errorf("%s, %s: %v", s.name, c.name, err)
				continue
			}
			x, err := segment.Open(s.name, m.Data)
			if err != nil || m.Whole != c.whole || x.Meta().Postings != s.known.Postings {
				t.Errorf("%s, %s: whole %v, %v, %v", s.name, c.name, m.Whole, err, m.Mends)
				continue
			}
			if c.whole {
				if err := check.Segment(t.Context(), x, check.Options{Level: check.Postings}); err != nil {
					t.Errorf("%s, %s, as version %v: %v", s.name, c.name, x.Header().Version, err)
				}
			}
		}
	}
}
