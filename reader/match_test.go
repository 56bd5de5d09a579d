package reader_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/automata"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// keywords returns an index of three segments with two fields of random keywords, some of them long, with zero
// bytes, or sharing much.
func keywords(t *testing.T, rng *rand.Rand) *memfs.FS {
	t.Helper()
	x := memfs.New()
	s := &schema.Schema{Fields: []schema.Field{{Name: "a", Kind: schema.Keyword}, {Name: "b", Kind: schema.Keyword}}}
	w, err := writer.OpenFS(t.Context(), x, writer.Options{Schema: s, MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	letters := []string{"a", "b", "c", "ab", "abcabcabc", "\x00", "\xff", "é", "z"}
	for seg := range 3 {
		for i := range 900 {
			var values []schema.Value
			for f := range 2 {
				var v []byte
				for range 1 + rng.IntN(7) {
					v = append(v, letters[rng.IntN(len(letters))]...)
				}
				values = append(values, schema.KeywordValue(f, v))
			}
			if err := w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, seg, "-", i), Values: values}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return x
}

// listed returns the terms of an iterator with their entries, those from term from on if that is not nil.
func listed(t *testing.T, terms *reader.Terms, from []byte, keep func(term []byte) bool) (all []string) {
	t.Helper()
	for ok := from == nil && terms.Next() || from != nil && terms.SeekGE(from); ok; ok = terms.Next() {
		if keep(terms.Term()) {
			all = append(all, fmt.Sprintf("%q %d %+v", terms.Term(), terms.DF(), terms.Entries()))
		}
	}
	if terms.Err() != nil {
		t.Fatal(terms.Err())
	}
	return all
}

func all([]byte) bool { return true }

// Match gives what a walk over all terms gives that keeps those which package regexp matches, in memory and on
// demand.
func TestMatch(t *testing.T) {
	longtest.Once(t)
	rng := rand.New(rand.NewPCG(352, 1))
	x := keywords(t, rng)
	patterns := []string{"", ".*", "a.*", "ab(ab|c)*", "abcabcabc.*a", ".*z", "(ab)+.", "[b-z]+", "é.*", "a|b|zz*", "abc.{0,4}", "\x00.*", ".*\x00", "z.*|a.*b", "none", "zzzzz.*", "abcabcabcabcabcabc.*"}
	for range longtest.Count(5, 20) {
		p := ""
		for range 1 + rng.IntN(4) {
			p += []string{"a", "b", "ab", "c", "é", ".", "(a|bc)", "[a-c]*", ".?"}[rng.IntN(9)]
		}
		patterns = append(patterns, p+[]string{"", ".*"}[rng.IntN(2)])
	}
	local, err := reader.Open(t.Context(), reader.FromStore(x), reader.Options{})
	remote, err2 := reader.Open(t.Context(), reader.FromFS(copyOf(t, x)), reader.Options{CacheSize: 1 << 20})
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for _, index := range []*reader.Index{local, remote} {
		defer index.Close()
		s, err := index.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for i, pattern := range patterns {
			f, _ := s.Field([]string{"a", "b"}[i%2])
			re := regexp.MustCompile(`\A(?s:` + pattern + `)\z`)
			for _, from := range [][]byte{nil, []byte("ab"), []byte("abcabcabcb"), []byte("é"), []byte("zzzzzzz"), {}} {
				want := listed(t, f.Terms(nil), from, re.Match)
				a, err := automata.Regexp(pattern)
				if err != nil {
					t.Fatal(err)
				}
				if got := listed(t, f.Match(a), from, all); !slices.Equal(got, want) || a.Err() != nil {
					t.Fatalf("%q from %q: %d terms, want %d", pattern, from, len(got), len(want))
				}
				in, _ := f.Segment(2)
				want = listed(t, in.Terms(nil), from, re.Match)
				if got := listed(t, in.Match(a), from, all); !slices.Equal(got, want) {
					t.Fatalf("%q from %q in a segment: %d terms, want %d", pattern, from, len(got), len(want))
				}
			}
		}
	}
}

// stepCounter counts the bytes that it is asked for.
type stepCounter struct {
	segment.Automaton
	bytes int
}

func (c *stepCounter) Next(s uint32, b byte) uint32 {
	c.bytes++
	return c.Automaton.Next(s, b)
}

// Match passes over the blocks of terms that no match can be in.
func TestMatchSkips(t *testing.T) {
	x, err := reader.Open(t.Context(), reader.FromStore(keywords(t, rand.New(rand.NewPCG(352, 2)))), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	f, _ := s.Field("a")
	steps := func(pattern string) int {
		a, err := automata.Wildcard(pattern)
		if err != nil {
			t.Fatal(err)
		}
		c := &stepCounter{Automaton: a}
		listed(t, f.Match(c), nil, all)
		return c.bytes
	}
	if whole, few := steps("*"), steps("abcb*"); few > whole/4 {
		t.Errorf("%d bytes to find terms that begin with abcb, %d to find all", few, whole)
	}
	in, _ := f.Segment(0)
	for what, terms := range map[string]*reader.Terms{"Match": f.Match(nil), "Field.Match": in.Match(nil)} {
		if terms.Next() || !errors.Is(terms.Err(), fs.ErrInvalid) {
			t.Errorf("%s without an automaton: %v", what, terms.Err())
		}
	}
	s.Close()
	a, err := automata.Wildcard("*")
	if err != nil {
		t.Fatal(err)
	}
	if terms := f.Match(a); terms.Next() || !errors.Is(terms.Err(), reader.ErrClosed) {
		t.Errorf("after Close: %v", terms.Err())
	}
}
