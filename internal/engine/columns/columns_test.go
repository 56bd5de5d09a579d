package columns

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/segment"
)

// memory is a Column in memory.
type memory struct {
	docs  [][]int64 // ascending
	words [][]byte  // ascending; nil if numbers are not ordinals

	appended, read int // documents and blocks
}

func (m *memory) Blocks() int {
	return (len(m.docs) + segment.ColumnBlock - 1) / segment.ColumnBlock
}

func (m *memory) block(b int) [][]int64 {
	return m.docs[b*segment.ColumnBlock : min(len(m.docs), (b+1)*segment.ColumnBlock)]
}

func (m *memory) Info() (i segment.ColumnInfo) {
	i.Keywords = uint32(len(m.words))
	b := bound(m.docs)
	i.Docs, i.Values, i.Min, i.Max = uint64(b.Docs), uint64(b.Values), b.Min, b.Max
	return i
}

func (m *memory) Bounds(b int) segment.ColumnBounds { return bound(m.block(b)) }

func bound(docs [][]int64) (b segment.ColumnBounds) {
	b.Min, b.Max = math.MaxInt64, math.MinInt64
	for _, d := range docs {
		if len(d) > 0 {
			b.Docs++
			b.Values += uint32(len(d))
			b.Min, b.Max = min(b.Min, d[0]), max(b.Max, d[len(d)-1])
		}
	}
	switch {
	case b.Values != uint32(len(docs)) || b.Docs != b.Values:
	case slices.IsSortedFunc(docs, slices.Compare[[]int64]):
		b.Form = segment.ColumnAscend
	case slices.IsSortedFunc(docs, func(a, b []int64) int { return slices.Compare(b, a) }):
		b.Form = segment.ColumnDescend
	}
	return b
}

func (m *memory) Read(b int, dst *segment.ColumnValues) error {
	*dst = segment.ColumnValues{}
	m.read++
	docs := m.block(b)
	several := slices.ContainsFunc(docs, func(d []int64) bool { return len(d) > 1 })
	for i, d := range docs {
		if len(d) > 0 {
			dst.Present[i/64] |= 1 << (i % 64)
		}
		if several {
			dst.Numbers = append(dst.Numbers, d...)
			dst.Ends = append(dst.Ends, uint32(len(dst.Numbers)))
		} else {
			dst.Numbers = append(dst.Numbers, append(d, 0)[0])
		}
	}
	return nil
}

func (m *memory) Range(b int, lo, hi int64, dst *[64]uint64) error {
	*dst = [64]uint64{}
	for i, d := range m.block(b) {
		if slices.ContainsFunc(d, func(n int64) bool { return lo <= n && n <= hi }) {
			dst[i/64] |= 1 << (i % 64)
		}
	}
	return nil
}

func (m *memory) Append(dst []int64, doc uint32) ([]int64, error) {
	m.appended++
	return append(dst, m.docs[doc]...), nil
}

func (m *memory) Outside(int) error { return format.ErrCorrupt }

func (m *memory) Keyword(dst []byte, ordinal int64) ([]byte, error) {
	return append(dst, m.words[ordinal]...), nil
}

func (m *memory) Ordinal(keyword []byte) (int64, bool, error) {
	i, found := slices.BinarySearchFunc(m.words, keyword, bytes.Compare)
	return int64(i), found, nil
}

// world is segments with columns, and what their documents have in each, with keywords as text.
type world struct {
	segments [][]Column // by segment, then field
	bases    []uint32
	values   [][][]any // by document, then field, ascending
	keyword  []bool    // by field
}

// drawWorld draws documents. Each field has many or few different values, by chance none.
func drawWorld(t *rapid.T) *world {
	w := &world{}
	for range rapid.IntRange(1, 3).Draw(t, "fields") {
		w.keyword = append(w.keyword, rapid.Bool().Draw(t, "keyword"))
	}
	next := uint64(rapid.IntRange(1, 1<<30).Draw(t, "seed"))
	random := func(n int) int {
		next = next*6364136223846793005 + 1442695040888963407
		return int(next>>33) % n
	}
	for range rapid.IntRange(1, 3).Draw(t, "segments") {
		docs := rapid.SampledFrom([]int{1, 100, 100, 100, 4097, 9000}).Draw(t, "docs")
		base := len(w.values)
		w.bases = append(w.bases, uint32(base))
		for range docs {
			w.values = append(w.values, make([][]any, len(w.keyword)))
		}
		var columns []Column
		for f, keyword := range w.keyword {
			c := drawColumn(t, docs, keyword, random)
			if columns = append(columns, nil); c == nil {
				continue
			}
			columns[f] = c
			for d, numbers := range c.docs {
				for _, n := range numbers {
					var v any = n
					if keyword {
						v = string(c.words[n])
					}
					w.values[base+d][f] = append(w.values[base+d][f], v)
				}
			}
		}
		w.segments = append(w.segments, columns)
	}
	return w
}

func drawColumn(t *rapid.T, docs int, keyword bool, random func(int) int) *memory {
	distinct := rapid.SampledFrom([]int{0, 1, 5, 3000}).Draw(t, "distinct")
	if distinct == 0 {
		return nil
	}
	missing, several := rapid.IntRange(0, 2).Draw(t, "missing"), rapid.IntRange(0, 1).Draw(t, "several")
	order, extreme := rapid.SampledFrom([]string{"", "climbing", "falling"}).Draw(t, "order"), rapid.Bool().Draw(t, "extreme")
	c := &memory{docs: make([][]int64, docs)}
	if keyword {
		for range distinct {
			c.words = append(c.words, fmt.Appendf(nil, "w%d", random(2*distinct)))
		}
		slices.SortFunc(c.words, bytes.Compare)
		c.words = slices.CompactFunc(c.words, bytes.Equal)
		distinct = len(c.words)
	}
	for d := range c.docs {
		for range (1 + several*random(3)) * min(1, random(1+4*missing)+1-min(1, missing)) {
			n := int64(random(distinct))
			switch order {
			case "climbing":
				n = int64(d * distinct / docs)
			case "falling":
				n = int64((docs - 1 - d) * distinct / docs)
			}
			if extreme && !keyword {
				n = []int64{math.MinInt64, math.MaxInt64, n, -n}[random(4)]
			}
			c.docs[d] = append(c.docs[d], n)
		}
		slices.Sort(c.docs[d])
		c.docs[d] = slices.Compact(c.docs[d])
	}
	return c
}

// drawMatches draws some of the documents.
func (w *world) drawMatches(t *rapid.T) (docs []int) {
	step := rapid.SampledFrom([]int{1, 2, 7, 100}).Draw(t, "step")
	for d := rapid.IntRange(0, step-1).Draw(t, "from"); d < len(w.values); d += step {
		docs = append(docs, d)
	}
	return docs
}

// parts calls f with the matches in a block of a segment.
func (w *world) part(docs []int, s, block int, f func(*Part) error) error {
	lo := int(w.bases[s]) + block*segment.ColumnBlock
	hi := len(w.values)
	if s+1 < len(w.bases) {
		hi = int(w.bases[s+1])
	}
	hi = min(hi, lo+segment.ColumnBlock)
	var local []uint32
	for _, d := range docs[sort.SearchInts(docs, lo):sort.SearchInts(docs, hi)] {
		local = append(local, uint32(d)-w.bases[s])
	}
	if len(local) == 0 {
		return nil
	}
	var p Part
	p.SetDocs(local)
	return f(&p)
}

func (w *world) docsOf(s int) uint32 {
	if s+1 < len(w.bases) {
		return w.bases[s+1] - w.bases[s]
	}
	return uint32(len(w.values)) - w.bases[s]
}

func compareAny(a, b any) int {
	if x, ok := a.(string); ok {
		return cmp.Compare(x, b.(string))
	}
	return cmp.Compare(a.(int64), b.(int64))
}

// compare compares documents as they are sorted, by the values alone.
func (w *world) compare(by []SortBy, a, b int) int {
	for f, s := range by {
		x, y := w.values[a][f], w.values[b][f]
		if len(x) == 0 || len(y) == 0 {
			if c := min(len(y), 1) - min(len(x), 1); c != 0 {
				return c
			}
			continue
		}
		if c := compareAny(x[0], y[0]); !s.Desc && c != 0 {
			return c
		}
		if c := compareAny(y[len(y)-1], x[len(x)-1]); s.Desc && c != 0 {
			return c
		}
	}
	return cmp.Compare(a, b)
}

// keyOf returns the keys of a document.
func (w *world) keysOf(by []SortBy, d int) (keys []Key) {
	for f, s := range by {
		v := w.values[d][f]
		if len(v) == 0 {
			keys = append(keys, Key{Missing: true})
			continue
		}
		best := v[0]
		if s.Desc {
			best = v[len(v)-1]
		}
		if s.Keyword {
			keys = append(keys, Key{Bytes: []byte(best.(string))})
		} else {
			keys = append(keys, Key{Number: best.(int64)})
		}
	}
	return keys
}

// Documents sort as their values do, whatever blocks are skipped, by pages, and with only the best of each group.
func TestSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		docs := w.drawMatches(t)
		var by []SortBy
		for _, keyword := range w.keyword {
			by = append(by, SortBy{keyword, rapid.Bool().Draw(t, "desc")})
		}
		want := slices.Clone(docs)
		slices.SortFunc(want, func(a, b int) int { return w.compare(by, a, b) })
		o := Order{By: by, K: rapid.SampledFrom([]int{1, 3, 10, 200, 20000}).Draw(t, "K")}
		if o.Collapse = rapid.Bool().Draw(t, "collapse"); o.Collapse {
			f := len(by) - 1
			o.Keyword = w.keyword[f]
			seen := map[any]bool{}
			want = slices.DeleteFunc(want, func(d int) bool {
				v := w.values[d][f]
				if len(v) == 0 {
					return false
				}
				again := seen[v[0]]
				seen[v[0]] = true
				return again
			})
		}
		if len(docs) > 0 && rapid.Bool().Draw(t, "page") {
			d := docs[rapid.IntRange(0, len(docs)-1).Draw(t, "after")]
			o.After = &Hit{Doc: int64(d), Keys: w.keysOf(by, d)}
			want = slices.DeleteFunc(want, func(x int) bool { return w.compare(by, x, d) <= 0 })
		}
		want = want[:min(len(want), o.K)]
		var all Ranking
		all.Reset(o)
		r := &all
		var s Sorter
		apart := rapid.Bool().Draw(t, "apart")
		for n := range w.segments {
			if apart { // as tasks do
				own := o
				own.Limit = all.Limit()
				r = new(Ranking)
				r.Reset(own)
			}
			fields := w.segments[n]
			if o.Collapse {
				fields = append(slices.Clone(fields), fields[len(fields)-1])
			}
			if err := s.Begin(r, w.bases[n], w.docsOf(n), fields); err != nil {
				t.Fatal(err)
			}
			for _, b := range s.Blocks(nil, 0, w.docsOf(n)) {
				if !s.SkipsAll() && !s.Skips(b) {
					if err := w.part(docs, n, b, s.Add); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := s.End(); err != nil {
				t.Fatal(err)
			}
			if apart {
				all.Merge(r)
			}
		}
		hits := all.Hits()
		if len(hits) != len(want) {
			t.Fatalf("%d hits, want %d", len(hits), len(want))
		}
		for i, h := range hits {
			keys := w.keysOf(by, want[i])
			if int(h.Doc) != want[i] || !slices.EqualFunc(h.Keys, keys, func(a, b Key) bool {
				return a.Missing == b.Missing && a.Number == b.Number && bytes.Equal(a.Bytes, b.Bytes)
			}) {
				t.Fatalf("hit %d is %d %v, want %d %v", i, h.Doc, h.Keys, want[i], keys)
			}
		}
	})
}

// Counts are those of the values, counted one by one.
func TestCounts(t *testing.T) {
	longtest.Once(t)
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		docs := w.drawMatches(t)
		f := Facet{K: rapid.SampledFrom([]int{1, 3, 10, 10000}).Draw(t, "K")}
		if !w.keyword[0] {
			if rapid.Bool().Draw(t, "every") {
				f.Every = rapid.SampledFrom([]int64{1, 7, 1000, math.MaxInt64}).Draw(t, "width")
				f.Shift = rapid.Int64Range(0, f.Every-1).Draw(t, "shift")
			} else {
				bound := rapid.SampledFrom([]int64{math.MinInt64, -5, 0, 3, 900, math.MaxInt64})
				for range rapid.IntRange(1, 3).Draw(t, "ranges") {
					f.Ranges = append(f.Ranges, [2]int64{bound.Draw(t, "from"), bound.Draw(t, "to")})
				}
			}
		}
		var all, own Counter
		all.Reset(f, nil)
		c := &all
		apart := rapid.Bool().Draw(t, "apart")
		for n := range w.segments {
			if err := c.Begin(n, w.segments[n][:1], w.docsOf(n)); err != nil {
				t.Fatal(err)
			}
			for b := range (w.docsOf(n) + segment.ColumnBlock - 1) / segment.ColumnBlock {
				if apart { // as tasks do
					c = &own
					c.Reset(f, nil)
					if err := c.Begin(n, w.segments[n][:1], w.docsOf(n)); err != nil {
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
			if !apart {
				if err := c.End(); err != nil {
					t.Fatal(err)
				}
			}
		}
		got, err := all.Result(func(int) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if want := w.counts(docs, f); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("facet %+v\n got %v\nwant %v", f, got, want)
		}
	})
}

// counts counts documents by what they have in the first field.
func (w *world) counts(docs []int, f Facet) (r Counts) {
	byKey := map[any]uint64{}
	ranges := make([]uint64, len(f.Ranges))
	for _, d := range docs {
		values := w.values[d][0]
		if len(values) == 0 {
			r.Missing++
		}
		keys := map[any]bool{}
		for _, v := range values {
			if n, ok := v.(int64); ok && f.Every > 0 {
				every, shift := big.NewInt(f.Every), big.NewInt(f.Shift)
				b := big.NewInt(n)
				b.Add(b, shift).Div(b, every).Mul(b, every).Sub(b, shift) // Div rounds down for a positive divisor
				v = int64(math.MinInt64)
				if b.IsInt64() {
					v = b.Int64()
				}
			}
			keys[v] = true
		}
		for k := range keys {
			byKey[k]++
		}
		for i, x := range f.Ranges {
			if slices.ContainsFunc(values, func(v any) bool { return x[0] <= v.(int64) && v.(int64) <= x[1] }) {
				ranges[i]++
			}
		}
	}
	if f.Ranges != nil {
		for _, n := range ranges {
			r.Counts = append(r.Counts, Count{Docs: n})
		}
		return r
	}
	for k, n := range byKey {
		c := Count{Docs: n}
		if word, ok := k.(string); ok {
			c.Keyword = []byte(word)
		} else {
			c.Number = k.(int64)
		}
		r.Counts = append(r.Counts, c)
	}
	slices.SortFunc(r.Counts, func(a, b Count) int {
		if f.Every > 0 {
			return cmp.Compare(a.Number, b.Number)
		}
		return cmp.Or(cmp.Compare(b.Docs, a.Docs), bytes.Compare(a.Keyword, b.Keyword))
	})
	if f.Every == 0 {
		r.Counts = r.Counts[:min(len(r.Counts), f.K)]
	}
	return r
}
