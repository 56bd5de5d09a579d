package colblock

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// draw draws the values of the documents of a block: sorted, without equal ones.
func draw(t *rapid.T) [][]int64 {
	n := rapid.OneOf(rapid.IntRange(1, 300), rapid.SampledFrom([]int{1, 64, 127, 128, 129, 4095, 4096})).Draw(t, "documents")
	shape := rapid.SampledFrom([]string{"random", "ascending", "descending", "climbing", "equal", "steps"}).Draw(t, "shape")
	share := rapid.SampledFrom([]int{100, 100, 95, 50, 5, 0}).Draw(t, "share with a value")
	most := rapid.SampledFrom([]int{1, 1, 2, 5}).Draw(t, "most values")
	width := rapid.IntRange(0, 63).Draw(t, "width")
	base := rapid.SampledFrom([]int64{0, -5, 1_700_000_000_000, math.MinInt64, math.MaxInt64 - 1}).Draw(t, "base")
	step := rapid.SampledFrom([]int64{1, 1, 3, 1000}).Draw(t, "step")
	seed := rapid.Uint64().Draw(t, "seed")
	next := func() uint64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return seed ^ seed>>29
	}
	docs, at := make([][]int64, n), base
	for i := range docs {
		if int(next()%100) >= share {
			continue
		}
		for range 1 + next()%uint64(most) {
			v := base
			switch shape {
			case "random":
				v += step * int64(next()>>(63-width)>>1)
			case "ascending":
				at += step * int64(next()%7)
				v = at
			case "descending":
				at -= step * int64(next()%7)
				v = at
			case "climbing": // in rows of many widths
				at += int64(next() >> (64 - min(width, 50)) >> (next() % 9))
				v = at
			case "steps":
				v += step * int64(next()%5)
			}
			docs[i] = append(docs[i], v)
		}
		slices.Sort(docs[i])
		docs[i] = slices.Compact(docs[i])
	}
	return docs
}

// block returns the block of documents, opened.
func block(t *rapid.T, docs [][]int64) (*Block, []byte) {
	var x Encoder
	for _, values := range docs {
		shuffled := append(slices.Clone(values), values...) // equal ones once, in any order
		slices.Reverse(shuffled)
		x.Add(shuffled...)
	}
	b, e := x.AppendBlock([]byte("before"))
	b = b[len("before"):]
	if !e.Valid(len(docs)) || !e.Fits(len(docs), uint64(len(b))) || e.Fits(len(docs), uint64(len(b)-1)) && len(b) > 0 && (e.Form == Slots) {
		t.Fatalf("entry %+v of %d bytes", e, len(b))
	}
	if got := ParseEntry(AppendEntry(nil, &e)); got != e {
		t.Fatalf("%+v became %+v", e, got)
	}
	room := make([]byte, len(b), len(b)+64)
	copy(room, b)
	open := new(Block)
	if !open.Open(room, &e, len(docs)) {
		t.Fatalf("%+v, %d bytes", e, len(b))
	}
	return open, b
}

// pattern returns documents as bits.
func pattern(docs [][]int64, is func(values []int64) bool) (p [Words]uint64) {
	for i, values := range docs {
		if is(values) {
			p[i/64] |= 1 << (i % 64)
		}
	}
	return p
}

// What is read of a block, whole or in parts, is what was added.
func TestBlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := draw(t)
		x, b := block(t, docs)
		all := map[int64]bool{}
		count, several := 0, false
		var flat []int64
		for _, values := range docs {
			if several = several || len(values) > 1; len(values) > 0 {
				count++
			}
			flat = append(flat, values...)
			for _, v := range values {
				all[v] = true
			}
		}
		if int(x.Docs) != count || int(x.Values) != len(flat) || count > 0 && (x.Min != slices.Min(flat) || x.Max != slices.Max(flat)) {
			t.Fatalf("%+v of %v", x.Entry, docs)
		}
		got := Values{Numbers: make([]int64, 3), Ends: make([]uint32, 5)}
		for range 2 { // the second time with what the first left
			if !x.Read(&got) || got.Present != pattern(docs, func(v []int64) bool { return len(v) > 0 }) || (got.Ends != nil) != several {
				t.Fatalf("%+v: read %+v of %v", x.Entry, got, docs)
			}
			begin := uint32(0)
			for i, values := range docs {
				var is []int64
				if several {
					is, begin = got.Numbers[begin:got.Ends[i]], got.Ends[i]
				} else if is = got.Numbers[i : i+1]; len(values) == 0 {
					values = []int64{0}
				}
				if !slices.Equal(is, values) {
					t.Fatalf("%+v: document %d has %d, read %d", x.Entry, i, values, is)
				}
			}
		}
		for range min(len(docs), 40) {
			i := rapid.IntRange(0, len(docs)-1).Draw(t, "document")
			if is, ok := x.Append([]int64{7}, i); !ok || !slices.Equal(is, append([]int64{7}, docs[i]...)) {
				t.Fatalf("%+v: document %d has %d, appended %d, %v", x.Entry, i, docs[i], is, ok)
			}
		}
		some := append(slices.Sorted(maps.Keys(all)), 0, math.MinInt64, math.MaxInt64)
		limit := func(name string) int64 {
			v := rapid.SampledFrom(some).Draw(t, name)
			return v + rapid.Int64Range(-2, 2).Draw(t, name+" beside")
		}
		for range 4 {
			lo, hi := limit("lo"), limit("hi")
			want := pattern(docs, func(v []int64) bool {
				return slices.ContainsFunc(v, func(v int64) bool { return lo <= v && v <= hi })
			})
			checkRange(t, x, docs, lo, hi, &want)
		}
		checkIn(t, x, docs, some)
		var enc Encoder
		if !x.Check(b, &enc, &got) || len(b) > 0 && !x.Check(b, &enc, &got) {
			t.Fatalf("%+v of %v does not check", x.Entry, docs)
		}
		for cut := range min(len(b), 20) { // never a panic, whatever a block has
			short := new(Block)
			if short.Open(b[:cut], &x.Entry, len(docs)) && x.Form < Ascend {
				t.Fatalf("%+v: opened %d of %d bytes", x.Entry, cut, len(b))
			}
		}
	})
}

// Each block has the form that suits it, and the bytes that this takes.
func TestForms(t *testing.T) {
	for what, test := range map[string]struct {
		values func(i int) []int64
		form   Form
		width  uint8
		bytes  int
	}{
		"random":           {func(i int) []int64 { return []int64{int64(i*i%1021) - 7} }, Slots, 10, 4096 * 10 / 8},
		"equal":            {func(int) []int64 { return []int64{-9} }, Slots, 0, 0},
		"none":             {func(int) []int64 { return nil }, Slots, 0, 0},
		"half":             {func(i int) []int64 { return slices.Repeat([]int64{int64(i % 6)}, 1-i%2) }, Slots, 2, 512 + 4096*2/8},
		"a third":          {func(i int) []int64 { return slices.Repeat([]int64{int64(i % 9)}, max(0, 1-i%3)) }, Dense, 2, 512 + 1366/128*128*2/8 + 32},
		"several":          {func(i int) []int64 { return []int64{int64(i % 4), 8} }, Dense, 4, 128 + 1 + 4096/8 + 4096*2*4/8},
		"multiples":        {func(i int) []int64 { return []int64{int64(i*i%5) * 1000} }, Slots, 3, 4096 * 3 / 8},
		"ascending":        {func(i int) []int64 { return []int64{int64(i) * 5 / 3} }, Ascend, 13, 32*5 + 4096*2/8},
		"descending":       {func(i int) []int64 { return []int64{-int64(i) * 5 / 3} }, Descend, 13, 32*5 + 4096*2/8},
		"ascending by one": {func(i int) []int64 { return []int64{int64(i) << 50} }, Ascend, 12, 32*5 + 4096*1/8},
		"64 bits":          {func(i int) []int64 { return []int64{int64(uint64(i*i%4099) * 0x9e3779b97f4a7c15)} }, Slots, 64, 4096 * 8},
		"32 bits and more": {func(i int) []int64 { return []int64{int64(i*i%4099<<29 | i)} }, Slots, 42, 4096 * 42 / 8},
	} {
		var x Encoder
		for i := range Docs {
			x.Add(test.values(i)...)
		}
		b, e := x.AppendBlock(nil)
		if e.Form != test.form || e.Width != test.width || len(b) != test.bytes {
			t.Errorf("%s: form %d, %d bits, %d bytes; want %d, %d, %d", what, e.Form, e.Width, len(b), test.form, test.width, test.bytes)
		}
	}
}

func checkRange(t *rapid.T, x *Block, docs [][]int64, lo, hi int64, want *[Words]uint64) {
	first, last, all, ok := x.Limits(lo, hi)
	var got [Words]uint64
	if ok && !x.Range(first, last, &got) {
		t.Fatalf("%+v: no range %d to %d", x.Entry, first, last)
	}
	if got != *want {
		t.Fatalf("%+v: range %d to %d of %v", x.Entry, lo, hi, docs)
	}
	if all && *want != pattern(docs, func(v []int64) bool { return len(v) > 0 }) {
		t.Fatalf("%+v: not all from %d to %d", x.Entry, lo, hi)
	}
}

// Of numbers of more than 32 bits the lower parts decide where the upper ones do not: in few numbers of a row, in many,
// in rows that are not whole.
func TestWideRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.OneOf(rapid.IntRange(33, 40), rapid.IntRange(33, 64)).Draw(t, "width")
		n := rapid.SampledFrom([]int{1, 63, 128, 200, 1000, 4096}).Draw(t, "documents")
		several := rapid.IntRange(1, 2).Draw(t, "values")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		docs := make([][]int64, n)
		for i := range docs {
			for range several {
				docs[i] = append(docs[i], math.MinInt64+int64(rng.Uint64()>>(64-width)))
			}
			slices.Sort(docs[i])
			docs[i] = slices.Compact(docs[i])
		}
		x, _ := block(t, docs)
		for range 20 {
			lo := docs[rng.IntN(n)][0]
			hi := docs[rng.IntN(n)][0] + int64(rng.IntN(3)-1)
			if rng.IntN(4) == 0 { // with the same upper part
				hi = lo + int64(rng.Uint32()>>rng.IntN(32))
			}
			if hi < lo {
				lo, hi = hi, lo
			}
			want := pattern(docs, func(v []int64) bool { return slices.ContainsFunc(v, func(v int64) bool { return lo <= v && v <= hi }) })
			checkRange(t, x, docs, lo, hi, &want)
		}
	})
}

func checkIn(t *rapid.T, x *Block, docs [][]int64, some []int64) {
	if x.Docs == 0 {
		return
	}
	wanted := map[int64]bool{}
	for range rapid.IntRange(0, 30).Draw(t, "wanted") {
		wanted[rapid.SampledFrom(some).Draw(t, "in")] = true
	}
	var offs []uint64
	for v := range wanted {
		if first, _, _, ok := x.Limits(v, v); ok {
			offs = append(offs, first)
		}
	}
	slices.Sort(offs)
	var got [Words]uint64
	want := pattern(docs, func(v []int64) bool { return slices.ContainsFunc(v, func(v int64) bool { return wanted[v] }) })
	if !x.In(offs, &got) || got != want {
		t.Fatalf("%+v: %v of %v: %x, want %x", x.Entry, wanted, docs, got, want)
	}
}

// A block whose bytes or bounds are not the only ones that its values may have does not check.
func TestCheckBlock(t *testing.T) {
	var x, enc Encoder
	for i := range 300 { // in dense form: documents with and without values, some with several
		switch i % 3 {
		case 0:
			x.Add(int64(i), int64(i+5))
		case 1:
			x.Add(int64(7 * i))
		default:
			x.Add()
		}
	}
	b, e := x.AppendBlock(nil)
	counts := bitmapSize(300) + countsHead(200)
	for what, change := range map[string]func(b []byte, e *Entry){
		"":                            func([]byte, *Entry) {},
		"a bit behind the documents":  func(b []byte, _ *Entry) { b[300/8] |= 1 << 5 },
		"a document more":             func(b []byte, _ *Entry) { b[0] |= 1 << 2 },
		"the number of values before": func(b []byte, _ *Entry) { b[bitmapSize(300)+4]++ },
		"a count":                     func(b []byte, _ *Entry) { b[counts] ^= 1 },
		"bits behind the values":      func(b []byte, _ *Entry) { b[len(b)-1] |= 1 << 7 },
		"a lower minimum":             func(_ []byte, e *Entry) { e.Min-- },
		"a greater maximum":           func(_ []byte, e *Entry) { e.Max++ },
		"another form":                func(_ []byte, e *Entry) { e.Form = Slots },
		"fewer documents":             func(_ []byte, e *Entry) { e.Docs-- },
	} {
		bad, f := bytes.Clone(b), e
		change(bad, &f)
		var y Block
		if ok := f.Valid(300) && y.Open(bad, &f, 300) && y.Check(bad, &enc, new(Values)); ok != (what == "") {
			t.Errorf("%s: %t", what, ok)
		}
	}
}

// Bytes that are no block give wrong values or a refusal, never a panic.
func TestDamagedBlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := draw(t)
		x, b := block(t, docs)
		if len(b) == 0 {
			return
		}
		bad := bytes.Clone(b)
		for range rapid.IntRange(1, 5).Draw(t, "flips") {
			bad[rapid.IntRange(0, len(bad)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "by"))
		}
		var y Block
		if !y.Open(bad, &x.Entry, len(docs)) {
			return
		}
		var p [Words]uint64
		var enc Encoder
		y.Check(bad, &enc, new(Values)) // other values may have these bytes
		y.Range(0, x.Span()/2, &p)
		y.In([]uint64{0, 2, 4, 6, 8, 10}, &p)
		for i := range docs {
			y.Append(nil, i)
		}
	})
}

// A dictionary refuses what does not ascend.
func TestWords(t *testing.T) {
	var x WordWriter
	var b []byte
	for i := range 40 {
		var ok bool
		if b, ok = x.Append(b, fmt.Appendf(nil, "word%02d", i)); !ok {
			t.Fatal(i)
		}
	}
	if _, ok := x.Append(b, []byte("word39")); ok || x.Count() != 40 {
		t.Error("twice the same")
	}
	if n := len(x.AppendIndex(nil)); int64(n) != IndexSize(40) || WordBlocks(40) != 3 || WordsIn(40, 2) != 8 {
		t.Errorf("%d bytes of index", n)
	}
}

// Only the first keyword of a dictionary may be empty.
func TestEmptyWord(t *testing.T) {
	var x WordWriter
	b, ok := x.Append(nil, nil)
	if !ok || string(b) != "\x00" {
		t.Fatalf("%x, %t", b, ok)
	}
	if _, ok := x.Append(b, nil); ok {
		t.Error("twice the empty keyword")
	}
	if b, ok = x.Append(b, []byte("a")); !ok {
		t.Fatal("none behind the empty keyword")
	}
	if lcp, suffix, next := WordHead(b, 0, 0, 0); lcp != 0 || len(suffix) > 0 || next != 1 {
		t.Errorf("%d, %q, %d", lcp, suffix, next)
	}
	if _, suffix, next := WordHead(b, 0, 1, 0); string(suffix) != "a" || next != len(b) {
		t.Errorf("%q, %d", suffix, next)
	}
	for _, at := range [][2]int{{1, 0}, {0, 1}} { // block, position
		if _, _, next := WordHead([]byte{0, 0}, at[0], at[1], 0); next >= 0 {
			t.Errorf("an empty keyword at %d of block %d", at[1], at[0])
		}
	}
}

// Documents that are added many at a time, from others' blocks, make the same block as one by one.
func TestAddAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := draw(t)
		x, want := block(t, docs)
		var all Values
		if !x.Read(&all) {
			t.Fatal("cannot be read")
		}
		from := rapid.IntRange(0, len(docs)).Draw(t, "first document")
		var one, many Encoder
		for at := from; at < len(docs); {
			to := min(len(docs), at+rapid.SampledFrom([]int{1, 5, 64, 100, 4096}).Draw(t, "documents at a time"))
			if rapid.Bool().Draw(t, "one by one") {
				for _, values := range docs[at:to] {
					many.Add(values...)
				}
			} else {
				many.AddAll(&all, at, to)
			}
			at = to
		}
		for _, values := range docs[from:] {
			one.Add(values...)
		}
		if one.Docs() != many.Docs() || one.Values() != many.Values() {
			t.Fatalf("%d documents with %d values, want %d, %d", many.Docs(), many.Values(), one.Docs(), one.Values())
		}
		a, e := one.AppendBlock(nil)
		b, f := many.AppendBlock(nil)
		if e != f || !bytes.Equal(a, b) || from == 0 && !bytes.Equal(a, want) {
			t.Fatalf("%+v, want %+v", f, e)
		}
	})
}

// Dividing by multiplication gives the quotients of multiples, and tells what is none.
func TestDivisor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.OneOf(rapid.Uint64Range(1, 1000), rapid.Uint64Min(1)).Draw(t, "divisor") << rapid.IntRange(0, 8).Draw(t, "shift")
		if g == 0 {
			return
		}
		by := newDivisor(g)
		q := rapid.Uint64Max(math.MaxUint64/g).Draw(t, "quotient")
		if !by.divides(q*g) || by.quotient(q*g) != q {
			t.Fatalf("%d / %d is %d", q*g, g, by.quotient(q*g))
		}
		v := rapid.Uint64().Draw(t, "number")
		if by.divides(v) != (v%g == 0) {
			t.Fatalf("%d %% %d is %d, divides: %t", v, g, v%g, by.divides(v))
		}
	})
}
