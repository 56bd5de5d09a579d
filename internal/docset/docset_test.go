package docset

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Every question to a set has the answer of a map of its members, in every form.
func TestSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 700).Draw(t, "limit")
		in := make([]bool, limit)
		switch rapid.IntRange(0, 3).Draw(t, "form") {
		case 0:
			lo := rapid.IntRange(0, limit).Draw(t, "lo")
			for d := lo; d < rapid.IntRange(lo, limit).Draw(t, "hi"); d++ {
				in[d] = true
			}
		case 1:
			for range rapid.IntRange(0, 4).Draw(t, "few") {
				in[rapid.IntRange(0, limit-1).Draw(t, "doc")] = true
			}
		default:
			seed := rapid.Uint64().Draw(t, "seed")
			for d := range in {
				seed = seed*6364136223846793005 + 1442695040888963407
				in[d] = seed>>62 != 0
			}
		}
		var docs []uint32
		words := make([]uint64, (limit+63)/64)
		for d, is := range in {
			if is {
				docs = append(docs, uint32(d))
				words[d/64] |= 1 << (d % 64)
			}
		}
		check(t, FromDocs(slices.Clone(docs)), in, docs)
		check(t, FromWords(words), in, docs)
		if n := len(docs); n > 0 && int(docs[n-1]-docs[0]) == n-1 {
			check(t, Range(docs[0], docs[n-1]+1), in, docs)
		}
	})
}

func check(t *rapid.T, s *Set, in []bool, docs []uint32) {
	if int(s.Len()) != len(docs) {
		t.Fatalf("%d members, want %v", s.Len(), docs)
	}
	is := func(d int) bool { return d < len(in) && in[d] }
	lo, hi := s.Bounds()
	for d := range len(in) + 70 {
		if s.Contains(uint32(d)) != is(d) || is(d) && (uint32(d) < lo || uint32(d) >= hi) {
			t.Fatalf("Contains(%d) is %v", d, !is(d))
		}
		want := End
		if i := slices.IndexFunc(docs, func(x uint32) bool { return x >= uint32(d) }); i >= 0 {
			want = docs[i]
		}
		if got := s.Next(uint32(d)); got != want {
			t.Fatalf("Next(%d) is %d, want %d", d, got, want)
		}
	}
	from := uint32(rapid.IntRange(0, len(in)+70).Draw(t, "from"))
	to := uint32(rapid.IntRange(0, len(in)+70).Draw(t, "to"))
	var within []uint32
	for _, d := range docs {
		if d >= from && d < to {
			within = append(within, d)
		}
	}
	if n := s.Count(from, to); int(n) != len(within) {
		t.Fatalf("Count(%d, %d) is %d, want %d", from, to, n, len(within))
	}
	if whole := s.Whole(from, to); whole != (len(within) == int(max(to, from)-from)) {
		t.Fatalf("Whole(%d, %d) is %v", from, to, whole)
	}
	if got := s.AppendDocs(nil, from, to); !slices.Equal(got, within) {
		t.Fatalf("AppendDocs(%d, %d): %v, want %v", from, to, got, within)
	}
	checkWords(t, s, is)
	var some []uint32
	for d := range len(in) + 70 {
		if rapid.IntRange(0, 3).Draw(t, "some") == 0 {
			some = append(some, uint32(d))
		}
	}
	for _, not := range []bool{false, true} {
		var want []uint32
		for _, d := range some {
			if is(int(d)) != not {
				want = append(want, d)
			}
		}
		if got := s.Keep(slices.Clone(some), not); !slices.Equal(got, want) {
			t.Fatalf("Keep(%v, %v): %v, want %v", some, not, got, want)
		}
	}
}

func checkWords(t *rapid.T, s *Set, is func(int) bool) {
	lo := 64 * rapid.IntRange(0, 12).Draw(t, "word")
	words := rapid.SliceOfN(rapid.Uint64(), 0, 6).Draw(t, "words")
	or, and := slices.Clone(words), slices.Clone(words)
	s.Or(or, uint32(lo))
	s.And(and, uint32(lo))
	for i := range 64 * len(words) {
		had := words[i/64]>>(i%64)&1 != 0
		if is := is(lo + i); or[i/64]>>(i%64)&1 != 0 != (had || is) || and[i/64]>>(i%64)&1 != 0 != (had && is) {
			t.Fatalf("from %d, document %d: or %x, and %x of %x", lo, lo+i, or, and, words)
		}
	}
}
