//go:build emu && cgo

package gpu

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cuda"
	damaged "github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/segment"
)

// sharing returns the first segment of c with a dictionary that says that the list of term b is
// where that of term a is. All checksums hold.
func sharing(t *testing.T, c *gputrial.Collection, a, b int) *segment.Segment {
	f, err := damaged.Parse(c.Parts[0].Bytes)
	if err != nil {
		t.Fatal(err)
	}
	var at [2]int64
	var df uint32
	for i, term := range []int{a, b} {
		e, ok, err := c.Parts[0].Segment.Lists().Lookup(gputrial.Term(term))
		if err != nil || !ok || e.Kind != segment.KindExtent {
			t.Fatal(e, err)
		}
		at[i], df = e.Offset, e.DF
	}
	entry := func(offset int64) []byte { // FORMAT.md, section TERMS
		return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(offset/64)<<2|3), uint64(df))
	}
	old, shared := entry(at[1]), entry(at[0])
	terms := f.Sections[slices.IndexFunc(f.Sections, func(s damaged.Section) bool { return s.ID == format.SectionTerms })].Content
	if len(old) != len(shared) || bytes.Count(terms, old) != 1 {
		t.Fatalf("%d and %d bytes, %d entries", len(old), len(shared), bytes.Count(terms, old))
	}
	copy(terms[bytes.Index(terms, old):], shared)
	s, err := segment.Open("damaged", segment.Aligned(f.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Two terms have one list, of the length of the first. Whichever is asked for first, the device
// answers for that and refuses the other.
func TestSharedList(t *testing.T) {
	c, sc := newCollection(t, gputrial.Shape{Docs: 20000, Segments: 1, Terms: 12, MaxDF: 0.9, MinDF: 150, DocsCodec: "bp128", FreqsCodec: "bp128", Seed: 5})
	segs := []residency.Segment{{Seg: sharing(t, c, 3, 10)}}
	for _, first := range []int{3, 10} {
		dev := cuda.NewEmulator()
		x, err := newExecutor(dev, segs, Options{Scorer: sc, Memory: 4 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for _, term := range []int{first, 13 - first, first} {
			for _, mode := range []query.Mode{query.ModeAnd, query.ModeOr} {
				_, err := x.Execute(context.Background(), []search.Query{gputrial.Query{Terms: []int{term}, K: 1000, Mode: mode}.Query()})
				if term == 3 && err != nil || term == 10 && !errors.Is(err, format.ErrCorrupt) {
					t.Errorf("term %d after term %d, %v: %v", term, first, mode, err)
				}
			}
		}
		if t.Failed() {
			return // a merge of the list would write where it must not
		}
		for _, how := range Strategies() {
			if err := conjoin(x, []search.Query{gputrial.Query{Terms: []int{11, 10}, K: 10}.Query()}, how); !errors.Is(err, format.ErrCorrupt) {
				t.Errorf("%v: %v", how, err)
			}
		}
		closeExecutor(t, x)
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Two terms share a list in the first of two segments, and all lists have the same length. The
// joined lists are two, like those of the second segment.
func TestSharedListJoined(t *testing.T) {
	shape := gputrial.Shape{Docs: 2000, Segments: 1, Terms: 12, MaxDF: 0.1, MinDF: 200, DocsCodec: "bp128", FreqsCodec: "bp128", Seed: 5}
	c, sc := newCollection(t, shape)
	shape.Seed++
	more, _ := newCollection(t, shape)
	segs := []residency.Segment{{Seg: sharing(t, c, 8, 10)}, {Seg: more.Parts[0].Segment, Base: 2000}}
	var got [2][]search.Result
	for i := range got {
		dev := cuda.NewEmulator()
		x, err := newExecutor(dev, segs, Options{Scorer: sc, Memory: 4 << 20, apart: i == 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, term := range []int{8, 10} {
			r, err := x.Execute(context.Background(), []search.Query{gputrial.Query{Terms: []int{term}, K: 1000, Mode: query.ModeOr}.Query()})
			if err != nil || len(r[0].Hits) != 2*200 {
				t.Fatalf("term %d: %d hits, %v", term, len(r[0].Hits), err)
			}
			got[i] = append(got[i], r...)
		}
		closeExecutor(t, x)
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
	for i, term := range []int{8, 10} {
		if !slices.Equal(got[0][i].Hits, got[1][i].Hits) {
			t.Errorf("term %d has other hits in a joined list", term)
		}
	}
}
