package segtest

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// addColumn adds the column of f, field number i, to b.
func (f *FieldModel) addColumn(t TB, b *build.Builder, i int) {
	t.Helper()
	numbers, words := f.numbers()
	dictionary := func(yield func([]byte) bool) {
		for _, w := range words {
			if !yield([]byte(w)) {
				return
			}
		}
	}
	if f.Kind != schema.Keyword {
		dictionary = nil
	}
	if err := b.BeginColumn(i, dictionary); err != nil {
		t.Fatal(err)
	}
	for _, values := range numbers {
		if err := b.AddColumn(values...); err != nil {
			t.Fatal(err)
		}
	}
}

// numbers returns the numbers of each document in the column, a set, and the dictionary.
func (f *FieldModel) numbers() (numbers [][]int64, words []string) {
	numbers = make([][]int64, max(len(f.Values), len(f.Words)))
	all := map[string]bool{}
	for _, of := range f.Words {
		for _, w := range of {
			all[w] = true
		}
	}
	words = slices.Sorted(maps.Keys(all))
	for i := range numbers {
		if f.Kind == schema.Keyword {
			for _, w := range f.Words[i] {
				numbers[i] = append(numbers[i], int64(slices.Index(words, w)))
			}
		} else {
			numbers[i] = slices.Clone(f.Values[i])
		}
		slices.Sort(numbers[i])
		numbers[i] = slices.Compact(numbers[i])
	}
	return numbers, words
}

// RandomColumn makes f a column and draws its values.
func (f *FieldModel) RandomColumn(r *rand.Rand, docs int) {
	f.Column, f.Values, f.Words = true, nil, nil
	share, most := []float64{0, 0.02, 0.4, 0.9, 1, 1}[r.IntN(6)], 1+r.IntN(3)*r.IntN(2)
	width, sorted, at := r.IntN(40), r.IntN(3) == 0, int64(0)
	for range docs {
		var values []int64
		var words []string
		for n := 1 + r.IntN(most); n > 0 && r.Float64() < share; n-- {
			v := int64(r.Uint64() >> (63 - width) >> 1)
			if at += v % 9; sorted {
				v = at
			}
			values = append(values, v*3-5)
			word := string(rune('a'+v%20)) + []string{"", "-longer", "-longer-still"}[v/20%3]
			if v%64 == 0 {
				word = ""
			}
			words = append(words, word)
		}
		if f.Kind == schema.Keyword {
			f.Words = append(f.Words, words)
		} else {
			f.Values = append(f.Values, values)
		}
	}
}

// checkColumn compares the column of v with f.
func (f *FieldModel) checkColumn(t TB, v segment.FieldView, docs int) {
	t.Helper()
	c, ok, err := v.Column()
	if err != nil || ok != f.Column {
		t.Fatalf("field %q: column %t, want %t: %v", f.Name, ok, f.Column, err)
	}
	if !ok {
		return
	}
	numbers, words := f.numbers()
	f.checkInfo(t, c, numbers, words)
	for i, w := range words {
		got, err := c.Keyword([]byte("x"), int64(i))
		if err != nil || string(got) != "x"+w {
			t.Fatalf("field %q: keyword %d is %q, want %q, %v", f.Name, i, got, w, err)
		}
	}
	for _, w := range append(slices.Clone(words), "", "a-l", "b", "zz") {
		i, found := slices.BinarySearch(words, w)
		if at, is, err := c.Ordinal([]byte(w)); err != nil || is != found || at != int64(i) {
			t.Fatalf("field %q: %q is %d, %t; want %d, %t, %v", f.Name, w, at, is, i, found, err)
		}
	}
	var values segment.ColumnValues
	for b := range c.Blocks() {
		if err := c.Read(b, &values); err != nil {
			t.Fatal(err)
		}
		begin := uint32(0)
		for i, want := range numbers[b*segment.ColumnBlock : min((b+1)*segment.ColumnBlock, docs)] {
			is := []int64{}
			if values.Ends != nil {
				is, begin = values.Numbers[begin:values.Ends[i]], values.Ends[i]
			} else if has := values.Present[i/64]>>(i%64)&1 != 0; has {
				is = values.Numbers[i : i+1]
			}
			if !slices.Equal(is, want) || values.Present[i/64]>>(i%64)&1 != 0 != (len(want) > 0) {
				t.Fatalf("field %q: document %d of block %d has %d, want %d", f.Name, i, b, is, want)
			}
			if one, err := c.Append(nil, uint32(b*segment.ColumnBlock+i)); i%17 == 0 && (err != nil || !slices.Equal(one, want)) {
				t.Fatalf("field %q: document %d of block %d has %d, want %d, %v", f.Name, i, b, one, want, err)
			}
		}
		f.checkMasks(t, c, b, numbers)
	}
}

// checkInfo compares what is known of c and its blocks.
func (f *FieldModel) checkInfo(t TB, c *segment.Column, numbers [][]int64, words []string) {
	t.Helper()
	var all segment.ColumnInfo
	for b := range c.Blocks() {
		least, most, docs, values := int64(math.MaxInt64), int64(math.MinInt64), uint32(0), uint32(0)
		for _, of := range numbers[b*segment.ColumnBlock : min((b+1)*segment.ColumnBlock, len(numbers))] {
			for _, v := range of {
				least, most, values = min(least, v), max(most, v), values+1
			}
			if all.Several = all.Several || len(of) > 1; len(of) > 0 {
				docs++
			}
		}
		if is := c.Bounds(b); is.Docs != docs || is.Values != values || docs > 0 && (is.Min != least || is.Max != most) {
			t.Fatalf("field %q: block %d is %+v, want %d to %d of %d, %d", f.Name, b, is, least, most, docs, values)
		}
		if docs > 0 && all.Docs == 0 {
			all.Min, all.Max = least, most
		} else if docs > 0 {
			all.Min, all.Max = min(all.Min, least), max(all.Max, most)
		}
		all.Docs, all.Values = all.Docs+uint64(docs), all.Values+uint64(values)
	}
	all.Keywords = uint32(len(words))
	is := c.Info()
	if all.Bytes = is.Bytes; is != all {
		t.Fatalf("field %q: column is %+v, want %+v", f.Name, is, all)
	}
}

// checkMasks compares Range and In of block b with what a walk finds.
func (f *FieldModel) checkMasks(t TB, c *segment.Column, b int, numbers [][]int64) {
	t.Helper()
	of := numbers[b*segment.ColumnBlock : min((b+1)*segment.ColumnBlock, len(numbers))]
	some := []int64{math.MinInt64, 0, math.MaxInt64}
	for _, values := range of {
		if len(values) > 0 && len(some) < 9 {
			some = append(some, values[len(values)/2])
		}
	}
	slices.Sort(some)
	var got [segment.ColumnBlock / 64]uint64
	expect := func(what string, err error, is func(v int64) bool) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for i := range segment.ColumnBlock {
			want := i < len(of) && slices.ContainsFunc(of[i], is)
			if has := got[i/64]>>(i%64)&1 != 0; has != want {
				t.Fatalf("field %q, block %d: %s: document %d is %t", f.Name, b, what, i, has)
			}
		}
	}
	for i, lo := range some {
		hi := some[min(i+1+b%3, len(some)-1)]
		expect("range", c.Range(b, lo, hi, &got), func(v int64) bool { return lo <= v && v <= hi })
	}
	for _, in := range [][]int64{nil, some[:1], some[1:min(4, len(some))], some} {
		in = slices.Compact(slices.Clone(in))
		expect("in", c.In(b, in, &got), func(v int64) bool { return slices.Contains(in, v) })
	}
}
