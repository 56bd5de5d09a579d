package filter_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

var columns = &schema.Schema{Fields: []schema.Field{
	{Name: "n", Kind: schema.Integer, Column: true},
	{Name: "sorted", Kind: schema.Time, Unit: schema.UnitSecond, Column: true},
	{Name: "x", Kind: schema.Float, Column: true},
	{Name: "word", Kind: schema.Keyword, Index: schema.IndexNone, Column: true},
	{Name: "none", Kind: schema.Integer, Column: true},
}}

// record has what a document has in columns.
type record struct {
	n      []int64
	sorted int64 // seconds
	x      []float64
	words  []string
}

func draw(rng *rand.Rand, i int) (r record) {
	r.sorted = int64(1e9 + 2*i)
	if i < 5000 || rng.IntN(3) > 0 {
		for range 1 + rng.IntN(2) {
			r.n = append(r.n, rng.Int64N(100))
		}
	}
	if i > 4100 {
		r.x = append(r.x, float64(rng.IntN(50))-25.5)
	}
	for range rng.IntN(3) {
		r.words = append(r.words, fmt.Sprint("w", rng.IntN(30)))
	}
	return r
}

func (r *record) values() (all []schema.Value) {
	for _, n := range r.n {
		all = append(all, schema.IntegerValue(0, n))
	}
	all = append(all, schema.TimeValue(1, time.Unix(r.sorted, 999)))
	for _, x := range r.x {
		all = append(all, schema.FloatValue(2, x))
	}
	for _, w := range r.words {
		all = append(all, schema.KeywordValue(3, []byte(w)))
	}
	return all
}

// index is an index of records, with ids from 0.
func index(t *testing.T, dir string, records []record) (*writer.Writer, *reader.Index) {
	t.Helper()
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: columns, MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	for i := range records {
		if err := w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: records[i].values()}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return w, x
}

// first returns the first segment of the newest commit, and the schema.
func first(t *testing.T, x *reader.Index) (*segment.Segment, *schema.Schema) {
	t.Helper()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.Segments()[0].Views(), s.Schema()
}

func compile(t *testing.T, s *schema.Schema, f filter.Filter) *filter.Compiled {
	t.Helper()
	c, err := filter.Compile(s, f)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Filters are passed by the documents that have such values, over blocks where the bounds say it and where they do not.
func TestEval(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 36))
	records := make([]record, 9000)
	for i := range records {
		records[i] = draw(rng, i)
	}
	_, x := index(t, t.TempDir(), records)
	seg, s := first(t, x)
	type test = func(r *record) bool
	some := func(rng *rand.Rand) (string, test) {
		a, b := rng.Int64N(110)-5, rng.Int64N(110)-5
		v, w := float64(rng.IntN(50))-25.5, float64(rng.IntN(50))-25.5
		from, to := int64(1e9)+rng.Int64N(18000), int64(1e9)+rng.Int64N(18000)
		p, q := fmt.Sprint("w", rng.IntN(33)), fmt.Sprint("w", rng.IntN(33))
		switch rng.IntN(13) {
		case 0:
			return fmt.Sprintf("n %d..%d", a, b), func(r *record) bool {
				return slices.ContainsFunc(r.n, func(n int64) bool { return n >= a && n <= b })
			}
		case 1:
			return fmt.Sprintf("n in (%d, %d, %d)", a, b, a+1), func(r *record) bool {
				return slices.Contains(r.n, a) || slices.Contains(r.n, b) || slices.Contains(r.n, a+1)
			}
		case 2:
			return fmt.Sprintf("sorted %d<..<%d", from, to), func(r *record) bool { return r.sorted > from && r.sorted < to }
		case 3:
			return fmt.Sprintf("sorted >= %d", from), func(r *record) bool { return r.sorted >= from }
		case 4:
			return fmt.Sprintf("x %v..<%v", v, w), func(r *record) bool {
				return slices.ContainsFunc(r.x, func(x float64) bool { return x >= v && x < w })
			}
		case 5:
			return fmt.Sprintf("x <= %v", v), func(r *record) bool {
				return slices.ContainsFunc(r.x, func(x float64) bool { return x <= v })
			}
		case 6:
			return fmt.Sprintf("word in (%s, %s)", p, q), func(r *record) bool { return slices.Contains(r.words, p) || slices.Contains(r.words, q) }
		case 7:
			return fmt.Sprintf("word %s<..%s", p, q), func(r *record) bool {
				return slices.ContainsFunc(r.words, func(s string) bool { return s > p && s <= q })
			}
		case 8:
			return "exists(word)", func(r *record) bool { return len(r.words) > 0 }
		case 9:
			return "exists(x)", func(r *record) bool { return len(r.x) > 0 }
		case 10:
			return "exists(none)", func(*record) bool { return false }
		case 11:
			return "exists(sorted)", func(*record) bool { return true }
		}
		i := rng.IntN(9100)
		return fmt.Sprintf("ids(%d, nosuch)", i), func(r *record) bool { return i < len(records) && r == &records[i] }
	}
	var tree func(depth int) (string, test)
	tree = func(depth int) (string, test) {
		kind := rng.IntN(6)
		if depth == 0 || kind > 3 {
			return some(rng)
		}
		a, isA := tree(depth - 1)
		if kind == 0 {
			return "not (" + a + ")", func(r *record) bool { return !isA(r) }
		}
		b, isB := tree(depth - 1)
		if kind == 1 {
			return "(" + a + " or " + b + ")", func(r *record) bool { return isA(r) || isB(r) }
		}
		return "(" + a + " and " + b + ")", func(r *record) bool { return isA(r) && isB(r) }
	}
	for range 600 {
		text, is := tree(rng.IntN(4))
		f, err := filter.Parse(s, text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := compile(t, s, f).Eval(seg)
		if err != nil {
			t.Fatal(err)
		}
		for i := range records {
			if got.Contains(uint32(i)) != is(&records[i]) {
				t.Fatalf("%s: document %d, %+v: %v", text, i, records[i], !is(&records[i]))
			}
		}
	}
}

// Sets stay with a segment as long as it is open, whatever happens to the index, up to so many bytes.
func TestCached(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 36))
	records := make([]record, 500)
	for i := range records {
		records[i] = draw(rng, i)
	}
	w, x := index(t, t.TempDir(), records)
	seg, s := first(t, x)
	cached := func(seg *segment.Segment, text string, bytes uint64) *docset.Set {
		t.Helper()
		f, err := filter.Parse(s, text)
		if err != nil {
			t.Fatal(err)
		}
		set, err := compile(t, s, f).Cached(seg, bytes)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	const room = 1 << 10 // for some, but not for 20
	one := cached(seg, "n < 50", room)
	if cached(seg, "not n > 49 and exists(n)", room) == one {
		t.Error("filters that say different things share a set")
	}
	if cached(seg, "n < 50 and *", room) != one {
		t.Error("a filter said in another way is evaluated again")
	}
	if err := w.Delete(t.Context(), []byte("3")); err != nil {
		t.Fatal(err)
	}
	more := records[0]
	if err := w.Add(t.Context(), writer.Doc{ID: []byte("more"), Values: more.values()}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, _ := first(t, x)
	if cached(again, "n < 50", room) != one {
		t.Error("a commit that deletes a document of the segment makes sets void")
	}
	for i := range 20 {
		cached(again, fmt.Sprintf("n < %d", i), room)
		if i%2 == 0 && cached(again, "n < 50", room) != one {
			t.Fatal("a set that is in use was dropped")
		}
	}
	for i := range 20 {
		cached(again, fmt.Sprintf("n < %d", 60+i), room)
	}
	if cached(again, "n < 50", room) == one {
		t.Error("sets are kept beyond their room")
	}
	if set := cached(again, "n = 7", 0); set == cached(again, "n = 7", 0) {
		t.Error("a set is kept without room")
	}
}
