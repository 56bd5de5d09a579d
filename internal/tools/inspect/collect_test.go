package inspect_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// collection is random documents, and what a count by hand finds in them.
type collection struct {
	docs  []map[string]int
	terms map[string][][2]int // term: (document, frequency) ascending
	cut   int                 // documents of the first segment
}

func newCollection() *collection {
	rng := rand.New(rand.NewPCG(1, 2))
	c := &collection{terms: map[string][][2]int{}, cut: 700}
	for d := range 1500 {
		words := map[string]int{}
		for range 1 + rng.IntN(40) {
			words[fmt.Sprintf("w%d", int(rng.ExpFloat64()*60))] += 1 + rng.IntN(2)
		}
		c.docs = append(c.docs, words)
		for w, n := range words {
			c.terms[w] = append(c.terms[w], [2]int{d, n})
		}
	}
	return c
}

func (c *collection) write(t *testing.T, docs, freqs codec.Codec) []*segment.Segment {
	t.Helper()
	dir, ctx := t.TempDir(), context.Background()
	w, err := writer.Open(ctx, dir, writer.Options{Schema: schema.Implicit("simple", "", false), DocsCodec: codec.Name(docs), FreqsCodec: codec.Name(freqs), MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	for d, words := range c.docs {
		if d == c.cut {
			if err := w.Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
		var text []string
		for word, n := range words {
			for range n {
				text = append(text, word)
			}
		}
		if err := w.Add(ctx, writer.Text(fmt.Append(nil, d), []byte(strings.Join(text, " ")))); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := indexdir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	commit, err := s.Latest()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(commit.Release)
	var segs []*segment.Segment
	for i := range commit.Segments {
		seg, data, err := commit.OpenSegment(i)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { data.Close() })
		segs = append(segs, seg)
	}
	if len(segs) != 2 {
		t.Fatalf("%d segments", len(segs))
	}
	return segs
}

// values returns what each histogram of a sample of everything must count.
func (c *collection) values() map[string][]uint64 {
	out := map[string][]uint64{}
	for _, words := range c.docs {
		n := 0
		for _, f := range words {
			n += f
		}
		out["lengths"] = append(out["lengths"], uint64(n))
	}
	for _, list := range c.terms {
		out["df"] = append(out["df"], uint64(len(list)))
		prev := -1
		for _, p := range list {
			if p[0] >= c.cut && prev < c.cut-1 {
				prev = c.cut - 1 // docIDs of the second segment begin at 0
			}
			out["gaps"] = append(out["gaps"], uint64(p[0]-prev))
			out["frequencies"] = append(out["frequencies"], uint64(p[1]))
			prev = p[0]
		}
	}
	return out
}

func TestCollect(t *testing.T) {
	c := newCollection()
	segs := c.write(t, nil, nil)
	blocks := 0
	st, err := inspect.Collect(context.Background(), segs, inspect.Options{Blocks: 1 << 30, Seed: 1, Top: 3,
		Run: func([]byte, int, *segment.List, int) error { blocks++; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	want := c.values()
	if st.Terms != uint64(len(c.terms)) || st.Postings != uint64(len(want["gaps"])) {
		t.Errorf("%d terms, %d postings, want %d, %d", st.Terms, st.Postings, len(c.terms), len(want["gaps"]))
	}
	if st.Sample.Postings != st.Postings || st.Sample.Step != 1 || st.Sample.Blocks != blocks {
		t.Errorf("sample %+v, %d blocks seen", st.Sample, blocks)
	}
	checked := 0
	for _, h := range st.Histograms {
		if v, ok := want[h.Name]; ok {
			checked++
			compare(t, h, v)
		}
	}
	if checked != len(want) {
		t.Errorf("%d histograms checked, want %d", checked, len(want))
	}
	longest := 0
	for _, list := range c.terms {
		first, _ := slices.BinarySearchFunc(list, c.cut, func(p [2]int, cut int) int { return p[0] - cut })
		longest = max(longest, first, len(list)-first)
	}
	if len(st.Top) != 3 || int(st.Top[0].Entry.DF) != longest || st.Top[1].Entry.DF > st.Top[0].Entry.DF {
		t.Errorf("top %v, the longest list has %d postings", st.Top, longest)
	}
	sum, files := int64(0), int64(0)
	for _, s := range st.All.Sections {
		sum += s.Bytes
	}
	for _, s := range segs {
		files += s.Header().FileLen
	}
	if sum != files || st.All.Bytes != files {
		t.Errorf("sections sum to %d of %d, files to %d", sum, st.All.Bytes, files)
	}
}

// compare compares a histogram with its values.
func compare(t *testing.T, h *inspect.Histogram, values []uint64) {
	t.Helper()
	slices.Sort(values)
	sum, binned := uint64(0), uint64(0)
	for _, v := range values {
		sum += v
	}
	for _, b := range h.Bins {
		lo, _ := slices.BinarySearch(values, b.From)
		hi, _ := slices.BinarySearch(values, b.To+1)
		if int(b.Count) != hi-lo {
			t.Errorf("%s: bin %d-%d has %d values, want %d", h.Name, b.From, b.To, b.Count, hi-lo)
		}
		binned += b.Sum
	}
	n := len(values)
	if int(h.Count) != n || h.Min != values[0] || h.Max != values[n-1] || binned != sum || h.Mean != float64(sum)/float64(n) {
		t.Errorf("%s: %+v, want %d values from %d to %d with the sum %d", h.Name, *h, n, values[0], values[n-1], sum)
	}
	for _, q := range h.Quantiles {
		v := float64(values[min(n-1, int(q.Share*float64(n)))])
		if got := float64(q.Value); got < 0.98*v-1 || got > 1.02*v+1 {
			t.Errorf("%s: quantile %v is %v, want %v", h.Name, q.Share, got, v)
		}
	}
}

// TestSampleSize checks that a small sample has about as many blocks as asked for.
func TestSampleSize(t *testing.T) {
	segs := newCollection().write(t, nil, nil)
	for seed := range uint64(5) {
		st, err := inspect.Collect(context.Background(), segs, inspect.Options{Blocks: 40, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if n := st.Sample.Blocks; n < 30 || n > 42 {
			t.Errorf("seed %d: %d blocks", seed, n)
		}
	}
}

// TestBlockWidths compares the widths and exceptions of blocks with those that their
// values need.
func TestBlockWidths(t *testing.T) {
	c := newCollection()
	for _, name := range []string{"bp128", "newpfd", "parapfor", "bp256"} {
		x, _ := registry.ByName(name)
		segs := c.write(t, x, x)
		checked := 0
		_, err := inspect.Collect(context.Background(), segs, inspect.Options{Blocks: 1 << 30,
			Run: func(_ []byte, _ int, l *segment.List, block int) error {
				if l.Kind != segment.KindExtent {
					return nil
				}
				checked++
				freqs := make([]uint32, l.BlockLen)
				n, err := l.DecodeFreqs(freqs, block, 1)
				if err != nil {
					return err
				}
				b, err := inspect.PackingOf(l.FreqsCodec, &l.Freqs, block)
				if err != nil {
					return err
				}
				above := 0
				for _, f := range freqs[:n] {
					if uint64(f-1)>>int(b.Width) != 0 {
						above++
					}
				}
				if b.Values != n || above != max(b.Exceptions, 0) {
					t.Errorf("%s: block %+v of %d values, %d of them wider", name, b, n, above)
				}
				return nil
			}})
		if err != nil || checked == 0 {
			t.Errorf("%s: %d blocks checked: %v", name, checked, err)
		}
	}
}

// TestDamage checks that Collect goes on behind damage if it may, and stops otherwise.
func TestDamage(t *testing.T) {
	segs := newCollection().write(t, nil, nil)
	good := segs[1]
	sec, _ := segs[0].Header().Section(format.SectionTerms)
	b := segment.Aligned(slices.Clone(segs[0].Data().(interface{ Mapped() []byte }).Mapped()))
	b[sec.Offset+10] ^= 1
	bad, err := segment.Open("bad", segment.Bytes(b))
	if err != nil {
		t.Fatal(err)
	}
	_, err = inspect.Collect(context.Background(), []*segment.Segment{bad, good}, inspect.Options{Blocks: 10})
	if !errors.Is(err, format.ErrCorrupt) {
		t.Errorf("damage gave %v", err)
	}
	var damage []error
	st, err := inspect.Collect(context.Background(), []*segment.Segment{bad, good}, inspect.Options{Blocks: 10,
		Damaged: func(err error) { damage = append(damage, err) }})
	if err != nil || len(damage) != 1 || !errors.Is(damage[0], format.ErrCorrupt) {
		t.Fatalf("%v, damage %v", err, damage)
	}
	if st.Postings < good.Meta().Postings {
		t.Errorf("%d postings, the sound segment has %d", st.Postings, good.Meta().Postings)
	}
}
