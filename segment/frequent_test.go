package segment_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// first returns the postings of the first n documents.
func first(n int) (p format.Postings) {
	for doc := range n {
		p = p.AppendPosting(uint32(doc), 1)
	}
	return p
}

// frequentOf returns a segment of that many documents whose terms have those df, field by
// field: one field means none. The lists are those of terms "t00000" and so on.
func frequentOf(t *testing.T, docs int, fields ...[]int) []byte {
	t.Helper()
	o := build.Options{Docs: uint32(docs), DocsCodec: segtest.Codec("bp128"), FreqsCodec: segtest.Codec("bp128")}
	if len(fields) == 1 {
		o.Lengths, o.ForeignLengths = []segment.LengthTable{segment.NewLengthTable(slices.Repeat([]uint32{9}, docs))}, true
	} else {
		for i := range fields {
			o.Fields = append(o.Fields, build.Field{Field: schema.Field{ID: uint32(1 + i), Name: fmt.Sprint("f", i), Kind: schema.Keyword}})
		}
	}
	f := new(segtest.MemFile)
	b, err := build.New(format.NewFileWriter(f, format.KindSegment, format.ID{1}), o)
	for i, dfs := range fields {
		if err == nil && len(fields) > 1 && len(dfs) > 0 {
			err = b.BeginField(i)
		}
		for j, df := range dfs {
			if err == nil {
				err = b.AddList(fmt.Appendf(nil, "t%05d", j), first(df))
			}
		}
	}
	for i := range docs {
		if err == nil {
			err = b.AddDoc(fmt.Appendf(nil, "%06d", i), nil)
		}
	}
	if err == nil {
		_, err = b.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	return f.B
}

// TestFrequent compares FREQUENT with the df of the lists that were added.
func TestFrequent(t *testing.T) {
	longtest.Once(t)
	const least = 65_537/64 + 1
	many := make([]int, 1100) // more than fit in, with ties where they end
	for i := range many {
		many[i] = least + i*7%9
	}
	for name, c := range map[string]struct {
		docs   int
		fields [][]int
		none   bool
	}{
		"a short segment":   {docs: 65_536, fields: [][]int{{65_536}}, none: true},
		"no frequent term":  {docs: 65_537, fields: [][]int{{1, least - 1, 127}}},
		"no terms":          {docs: 65_537, fields: [][]int{{}}},
		"the least df":      {docs: 65_600, fields: [][]int{{1025, 1026, 1025}}}, // 65,600 / 64 is 1025
		"descending df":     {docs: 65_537, fields: [][]int{{5000, 2, 65_537, least, 5000}}},
		"blocks and fields": {docs: 65_537, fields: [][]int{{9000}, {}, append(slices.Repeat([]int{3}, 40), 9000, 4), {9001}}},
		"too many":          {docs: 65_537, fields: [][]int{many}},
	} {
		s := segtest.Open(t, frequentOf(t, c.docs, c.fields...))
		got, err := s.Lists().Frequent()
		if err != nil {
			t.Fatal(name, err)
		}
		if _, has := s.Header().Section(format.SectionFrequent); has == c.none || (got == nil) != c.none {
			t.Errorf("%s: section %t, %v", name, has, got)
		}
		if c.none {
			continue
		}
		var want []segment.Frequent
		block := 0
		for _, dfs := range c.fields {
			for j, df := range dfs {
				if float64(df) > float64(c.docs)/64 {
					want = append(want, segment.Frequent{Ordinal: uint64(32*block + j), DF: uint32(df)})
				}
			}
			block += (len(dfs) + 31) / 32
		}
		slices.SortStableFunc(want, func(a, b segment.Frequent) int { return cmp.Compare(b.DF, a.DF) })
		if want = want[:min(len(want), 1024)]; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if err := check.Segment(context.Background(), s, check.Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFrequentDamage: what FREQUENT cannot be is refused when it is read, and what the
// dictionary contradicts when it is checked.
func TestFrequentDamage(t *testing.T) {
	good := frequentOf(t, 65_537, []int{2000, 1, 17_000, 1200})
	sec, _ := segtest.Open(t, good).Header().Section(format.SectionFrequent)
	type terms = []segment.Frequent
	for name, c := range map[string]struct {
		terms terms
		more  []byte
		reads bool // only a check finds it
	}{
		"good":               {terms: terms{{2, 17_000}, {0, 2000}, {3, 1200}}, reads: true},
		"another order":      {terms: terms{{0, 2000}, {2, 17_000}, {3, 1200}}},
		"equal terms":        {terms: terms{{2, 17_000}, {0, 2000}, {0, 2000}}},
		"a rare term":        {terms: terms{{2, 17_000}, {0, 2000}, {3, 1024}}},
		"too many documents": {terms: terms{{2, 65_538}, {0, 2000}, {3, 1200}}},
		"no such block":      {terms: terms{{32, 17_000}, {0, 2000}, {3, 1200}}},
		"bytes left over":    {terms: terms{{2, 17_000}, {0, 2000}}, more: []byte{0, 0, 0}},
		"no such term":       {terms: terms{{4, 17_000}, {0, 2000}, {3, 1200}}, reads: true},
		"another df":         {terms: terms{{2, 17_000}, {0, 2001}, {3, 1200}}, reads: true},
	} {
		content := append(segment.AppendFrequent(nil, c.terms), c.more...)
		if int64(len(content)) != sec.Length {
			t.Fatalf("%s: %d bytes, not %d", name, len(content), sec.Length)
		}
		bad := segment.Aligned(bytes.Clone(good))
		copy(bad[sec.Offset:], content)
		segtest.Repair(bad)
		x, err := segment.Open("bad", bad)
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.Lists().Frequent()
		if (err == nil) != c.reads || c.reads && !slices.Equal(got, c.terms) || !c.reads && !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if err := check.Segment(t.Context(), x, check.Options{}); (err == nil) != (name == "good") || err != nil && !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%s: the check says %v", name, err)
		}
	}
}

// Whatever the bytes, what is read of them is written the same.
func FuzzFrequent(x *testing.F) {
	f := fuzzing.New(x)
	f.Add(segment.AppendFrequent(nil, []segment.Frequent{{Ordinal: 33, DF: 70_000}, {Ordinal: 2, DF: 5000}, {Ordinal: 9, DF: 5000}}), int64(70_000), int64(2))
	f.Add([]byte{0}, int64(65_537), int64(0))
	f.Fuzz(func(t *testing.T, b []byte, docs, blocks int64) {
		docs, blocks = docs&math.MaxUint32, blocks&math.MaxUint32 // as META can say
		terms, err := segment.ParseFrequent(format.NewBuffer(b, 0), format.Counts{Docs: docs, TermBlocks: blocks})
		if err == nil && !bytes.Equal(segment.AppendFrequent(nil, terms), b) {
			t.Fatalf("%v from % x", terms, b)
		}
		for _, f := range terms {
			if docs <= 65_536 || int64(f.DF) > docs || f.Ordinal >= uint64(32*blocks) {
				t.Fatalf("%+v in %d documents, %d blocks", f, docs, blocks)
			}
		}
	})
}
