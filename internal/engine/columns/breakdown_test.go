package columns

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/engine/figures"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/segment"
)

// drawFacet draws a facet by a field, with what is within it.
func (w *world) drawFacet(t *rapid.T, top bool) (f Facet) {
	if f.All = top && rapid.IntRange(0, 5).Draw(t, "all") == 0; !f.All {
		f.Column = rapid.IntRange(0, len(w.keyword)-1).Draw(t, "column")
		f.K = rapid.SampledFrom([]int{1, 3, 10000}).Draw(t, "K")
		if !w.keyword[f.Column] {
			if rapid.Bool().Draw(t, "every") {
				f.Every = rapid.SampledFrom([]int64{1, 7, 1000}).Draw(t, "width")
				f.Shift = rapid.Int64Range(0, f.Every-1).Draw(t, "shift")
			} else {
				f.Ranges = [][2]int64{{-5, 3}, {0, 900}, {5, 4}}
			}
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "measures") {
		m := Measure{Column: rapid.IntRange(0, len(w.keyword)-1).Draw(t, "of"), Distinct: rapid.Bool().Draw(t, "distinct")}
		m.Keyword = w.keyword[m.Column]
		m.Percentiles = !m.Keyword && rapid.Bool().Draw(t, "percentiles")
		f.Measures = append(f.Measures, m)
	}
	if top && !f.All {
		for range rapid.IntRange(0, 2).Draw(t, "within") {
			f.Facets = append(f.Facets, w.drawFacet(t, false))
		}
	}
	if f.Keep = rapid.Bool().Draw(t, "keep"); !f.Deep() && top {
		f.Measures = []Measure{{Column: 0, Keyword: w.keyword[0]}}
	}
	return f
}

// Counts and figures within others are those of the documents, counted one by one, whatever the segments and tasks.
func TestBreakdowns(t *testing.T) {
	longtest.Once(t)
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		docs := w.drawMatches(t)
		f := w.drawFacet(t, true)
		var all, own Counter
		all.Reset(f, nil)
		c := &all
		apart := rapid.Bool().Draw(t, "apart")
		for n := range w.segments {
			if err := c.Begin(n, w.segments[n], w.docsOf(n)); err != nil {
				t.Fatal(err)
			}
			for b := range (w.docsOf(n) + segment.ColumnBlock - 1) / segment.ColumnBlock {
				if apart { // as tasks do
					c = &own
					c.Reset(f, nil)
					if err := c.Begin(n, w.segments[n], w.docsOf(n)); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.part(docs, n, int(b), c.Add); err != nil {
					t.Fatal(err)
				}
				if apart {
					if err := errors.Join(c.End(), all.Merge(c)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		got, err := all.Result(func(int) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if got, want := shown(&f, &got), w.shown(&f, docs); got != want {
			t.Fatalf("facet %+v\n got %s\nwant %s", f, got, want)
		}
	})
}

// shown returns counts as text.
func shown(f *Facet, c *Counts) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d missing %s", c.Missing, states(f, c.Figures))
	for i := range c.Counts {
		n := &c.Counts[i]
		fmt.Fprintf(&b, "[%s %d: %d %s", n.Keyword, n.Number, n.Docs, states(f, n.Figures))
		for k := range n.Within {
			b.WriteString(shown(&f.Facets[k], &n.Within[k]))
		}
		b.WriteString("]")
	}
	return b.String()
}

func states(f *Facet, all []figures.State) string {
	var b strings.Builder
	for i, s := range all {
		m := &f.Measures[i]
		fmt.Fprintf(&b, "{%d %d %d %v %v", s.N, s.Min, s.Max, s.Sum.Float(0), s.Bars)
		if m.Distinct {
			fmt.Fprintf(&b, " %d", s.Distinct)
		}
		if m.Distinct && f.Keep {
			fmt.Fprintf(&b, " %v %q", s.Numbers, s.Words)
		}
		b.WriteString("}")
	}
	return b.String()
}

// shown is shown of the counts of some documents, by brute force.
func (w *world) shown(f *Facet, docs []int) string {
	var b strings.Builder
	if f.All {
		return "0 missing " + w.states(f, docs)
	}
	missing := 0
	type bucket struct {
		key  any
		docs []int
	}
	var all []*bucket
	for i := range f.Ranges {
		all = append(all, &bucket{key: i})
	}
	for _, d := range docs {
		values := w.values[d][f.Column]
		if len(values) == 0 {
			missing++
		}
		var keys []any
		for _, v := range values {
			switch {
			case f.Ranges != nil:
				for i, r := range f.Ranges {
					if r[0] <= v.(int64) && v.(int64) <= r[1] {
						keys = append(keys, i)
					}
				}
			case f.Every > 0:
				every, shift, n := big.NewInt(f.Every), big.NewInt(f.Shift), big.NewInt(v.(int64))
				if n.Add(n, shift).Div(n, every).Mul(n, every).Sub(n, shift); !n.IsInt64() {
					n.SetInt64(math.MinInt64)
				}
				keys = append(keys, n.Int64())
			default:
				keys = append(keys, v)
			}
		}
		for i, k := range keys {
			if slices.Contains(keys[:i], k) {
				continue
			}
			at := slices.IndexFunc(all, func(b *bucket) bool { return b.key == k })
			if at < 0 {
				at, all = len(all), append(all, &bucket{key: k})
			}
			all[at].docs = append(all[at].docs, d)
		}
	}
	fmt.Fprintf(&b, "%d missing ", missing)
	slices.SortStableFunc(all, func(a, b *bucket) int {
		switch k := a.key.(type) {
		case string:
			return cmp.Or(cmp.Compare(len(b.docs), len(a.docs)), cmp.Compare(k, b.key.(string)))
		case int64:
			return cmp.Compare(k, b.key.(int64))
		}
		return 0
	})
	if f.keywords() {
		all = all[:min(len(all), f.K)]
	}
	for _, x := range all {
		word, number := "", int64(0)
		switch k := x.key.(type) {
		case string:
			word = k
		case int64:
			number = k
		}
		fmt.Fprintf(&b, "[%s %d: %d %s", word, number, len(x.docs), w.states(f, x.docs))
		for i := range f.Facets {
			b.WriteString(w.shown(&f.Facets[i], x.docs))
		}
		b.WriteString("]")
	}
	return b.String()
}

// states is states of some documents, by brute force.
func (w *world) states(f *Facet, docs []int) string {
	var b strings.Builder
	for _, m := range f.Measures {
		var numbers []int64
		var words []string
		sum, n := new(big.Int), 0
		for _, d := range docs {
			for _, v := range w.values[d][m.Column] {
				n++
				if m.Keyword {
					words = append(words, v.(string))
				} else {
					numbers = append(numbers, v.(int64))
					sum.Add(sum, big.NewInt(v.(int64)))
				}
			}
		}
		slices.Sort(numbers)
		slices.Sort(words)
		s := figures.State{N: uint64(n)}
		if len(numbers) > 0 {
			s.Min, s.Max = numbers[0], numbers[len(numbers)-1]
		}
		if m.Percentiles {
			for _, x := range numbers {
				one := figures.IntervalOf(x) // which tests of figures are about
				if k := len(s.Bars); k > 0 && s.Bars[k-1].Interval == one {
					s.Bars[k-1].N++
				} else {
					s.Bars = append(s.Bars, figures.Bar{Interval: one, N: 1})
				}
			}
		}
		rounded, _ := new(big.Float).SetInt(sum).Float64()
		fmt.Fprintf(&b, "{%d %d %d %v %v", s.N, s.Min, s.Max, rounded, s.Bars)
		numbers, words = slices.Compact(numbers), slices.Compact(words)
		if m.Distinct {
			fmt.Fprintf(&b, " %d", len(numbers)+len(words))
		}
		if m.Distinct && f.Keep {
			fmt.Fprintf(&b, " %v %q", numbers, words)
		}
		b.WriteString("}")
	}
	return b.String()
}
