package pinion

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// ruled is a query over rules of words, answered document by document.
type ruled struct {
	rules []query.SynonymRule
	words []string
	all   bool // all of its elements must match, not one
}

// element is a word of a query, or words that rules have something for.
type element struct {
	words  []string
	stays  bool
	others []string
}

// elements returns those of a query: at each word the longest left side of a rule.
func (q *ruled) elements() (all []element) {
	for i := 0; i < len(q.words); {
		best := element{words: q.words[i : i+1], stays: true}
		for n := 1; i+n <= len(q.words); n++ {
			own := strings.Join(q.words[i:i+n], " ")
			e := element{words: q.words[i : i+n]}
			for _, r := range q.rules {
				to := r.To
				if len(to) == 0 {
					to = r.From
				}
				if !slices.Contains(r.From, own) {
					continue
				}
				for _, s := range to {
					if s == own {
						e.stays = true
					} else if !slices.Contains(e.others, s) {
						e.others = append(e.others, s)
					}
				}
			}
			if len(e.others) > 0 {
				best = e
			}
		}
		all = append(all, best)
		i += len(best.words)
	}
	return all
}

// matches reports whether a document, whose fields are placed and unplaced, matches.
func (q *ruled) matches(fields []string, doc map[string]string) bool {
	some, every := false, true
	for _, e := range q.elements() {
		hit := e.stays && !slices.ContainsFunc(e.words, func(w string) bool {
			return !slices.ContainsFunc(fields, func(f string) bool { return slices.Contains(strings.Fields(doc[f]), w) })
		})
		for _, f := range fields {
			for _, s := range e.others {
				if f == "placed" {
					hit = hit || strings.Contains(" "+doc[f]+" ", " "+s+" ")
				} else {
					hit = hit || !slices.ContainsFunc(strings.Fields(s), func(w string) bool { return !slices.Contains(strings.Fields(doc[f]), w) })
				}
			}
		}
		some, every = some || hit, every && hit
	}
	return every && (q.all || some) || some && !q.all
}

// node returns the query as a node of terms.
func (q *ruled) node(fields []string) query.Node {
	var parts []query.Node
	word := func(w string) query.Node {
		var any query.Or
		for _, f := range fields {
			any = append(any, query.Term{Field: f, Text: w})
		}
		return any
	}
	for _, e := range q.elements() {
		var own query.And
		for _, w := range e.words {
			own = append(own, word(w))
		}
		if len(e.others) == 0 {
			parts = append(parts, own...)
			continue
		}
		var best query.Best
		if e.stays {
			best.Of = append(best.Of, own)
		}
		others := map[string]query.Node{}
		for _, f := range fields {
			var of query.Best
			for _, s := range e.others {
				var all query.And
				for _, w := range strings.Fields(s) {
					all = append(all, query.Term{Field: f, Text: w})
				}
				if f == "placed" && len(all) > 1 {
					of.Of = append(of.Of, query.Phrase{Field: f, Terms: strings.Fields(s)})
				} else {
					of.Of = append(of.Of, all)
				}
			}
			others[f] = of
		}
		var sum query.Or
		for _, f := range fields {
			sum = append(sum, others[f])
		}
		best.Of = append(best.Of, sum)
		parts = append(parts, best)
	}
	if q.all {
		return query.Bool{Must: parts}
	}
	return query.Bool{Should: parts}
}

// TestSynonyms compares searches by drawn rules with documents that are gone through one by one, and with queries of terms.
func TestSynonyms(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{Name: "placed", Kind: schema.Text, Analyzer: "whitespace", Positions: true}, {Name: "unplaced", Kind: schema.Text, Analyzer: "whitespace"}}}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-e]`)
		words := func(most int, what string) string {
			return strings.Join(rapid.SliceOfNDistinct(word, 1, most, rapid.ID).Draw(t, what), " ")
		}
		x, err := OpenFS(t.Context(), memfs.New(), Options{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		docs := map[string]map[string]string{}
		for i := range rapid.IntRange(1, 12).Draw(t, "docs") {
			d := map[string]string{"placed": strings.Join(rapid.SliceOfN(word, 0, 4).Draw(t, "placed"), " "), "unplaced": strings.Join(rapid.SliceOfN(word, 0, 3).Draw(t, "unplaced"), " ")}
			docs[fmt.Sprint(i)] = d
			if err := x.Add(t.Context(), Doc{ID: fmt.Sprint(i), Fields: map[string]any{"placed": d["placed"], "unplaced": d["unplaced"]}}); err != nil {
				t.Fatal(err)
			}
		}
		q := ruled{all: rapid.Bool().Draw(t, "all")}
		equal := rapid.Bool().Draw(t, "equal")
		for range rapid.IntRange(0, 4).Draw(t, "rules") {
			var r query.SynonymRule
			for range rapid.IntRange(1, 3).Draw(t, "left") {
				r.From = append(r.From, words(3, "side"))
			}
			for range rapid.IntRange(0, 2).Draw(t, "right") {
				if !equal {
					r.To = append(r.To, words(3, "side"))
				}
			}
			q.rules = append(q.rules, r)
		}
		q.words = rapid.SliceOfNDistinct(word, 1, 5, rapid.ID).Draw(t, "words")
		fields := rapid.SampledFrom([][]string{{"placed"}, {"unplaced"}, {"placed", "unplaced"}}).Draw(t, "fields")
		set, err := query.NewSynonyms(q.rules...)
		if err != nil {
			t.Fatal(err)
		}
		m := query.Match{Fields: fields, Text: strings.Join(q.words, " ")}
		if q.all {
			m.Mode = query.ModeAnd
		}
		scores := func(r Request) map[string]float32 {
			r.Limit = 100
			page, err := x.Search(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			all := map[string]float32{}
			for _, h := range page.Hits {
				all[h.ID] = h.Score
			}
			return all
		}
		got, want := scores(Request{Query: m, Synonyms: set}), scores(Request{Query: q.node(fields)})
		plain := scores(Request{Query: m})
		for id, d := range docs {
			score, hit := got[id]
			if matches := q.matches(fields, d); hit != matches {
				t.Errorf("%q matches: %v, want %v", d, hit, matches)
			}
			if other, ok := want[id]; ok != hit || score != other {
				t.Errorf("%q scores %v, as terms %v", d, score, other)
			}
			if least, ok := plain[id]; ok && q.all && equal && (!hit || score < least-1e-6) { // sums within a Best round by themselves
				t.Errorf("%q scores %v, without synonyms %v", d, score, least)
			}
		}
		typed := query.ParseLenient(s, m.Text).Node // in both fields
		if q.all {
			typed = query.ParseLenient(s, "+"+strings.Join(q.words, " +")).Node
		}
		if len(fields) == 2 {
			for id, score := range scores(Request{Query: typed, Synonyms: set}) {
				if math.Abs(float64(score-got[id])) > 1e-6 {
					t.Errorf("%q scores %v typed, %v as a text", docs[id], score, got[id])
				}
			}
		}
	})
}

// TestSynonymsOfRequests holds where synonyms count: in each part of a request, in passages, by field, and from one request to the next.
func TestSynonymsOfRequests(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: schema.Text, Stored: true, Positions: true}, {Name: "body", Kind: schema.Text, Stored: true}}}
	x, err := OpenFS(t.Context(), memfs.New(), Options{Schema: s, CacheBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for id, title := range map[string]string{"usb": "a cheap USB stick", "thumb": "my thumb drive", "pen": "one pendrive", "apart": "drive by thumb"} {
		if err := x.Add(t.Context(), Doc{ID: id, Fields: map[string]any{"title": title}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Add(t.Context(), Doc{ID: "body", Fields: map[string]any{"body": "a pendrive"}}); err != nil {
		t.Fatal(err)
	}
	set, err := query.ParseSynonyms(strings.NewReader("usb stick, thumb drive, pendrive"))
	if err != nil {
		t.Fatal(err)
	}
	one := query.Match{Text: "pendrive"}
	titled := new(query.Synonyms).In("title", set)
	for i, c := range []struct {
		r    Request
		want string
	}{
		{Request{Query: one}, "body pen"},
		{Request{Query: one, Synonyms: new(query.Synonyms)}, "body pen"},
		{Request{Query: one, Synonyms: set}, "body pen thumb usb"},
		{Request{Query: query.Match{Text: "usb stick"}, Synonyms: titled}, "pen thumb usb"},
		{Request{Query: query.Match{Text: "usb stick"}, Synonyms: set.In("title", nil)}, "body usb"},
		{Request{Query: query.Match{Field: "title", Text: "usb stick", Mode: query.ModeAnd}, Synonyms: set}, "pen thumb usb"},
		{Request{Query: query.All{}, Filter: one, Synonyms: set}, "body pen thumb usb"},
		{Request{Fuse: &Fuse{Lists: []FuseList{{Query: one}, {Query: query.Match{Text: "cheap"}}}}, Synonyms: set}, "body pen thumb usb"},
		{Request{Query: query.All{}, Rescore: &Rescore{Query: one, Weight: 10}, Synonyms: set, Limit: 4}, "body pen thumb usb"},
	} {
		for range 2 { // the second time from the cache
			page, err := x.Search(t.Context(), c.r)
			var ids []string
			for _, h := range page.Hits {
				ids = append(ids, h.ID)
			}
			slices.Sort(ids)
			if got := strings.Join(ids, " "); err != nil || got != c.want {
				t.Errorf("%d: %s, want %s: %v", i, got, c.want, err)
			}
		}
	}
	r := Request{Query: query.Match{Field: "title", Text: "pendrive"}, Synonyms: set, Snippet: &Snippet{}}
	page, err := x.Search(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	marked := map[string]string{}
	show := func(p Page) {
		for i := range p.Hits {
			marked[p.Hits[i].ID] = p.Hits[i].Passages[0].HTML()
		}
	}
	show(page)
	want := map[string]string{"usb": "a cheap <mark>USB</mark> <mark>stick</mark>", "thumb": "my <mark>thumb</mark> <mark>drive</mark>", "pen": "one <mark>pendrive</mark>"}
	for id, text := range want {
		if strings.ReplaceAll(marked[id], "</mark> <mark>", " ") != strings.ReplaceAll(text, "</mark> <mark>", " ") {
			t.Errorf("%s: %q, want %q", id, marked[id], text)
		}
	}
	err = x.View(t.Context(), func(v *View) error {
		shown, err := v.Show(t.Context(), page.Hits, r)
		if err != nil {
			return err
		}
		for i := range shown.Hits {
			if got := shown.Hits[i].Passages[0].HTML(); got != marked[shown.Hits[i].ID] {
				t.Errorf("shown: %q, searched: %q", got, marked[shown.Hits[i].ID])
			}
		}
		if _, err := v.SearchPart(t.Context(), r, Part{}); !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := MergeLists(Request{Query: one, Rescore: &Rescore{Query: one}, Synonyms: set}, nil, nil); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	if _, err := x.Search(t.Context(), Request{Query: query.Match{Text: "a", Mode: query.ModeAndOr}, Synonyms: set}); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if page, err := x.Search(t.Context(), Request{Query: one, Synonyms: set, Limit: 20}); err != nil || len(page.Hits) != 4 {
				t.Errorf("%v, %v", page.Hits, err)
			}
		})
	}
	all.Wait()
}
