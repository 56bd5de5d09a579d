package segment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// positions draws a segment with positions of long and short lists, between fields without.
func positions(r *rand.Rand, docs int) *segtest.Fields {
	m := &segtest.Fields{}
	for i := range docs {
		m.IDs = append(m.IDs, fmt.Sprint(i))
	}
	for i, index := range []schema.Index{schema.IndexFreqs, schema.IndexFreqs, schema.IndexDocs} {
		f := segtest.FieldModel{Field: schema.Field{ID: uint32(i + 1), Name: string(rune('a' + i)), Kind: schema.Text, Index: index, Positions: i == 1},
			Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, docs)}
		for j := range 70 {
			var ps []segtest.Posting
			for d := uint32(r.IntN(j + 1)); d < uint32(docs); d += 1 + uint32(r.IntN(2*j*j+1)) {
				p := segtest.P(d, 1)
				if f.HasLengths() {
					p.TF += uint32(r.ExpFloat64())
				}
				ps = append(ps, p)
				f.Lens[d] += p.TF
			}
			if len(ps) > 0 {
				f.Lists[fmt.Sprintf("term%02d", j)] = ps
			}
		}
		if f.Positions {
			f.RandomPositions(r)
		}
		m.Fields = append(m.Fields, f)
	}
	return m
}

// A field without positions says so, as does a segment without fields.
func TestNoPositions(t *testing.T) {
	s := segtest.Open(t, positions(rand.New(rand.NewPCG(3, 2)), 300).Build(t, segtest.Default()))
	for i, name := range []string{"a", "", "c"} {
		v := s.Field(i)
		e, _, err := v.Lookup([]byte("term03"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Positions(e); name != "" && (!errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), fmt.Sprintf("field %q", name))) || name == "" && err != nil {
			t.Errorf("field %d: %v", i, err)
		}
	}
	plain := segtest.Open(t, segtest.Small().Build(t, segtest.Default()))
	e, _, _ := plain.Lists().Lookup([]byte("small"))
	if _, err := plain.Field(0).Positions(e); !errors.Is(err, errors.ErrUnsupported) || plain.Field(0).HasPositions() {
		t.Errorf("without fields: %v", err)
	}
	var none segment.PositionReader
	if got, err := none.Append([]uint32{7}, 0, 0, 1); err == nil || !slices.Equal(got, []uint32{7}) {
		t.Errorf("a reader of no list: %v, %v", got, err)
	}
}

// Questions that no posting answers are refused.
func TestPositionsOutside(t *testing.T) {
	m := positions(rand.New(rand.NewPCG(4, 2)), 1000)
	s := segtest.Open(t, m.Build(t, segtest.Default()))
	for term, ps := range m.Fields[1].Lists {
		e, _, err := s.Field(1).Lookup([]byte(term))
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Field(1).Positions(e)
		if err != nil {
			t.Fatal(err)
		}
		total := uint32(0)
		for _, x := range ps {
			total += x.TF
		}
		behind := total // how many positions are refused for sure
		if e.Kind == segment.KindExtent {
			behind = (total + 127) &^ 127
		}
		for _, ask := range [][3]uint32{{uint32(p.Blocks()), 0, 1}, {0, behind, 1}, {0, 0, behind + 1}, {0, 1 << 31, 1 << 31}, {0, 3, 1<<32 - 1}, {1 << 31, 0, 1}} {
			got, err := p.Reader().Append(nil, int(int32(ask[0])), ask[1], ask[2])
			if err == nil {
				t.Errorf("%s: %d positions behind %d of block %d in %d blocks: %v", term, ask[2], ask[1], ask[0], p.Blocks(), got[:min(len(got), 5)])
			}
			if _, err := p.AppendBlock(nil, int(int32(ask[0])), total+7); err == nil {
				t.Errorf("%s: block %d has %d positions", term, ask[0], total+7)
			}
		}
	}
}

// A damaged page of POSITIONS fails the positions of lists that lie there, with file, section, list
// and block, and nothing else: lists stay readable. So it is in memory and on demand.
func TestDamagedPositions(t *testing.T) {
	m := positions(rand.New(rand.NewPCG(3, 1)), 12_000)
	b := segment.Aligned(m.Build(t, segtest.Default()))
	good := segtest.Open(t, b)
	sec, _ := good.Header().Section(format.SectionPositions)
	index, _ := good.Header().Section(format.SectionPositionIndex)
	failed, fine := 0, 0
	for _, mapped := range []bool{true, false} {
		open := func() *segment.Segment {
			d := segment.Data(&onDemand{b: b, fail: -1})
			if mapped {
				d = b
			}
			s, err := segment.Open("test.pin", d)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		for at := sec.Offset + 100; at < sec.Offset+sec.Length; at += 7 * format.PageSize {
			b[at] ^= 16
			s := open()
			damaged, rest := readPositions(t, m, s)
			failed, fine = failed+damaged, fine+rest
			if damaged == 0 {
				t.Errorf("byte %d: nothing failed", at)
			}
			if err := check.Segment(t.Context(), s, check.Options{}); !errors.Is(err, format.ErrCorrupt) {
				t.Errorf("byte %d: checked, %v", at, err)
			}
			b[at] ^= 16
		}
		b[index.Offset+3] ^= 1
		if damaged, _ := readPositions(t, m, open()); damaged == 0 {
			t.Error("POSITIONINDEX is damaged, and nothing failed")
		}
		b[index.Offset+3] ^= 1
		if damaged, _ := readPositions(t, m, open()); damaged > 0 {
			t.Error("a sound segment fails")
		}
	}
	if failed < 50 || fine < 200 {
		t.Errorf("%d blocks failed, %d did not", failed, fine)
	}
}

// readPositions reads all positions of s, and returns how many blocks are damaged, which must say where,
// and how many are not, which must be as in m.
func readPositions(t *testing.T, m *segtest.Fields, s *segment.Segment) (damaged, fine int) {
	f := &m.Fields[1]
	for term, ps := range f.Lists {
		e, _, err := s.Field(1).Lookup([]byte(term))
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.Lists().List(e)
		if err != nil {
			t.Fatal(err)
		}
		p, err := l.Positions()
		gaps := f.Gaps[term]
		for block := 0; block < l.Blocks; block++ {
			total := uint32(0)
			for _, x := range ps[block*l.BlockLen : min((block+1)*l.BlockLen, len(ps))] {
				total += x.TF
			}
			var got []uint32
			asked := err
			if asked == nil {
				got, asked = p.AppendBlock(nil, block, total)
			}
			var e *format.Error
			switch {
			case asked == nil && slices.Equal(got, gaps[:total]):
				fine++
			case asked == nil:
				t.Fatalf("%s, block %d: other positions", term, block)
			case !errors.As(asked, &e) || e.Kind != format.ErrCorrupt || e.File != "test.pin" || !strings.HasPrefix(e.Section, "position") || err == nil && (e.List != term || e.Block != block):
				t.Fatalf("%s, block %d: %v", term, block, asked)
			default:
				damaged++
			}
			gaps = gaps[total:]
		}
	}
	return damaged, fine
}

// Bytes that no builder writes are refused or found by full verification, whatever the checksums
// say, and reading them does no harm.
func TestForgedPositions(t *testing.T) {
	longtest.Once(t)
	m := positions(rand.New(rand.NewPCG(5, 1)), 1500)
	good := m.Build(t, segtest.Default())
	header := segtest.Open(t, good).Header()
	r := rand.New(rand.NewPCG(6, 1))
	found := 0
	const all = 200
	for i := range all {
		sec, _ := header.Section([]format.SectionID{format.SectionPositions, format.SectionPositionIndex}[i%8/7])
		bad := segment.Aligned(bytes.Clone(good))
		bad[sec.Offset+r.Int64N(sec.Length)] ^= 1 << r.IntN(8)
		segtest.Repair(bad)
		s, err := segment.Open("bad", bad)
		if err != nil {
			t.Fatal(err)
		}
		var buf []uint32
		for it := s.Field(1).Terms(nil); it.Next(); {
			l, err := s.Lists().List(it.Entry())
			if err != nil {
				t.Fatal(err)
			}
			p, err := l.Positions()
			if err != nil {
				continue
			}
			reader := p.Reader()
			for block := range l.Blocks {
				reader.Append(buf[:0], block, 0, 1)
				reader.Append(buf[:0], block, 130, 2)
				reader.Append(buf[:0], block, 5, 300)
				p.AppendBlock(buf[:0], block, 128)
			}
		}
		switch err := check.Segment(t.Context(), s, check.Options{}); {
		case errors.Is(err, format.ErrCorrupt):
			found++
		case err != nil || sec.ID == format.SectionPositionIndex: // other positions may have these bytes
			t.Errorf("%s: %v", sec.ID, err)
		}
	}
	if found < all/6 {
		t.Errorf("only %d of %d were found", found, all)
	}
}

// asking is on demand and refuses ranges that nobody has asked for.
type asking struct {
	onDemand
	asked  []segment.Range
	rounds int
	strict bool
}

func (d *asking) WithContext(context.Context) segment.OnDemand { return d }

func (d *asking) Fetch(ranges []segment.Range) {
	d.asked = append(d.asked, ranges...)
	d.rounds++
}

func (d *asking) Range(off, n int64) ([]byte, error) {
	for at := off; d.strict && at < off+n; { // pages are read around what was asked for
		i := slices.IndexFunc(d.asked, func(r segment.Range) bool {
			return r.Off&^(format.PageSize-1) <= at && at < (r.Off+r.Len+format.PageSize-1)&^(format.PageSize-1)
		})
		if i < 0 {
			return nil, fmt.Errorf("byte %d was not asked for", at)
		}
		at = (d.asked[i].Off + d.asked[i].Len + format.PageSize - 1) &^ (format.PageSize - 1)
	}
	return d.onDemand.Range(off, n)
}

// What PrefetchPositions asks for in three rounds is all that reading the positions needs.
func TestPrefetchPositions(t *testing.T) {
	m := positions(rand.New(rand.NewPCG(8, 1)), 5000)
	d := &asking{onDemand: onDemand{b: m.Build(t, segtest.Default()), fail: -1}}
	s, err := segment.Open("test.pin", d)
	if err != nil {
		t.Fatal(err)
	}
	var entries []segment.Entry
	var lists []*segment.List
	for i := range s.Fields() {
		for it := s.Field(i).Terms(nil); it.Next(); {
			l, err := s.Lists().List(it.Entry())
			if err != nil {
				t.Fatal(err)
			}
			entries, lists = append(entries, it.Entry()), append(lists, l)
		}
	}
	d.asked, d.rounds = nil, 0
	s.Lists().PrefetchPositions(entries)
	if d.rounds != 3 {
		t.Errorf("asked in %d rounds", d.rounds)
	}
	d.strict = true
	n := 0
	for _, l := range lists {
		p, err := l.Positions()
		if errors.Is(err, errors.ErrUnsupported) {
			continue
		}
		if err == nil {
			_, err = p.Reader().Append(nil, l.Blocks-1, 0, 1)
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != len(m.Fields[1].Lists) {
		t.Errorf("positions of %d lists, want %d", n, len(m.Fields[1].Lists))
	}
	segtest.Open(t, d.b).Lists().PrefetchPositions(entries) // of a mapped file: nothing to do
}
