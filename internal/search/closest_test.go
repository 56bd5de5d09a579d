package search_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// tagged is an index of documents with one keyword each.
func tagged(t *testing.T, tags []string) *querytest.Live {
	l := querytest.NewLive(t, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "tag", Kind: schema.Keyword}}}, MergePolicy: writer.NoMerges})
	for d, tag := range tags {
		l.Do(l.Add(t.Context(), writer.Doc{ID: []byte(tag), Values: []schema.Value{schema.KeywordValue(0, []byte(tag))}}))
		if d%1000 == 999 {
			l.Do(l.Flush(t.Context()))
		}
	}
	l.Do(l.Commit(t.Context()))
	return l
}

// hitsOf returns the tags of the hits of a node, sorted, their distinct scores, and what of it is limited.
func hitsOf(t *testing.T, l *querytest.Live, n query.Node) (tags []string, scores map[float32]bool, limited []query.Limited) {
	t.Helper()
	snapshot := l.Snapshot()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Search(t.Context(), search.Query{Node: n, K: 1 << 20, Limited: &limited})
	if err != nil {
		t.Fatalf("%v: %v", n, err)
	}
	scores = map[float32]bool{}
	for _, h := range r.Hits {
		id, err := snapshot.AppendID(nil, h.Doc)
		if err != nil {
			t.Fatal(err)
		}
		tags, scores[h.Score] = append(tags, string(id)), true
	}
	slices.Sort(tags)
	return tags, scores, limited
}

// closest returns what of tags a word with edits stands for: at most so many.
func closest(tags []string, word string, most int) []string {
	far := func(tag string) int {
		same := 0
		for same < len(tag) && same < len(word) && tag[same] == word[same] {
			same++
		}
		return 1000*edits(word, tag) - same
	}
	tags = slices.DeleteFunc(slices.Clone(tags), func(tag string) bool { return edits(word, tag) > most })
	slices.SortFunc(tags, func(a, b string) int { return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(a, b)) })
	tags = tags[:min(len(tags), query.MaxScored)]
	slices.Sort(tags)
	return tags
}

// A word with edits stands for the closest terms that documents have which are not deleted, whatever is merged. By default
// its length says how many edits.
func TestClosestTerms(t *testing.T) {
	tags := []string{"ab", "ac", "abc", "abd", "abcdef", "abcdxy", "abxyzw"}
	for _, a := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123" { // 1,600, all within two edits of word
		for _, b := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123" {
			tags = append(tags, fmt.Sprintf("w%c%cd", a, b))
		}
	}
	rng := rand.New(rand.NewPCG(50, 15))
	rng.Shuffle(len(tags), func(i, j int) { tags[i], tags[j] = tags[j], tags[i] })
	l := tagged(t, tags)
	check := func(word string, most, want int, cut bool) {
		t.Helper()
		got, _, limited := hitsOf(t, l, query.Fuzzy{Field: "tag", Text: word, Edits: most})
		if most == 0 {
			most = want
		}
		if want := closest(tags, word, most); !slices.Equal(got, want) {
			t.Errorf("%s with %d edits: %d terms, want %d: %v, want %v", word, most, len(got), len(want), got, want)
		}
		if wants := []query.Limited{{Name: fmt.Sprintf("fuzzy %q", word)}}; cut && !slices.Equal(limited, wants) || !cut && limited != nil {
			t.Errorf("%s with %d edits: limited is %v", word, most, limited)
		}
	}
	all := func() {
		t.Helper()
		check("ab", 0, 0, false)
		check("abc", 0, 1, false)
		check("abcde", 0, 1, false)
		check("abcdef", 0, 2, false)
		check("word", 2, 2, true)
		check("wordy", 2, 2, false)
		check("word", 1, 1, false)
		within := slices.DeleteFunc(slices.Clone(tags), func(tag string) bool { return edits("word", tag) > 2 })
		slices.Sort(within)
		fuzzy := query.Fuzzy{Field: "tag", Text: "word", Edits: 2}
		for _, n := range []query.Node{query.Const{Node: fuzzy, Score: 3}, query.Bool{Must: []query.Node{query.All{Score: 3}}, Filter: []query.Node{fuzzy}}} { // nothing scores each
			if got, scores, limited := hitsOf(t, l, n); !slices.Equal(got, within) || len(scores) != 1 || !scores[3] || limited != nil {
				t.Errorf("%T has %d terms, want %d; scores %v, limited is %v", n, len(got), len(within), scores, limited)
			}
		}
		rest := slices.DeleteFunc(slices.Clone(tags), func(tag string) bool { return edits("word", tag) <= 2 })
		slices.Sort(rest)
		if got, _, limited := hitsOf(t, l, query.Bool{Must: []query.Node{query.All{}}, MustNot: []query.Node{fuzzy}}); !slices.Equal(got, rest) || limited != nil {
			t.Errorf("without the word %d terms are left, want %d; limited is %v", len(got), len(rest), limited)
		}
	}
	for round := range 3 {
		if round == 1 {
			for range 300 {
				i := rng.IntN(len(tags))
				l.Do(l.Delete(t.Context(), []byte(tags[i])))
				tags = slices.Delete(tags, i, i+1)
			}
			l.Do(l.Commit(t.Context()))
		} else if round == 2 {
			l.MergeAll()
		}
		all()
	}
}

// A prefix or a pattern that scores each term is a constant for all of them if they are too many, and says so; a term that
// documents have no longer does not count.
func TestTooManyToScore(t *testing.T) {
	var tags []string
	for i := range query.MaxScored + 1 {
		tags = append(tags, fmt.Sprintf("t%04d", i))
	}
	l := tagged(t, tags)
	nodes := map[string]query.Node{
		`prefix "t"`:               query.Prefix{Field: "tag", Text: "t", Boost: 2.5, Scored: true},
		`pattern "t*"`:             query.Wildcard{Field: "tag", Pattern: "t*", Boost: 2.5, Scored: true},
		`regular expression "t.*"`: query.Regexp{Field: "tag", Pattern: "t.*", Boost: 2.5, Scored: true},
		`phrase "t": prefix "t"`:   query.Phrase{Field: "tag", Text: "t", Prefix: true, Boost: 2.5},
	}
	for name, n := range nodes {
		got, scores, limited := hitsOf(t, l, n)
		if !slices.Equal(got, tags) || len(scores) != 1 || !scores[2.5] || !slices.Equal(limited, []query.Limited{{Name: name, Constant: true}}) {
			t.Errorf("%s: %d hits with scores %v, limited is %v", name, len(got), scores, limited)
		}
		got, scores, limited = hitsOf(t, l, query.Const{Node: n, Score: 4})
		if !slices.Equal(got, tags) || len(scores) != 1 || !scores[4] || limited != nil {
			t.Errorf("%s as a constant: %d hits with scores %v, limited is %v", name, len(got), scores, limited)
		}
	}
	l.Do(l.Delete(t.Context(), []byte(tags[7])))
	l.Do(l.Commit(t.Context()))
	tags = slices.Delete(tags, 7, 8)
	for name, n := range nodes {
		got, scores, limited := hitsOf(t, l, n)
		if !slices.Equal(got, tags) || scores[2.5] || limited != nil {
			t.Errorf("%s, a term deleted: %d hits with scores %v, limited is %v", name, len(got), scores, limited)
		}
	}
}
