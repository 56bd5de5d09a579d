package order

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// lists is a collection in memory.
type lists [][]uint32

func (l lists) all() Lists {
	return func(yield func([]uint32, error) bool) {
		for _, docs := range l {
			if !yield(slices.Clone(docs), nil) {
				return
			}
		}
	}
}

// topics makes documents of several topics, in random order: most terms of a
// document belong to its topic. It also returns the topic of every document.
func topics(docs, topics, words int, seed uint64) (lists, []int) {
	r := rand.New(rand.NewPCG(seed, 1))
	l := make(lists, topics*words+words)
	topic := make([]int, docs)
	for d := range docs {
		topic[d] = r.IntN(topics)
		for w := range words {
			if r.IntN(3) == 0 {
				t := topic[d]*words + w
				l[t] = append(l[t], uint32(d))
			}
			if r.IntN(5) == 0 { // words that all topics share
				t := topics*words + w
				l[t] = append(l[t], uint32(d))
			}
		}
	}
	return l, topic
}

func genLists(t *rapid.T) (lists, uint32) {
	docs := rapid.Uint32Range(0, 300).Draw(t, "docs")
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	l := make(lists, rapid.IntRange(0, 60).Draw(t, "terms"))
	for i := range l {
		density := r.Float64()
		for d := range docs {
			if r.Float64() < density*density*density {
				l[i] = append(l[i], d)
			}
		}
	}
	return l, docs
}

func mustBisect(t interface{ Fatal(...any) }, docs uint32, l lists, o Options) Permutation {
	p, err := Bisect(context.Background(), docs, l.all(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestBisectIsPermutation checks that every document gets one docID, the same for
// any number of goroutines.
func TestBisectIsPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, docs := genLists(t)
		o := Options{
			Threads:    1,
			MinDF:      rapid.Uint32Range(1, 5).Draw(t, "minDF"),
			Iterations: rapid.IntRange(1, 20).Draw(t, "iterations"),
			Leaf:       rapid.IntRange(1, 40).Draw(t, "leaf"),
		}
		p := mustBisect(t, docs, l, o)
		if len(p) != int(docs) {
			t.Fatalf("%d docIDs for %d documents", len(p), docs)
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		o.Threads = rapid.IntRange(2, 9).Draw(t, "threads")
		if q := mustBisect(t, docs, l, o); !slices.Equal(p, q) {
			t.Fatalf("%d goroutines give another order than one", o.Threads)
		}
	})
}

// TestBisectFindsTopics checks that gaps become much shorter and that documents of
// a topic end up together.
func TestBisectFindsTopics(t *testing.T) {
	const docs = 4000
	l, topic := topics(docs, 8, 200, 3)
	before, err := Cost(l.all(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var last Permutation
	for _, threads := range []int{1, 2, 5} {
		p := mustBisect(t, docs, l, Options{Threads: threads})
		if last != nil && !slices.Equal(p, last) {
			t.Fatalf("%d goroutines give another order", threads)
		}
		last = p
	}
	after, err := Cost(l.all(), last)
	if err != nil {
		t.Fatal(err)
	}
	if after > 0.65*before {
		t.Errorf("gaps have %.0f bits in input order and %.0f afterwards", before, after)
	}
	changes := 0
	at := last.Inverse()
	for i := range docs - 1 {
		if topic[at[i]] != topic[at[i+1]] {
			changes++
		}
	}
	if changes > docs/20 {
		t.Errorf("neighbours of different topics: %d of %d", changes, docs)
	}
}

// TestBisectKeepsGoodOrder checks that an order that cannot be improved stays.
func TestBisectKeepsGoodOrder(t *testing.T) {
	l := lists{{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}}
	p := mustBisect(t, 8, l, Options{Leaf: 1})
	if !slices.Equal(p, Permutation{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Errorf("order %v", p)
	}
}

func TestBisectErrors(t *testing.T) {
	broken := errors.New("broken")
	for name, l := range map[string]Lists{
		"error":      func(yield func([]uint32, error) bool) { yield(nil, broken) },
		"range":      lists{{0, 1, 9}}.all(),
		"descending": lists{{0, 2, 1}}.all(),
		"twice":      lists{{0, 1, 1}}.all(),
	} {
		if p, err := Bisect(t.Context(), 9, l, Options{}); err == nil {
			t.Errorf("%s: order %v without an error", name, p)
		}
	}
	calls := 0
	changing := func(yield func([]uint32, error) bool) {
		calls++
		yield(make([]uint32, 2-calls%2)[:0:0], nil)
		yield([]uint32{0, uint32(calls), 5}[calls-1:], nil)
	}
	if _, err := Bisect(t.Context(), 9, changing, Options{}); err == nil {
		t.Error("lists that change between readings: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Bisect(ctx, 9, lists{{0, 1}}.all(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := Cost(lists{{0, 7}}.all(), Permutation{0}); err == nil {
		t.Error("Cost with a permutation that is too short: no error")
	}
}

func TestProgress(t *testing.T) {
	l, _ := topics(4000, 4, 50, 1)
	calls, last, before := 0, uint64(0), uint64(0)
	mustBisect(t, 4000, l, Options{Threads: 2, Progress: func(done, total uint64) {
		calls++
		if done > total || done < before {
			t.Errorf("%d of %d after %d", done, total, before)
		}
		last, before = total, done
	}})
	if calls < 2 || before != last || last != 4000*uint64(levels(4000, DefaultLeaf)) {
		t.Errorf("%d calls, total %d", calls, last)
	}
}

func TestShuffle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, seed := rapid.Uint32Range(0, 1000).Draw(t, "docs"), rapid.Uint64().Draw(t, "seed")
		p := Shuffle(n, seed)
		if err := p.Check(); err != nil || len(p) != int(n) {
			t.Fatalf("%d docIDs: %v", len(p), err)
		}
		if !slices.Equal(p, Shuffle(n, seed)) {
			t.Fatal("the same seed gives another order")
		}
		if q := Shuffle(n, seed+1); n > 20 && slices.Equal(p, q) {
			t.Fatal("another seed gives the same order")
		}
		inverse := p.Inverse()
		for doc, to := range p {
			if inverse[to] != uint32(doc) {
				t.Fatalf("inverse of %d", doc)
			}
		}
	})
	// An index built with a given seed depends on this order.
	if p := Shuffle(8, 1); !slices.Equal(p, Permutation{0, 2, 1, 7, 4, 6, 5, 3}) {
		t.Errorf("seed 1: %v", p)
	}
}

func TestCheck(t *testing.T) {
	for _, p := range []Permutation{{1}, {0, 0}, {0, 2}, {1, 2, 1}} {
		if p.Check() == nil {
			t.Errorf("%v passes", p)
		}
	}
}

func TestNth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := make([]int32, rapid.SampledFrom([]int{1, 2, 16, 17, 100, 3000}).Draw(t, "n"))
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		spread := rapid.Uint32Range(1, math.MaxUint32).Draw(t, "spread")
		for i := range s {
			s[i] = int32(r.Uint32N(spread) + math.MaxUint32/2)
		}
		n := rapid.IntRange(0, len(s)-1).Draw(t, "position")
		want := slices.Sorted(slices.Values(s))[n]
		if got := nth(s, n); got != want {
			t.Fatalf("%d is at position %d, want %d", got, n, want)
		}
	})
}

// TestGapTable compares sums of the table with the function whose differences it
// holds.
func TestGapTable(t *testing.T) {
	table := newGapTable(1 << 20)
	sum := 0.0
	for d := range uint32(200_000) {
		sum += float64(table.at(d)) / (1 << fraction)
		want := float64(d) * math.Log2(float64(d)+1)
		if math.Abs(sum-want) > 1e-3*(1+want) {
			t.Fatalf("F(%d) = %g, want %g", d, sum, want)
		}
	}
	if s := gapStep(1 << 31); s <= 0 {
		t.Errorf("step of 1<<31 is %d", s)
	}
}
