package check_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// contents returns all that s says.
func contents(s *segment.Segment) string {
	var b bytes.Buffer
	m := *s.Meta()
	fmt.Fprint(&b, s.Header().ID, m)
	for _, sec := range s.Header().Sections {
		fmt.Fprint(&b, sec.ID, sec.Flags)
	}
	var l segment.List
	var rows segment.Rows
	for it := s.Lists().Terms(); it.Next(); {
		fmt.Fprintf(&b, "%q", it.Term())
		if err := s.Lists().Init(&l, it.Entry()); err != nil {
			return err.Error()
		}
		fmt.Fprint(&b, l.Quad, l.Quads, l.Kth, l.HasKth, l.LR, l.HasLR, l.Hash.Shift, l.HasHash)
		for rows.Reset(&l); rows.Next(); {
			b.Write(format.BytesOf(rows.Docs))
			b.Write(format.BytesOf(rows.Freqs))
		}
	}
	lens, _ := s.Documents().Lengths()
	b.Write(lens.Bytes())
	texts, _ := s.Documents().Texts()
	s.Documents().EachID(func(doc uint32, id []byte) error {
		text, err := texts.At(doc)
		fmt.Fprintf(&b, "%q %q", id, text)
		return err
	})
	return b.String()
}

// Verification passes over no bit: with one flipped and all checksums right, it fails, or what the
// segment says is something else.
func TestEveryBitMatters(t *testing.T) {
	longtest.Once(t)
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 300)}
	for i := range m.Lens {
		m.IDs = append(m.IDs, fmt.Sprint(i))
		m.Texts = append(m.Texts, fmt.Sprintf("%x", uint64(i+1)*0x9e3779b97f4a7c15)) // snappy has several forms of what repeats
	}
	var ps []segtest.Posting
	for i := range uint32(141) {
		ps = append(ps, segtest.P(2*i+i/100, 1+i%3))
	}
	m.AddList("extent", ps)
	m.AddList("extension", segtest.Pairs(4, 2, 9, 1, 77, 5))
	m.AddList("once", segtest.Pairs(4, 1))
	m.AddList("twice", segtest.Pairs(4, 2))
	good := m.Build(t, segtest.With{Docs: segtest.Codec("bp128"), Freqs: segtest.Codec("bp128"), Stored: true})
	h := segtest.Open(t, good).Header()
	want := contents(segtest.Open(t, good))
	step := longtest.Count(11, 3)
	b := segment.Aligned(bytes.Clone(good))
	for i := 52; i < len(b); i++ {
		if sec := sectionAt(h, int64(i)); sec == format.SectionPageSums || i >= 56 && i < 64 {
			continue // repaired
		}
		if every := map[bool]int{true: 97 * step, false: step}[good[i] == 0]; i%every != 0 {
			continue
		}
		for bit := range 8 {
			copy(b, good)
			b[i] ^= 1 << bit
			segtest.Repair(b)
			if bytes.Equal(b, good) {
				continue // a checksum
			}
			s, err := segment.Open("test.pin", b)
			if err == nil {
				err = check.Segment(context.Background(), s, check.Options{})
			}
			if err == nil && contents(s) == want {
				t.Errorf("byte %d (%s), bit %d: not found", i, sectionAt(h, int64(i)), bit)
			}
		}
	}
}

// The same is true of the blocks of every codec. Payloads whose codec has lines are left to
// internal/codec/registry: low bits of slopes may move no docID.
func TestEveryBitOfBlocks(t *testing.T) {
	step := 37
	if testing.Short() {
		step = 101
	}
	lines := map[codec.ID]bool{codec.LRC: true, codec.LRCSeg: true, codec.SegLRC: true, codec.HSLRC: true}
	for _, c := range registry.All() {
		m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 4000)}
		for i := range m.Lens {
			m.IDs = append(m.IDs, fmt.Sprint(i))
		}
		var ps []segtest.Posting
		for i, doc := uint32(0), uint32(0); i < uint32(c.BlockLen())+150; i, doc = i+1, doc+1+i%3 {
			tf := 1 + i%3
			if i%23 == 7 {
				doc, tf = doc+20, 70
			}
			ps = append(ps, segtest.P(doc, tf))
		}
		m.AddList("t", ps)
		good := m.Build(t, segtest.With{Docs: c, Freqs: c})
		s := segtest.Open(t, good)
		e, _, _ := s.Lists().Lookup([]byte("t"))
		l, err := s.Lists().List(e)
		if err != nil {
			t.Fatal(err)
		}
		want := contents(s)
		sec, _ := s.Header().Section(format.SectionPostings)
		b := segment.Aligned(bytes.Clone(good))
		for _, part := range l.Layout() {
			if part.Name != "freqs" && (part.Name != "docs" || lines[c.ID()]) {
				continue
			}
			for i := int(e.Offset+part.Offset) * 8; i < int(e.Offset+part.Offset+part.Length)*8; i += step {
				copy(b, good)
				b[int(sec.Offset)+i/8] ^= 1 << (i % 8)
				segtest.Repair(b)
				s := segtest.Open(t, b)
				if err := check.Segment(context.Background(), s, check.Options{}); err == nil && contents(s) == want {
					t.Errorf("%v, %s, bit %d of byte %d of the extent: not found", c.ID(), part.Name, i%8, i/8-int(e.Offset))
				}
			}
		}
	}
}

func sectionAt(h *format.Header, off int64) format.SectionID {
	for _, sec := range h.Sections {
		if off >= sec.Offset && off < sec.Offset+sec.PaddedLength() {
			return sec.ID
		}
	}
	return 0
}
