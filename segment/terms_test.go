package segment_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// termsModel draws a segment of singletons whose terms share long prefixes.
func termsModel(t *rapid.T) *segtest.Model {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 11))
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 3)}
	m.IDs = []string{"1", "2", "3"}
	stem := strings.Repeat("s", rapid.SampledFrom([]int{0, 5, 7, 8, 14, 15, 16, 300}).Draw(t, "stem"))
	alphabet := "a\x00\x7f\x80\xffb"
	for range rapid.IntRange(0, 300).Draw(t, "terms") {
		var b strings.Builder
		if r.IntN(8) > 0 {
			b.WriteString(stem)
		}
		for range r.IntN([]int{2, 12, 40}[r.IntN(3)]) + 1 {
			b.WriteByte(alphabet[r.IntN(2+r.IntN(5))])
		}
		if m.Lists[b.String()] == nil {
			m.AddList(b.String(), segtest.Pairs(uint32(r.IntN(3)), uint32(1+r.IntN(3))))
		}
	}
	return m
}

func TestDictionary(t *testing.T) {
	longtest.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		m := termsModel(t)
		s := segtest.Open(t, m.Build(t, segtest.Default()))
		terms := m.Terms()
		probes := []string{"", "a", "s", "\xff\xff", strings.Repeat("s", 9)}
		for _, term := range terms {
			probes = append(probes, term, term+"\x00", term[:len(term)-1], term[:len(term)/2], term+"zz")
		}
		it := s.Lists().Terms()
		for _, p := range probes {
			i := sort.SearchStrings(terms, p)
			present := i < len(terms) && terms[i] == p
			if _, ok, err := s.Lists().Lookup([]byte(p)); ok != present || err != nil {
				t.Fatalf("lookup %q: %v %v, want %v", p, ok, err, present)
			}
			checkSeek(t, it, terms, p, i)
			checkPrefix(t, s, terms, p)
		}
	})
}

// checkSeek seeks p, whose position is i, and steps on.
func checkSeek(t *rapid.T, it *segment.TermIterator, terms []string, p string, i int) {
	if got := it.SeekGE([]byte(p)); got != (i < len(terms)) {
		t.Fatalf("seek %q: %v", p, got)
	}
	for j := i; j < min(i+3, len(terms)); j++ {
		if string(it.Term()) != terms[j] || it.Entry().Ordinal != uint64(j) {
			t.Fatalf("seek %q + %d: at %q (%d), want %q (%d)", p, j-i, it.Term(), it.Entry().Ordinal, terms[j], j)
		}
		if got := it.Next(); got != (j+1 < len(terms)) {
			t.Fatalf("next after %q: %v", terms[j], got)
		}
	}
	if it.Err() != nil {
		t.Fatal(it.Err())
	}
}

func checkPrefix(t *rapid.T, s *segment.Segment, terms []string, p string) {
	var want, got []string
	for _, term := range terms {
		if strings.HasPrefix(term, p) {
			want = append(want, term)
		}
	}
	it := s.Lists().Prefix([]byte(p))
	for it.Next() {
		got = append(got, string(it.Term()))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || it.Err() != nil {
		t.Fatalf("prefix %q gives %q, want %q, %v", p, got, want, it.Err())
	}
	for _, term := range want[:min(len(want), 2)] {
		if !it.SeekGE([]byte(term)) || string(it.Term()) != term {
			t.Fatalf("seek %q within prefix %q: at %q", term, p, it.Term())
		}
	}
	if len(want) > 0 && (!it.SeekGE(nil) || string(it.Term()) != want[0]) {
		t.Fatalf("seek to the start of prefix %q: at %q", p, it.Term())
	}
}

// Ordinals count blocks of the dictionary and terms in them. Each leads to the entry that has
// it, in dictionaries whose last block is filled in every way.
func TestOrdinals(t *testing.T) {
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 300)}
	for i := range m.Lens {
		m.IDs = append(m.IDs, fmt.Sprint(i))
	}
	lists := [][]segtest.Posting{segtest.Pairs(7, 1), segtest.Pairs(2, 1, 9, 4), nil, segtest.Pairs(7, 3)}
	for d := range uint32(200) {
		lists[2] = append(lists[2], segtest.P(d, 1+d%3))
	}
	for n := range 98 {
		s := segtest.Open(t, m.Build(t, segtest.Default()))
		want := uint64(0)
		it := s.Lists().Terms()
		for ; it.Next(); want++ {
			e, ok, err := s.Lists().EntryAt(want)
			if !ok || err != nil || e != it.Entry() || e.Ordinal != want {
				t.Fatalf("%d terms: ordinal %d gives %v %v %v, the iterator has %v", n, want, e, ok, err, it.Entry())
			}
			if e, ok, err = s.Lists().Lookup(it.Term()); !ok || err != nil || e != it.Entry() {
				t.Fatalf("%d terms: lookup %q gives %v %v %v, the iterator has %v", n, it.Term(), e, ok, err, it.Entry())
			}
		}
		if it.Err() != nil || want != uint64(n) {
			t.Fatalf("%d terms, want %d, %v", want, n, it.Err())
		}
		for _, beyond := range []uint64{want, want + 1, want + 32, math.MaxUint64} {
			if e, ok, err := s.Lists().EntryAt(beyond); ok || err != nil {
				t.Fatalf("%d terms: ordinal %d gives %v, %v", n, beyond, e, err)
			}
		}
		m.AddList(fmt.Sprintf("term%02d", n), lists[n%len(lists)])
	}
}

func TestLongTermsAndIDs(t *testing.T) {
	m := &segtest.Model{Lists: map[string][]segtest.Posting{}, Lens: make([]uint32, 2)}
	long := strings.Repeat("x", segment.MaxTerm)
	m.IDs = []string{long, long[:segment.MaxTerm-1] + "y"}
	m.AddList(long, segtest.Pairs(0, 1))
	m.AddList(long[:segment.MaxTerm-1]+"y", segtest.Pairs(1, 1))
	m.AddList("x", segtest.Pairs(1, 3))
	m.Check(t, segtest.Open(t, m.Build(t, segtest.Default())), false)
}
