package search_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/querytest"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

const partsOptions = "parts=placed"

// codeIndex returns a Searcher over texts, each in a field of code with positions, in one without, and in one of other words.
func codeIndex(t testing.TB, texts []string) *search.Searcher {
	t.Helper()
	l := querytest.NewLive(t, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "placed", Kind: schema.Text, Analyzer: "code", Options: partsOptions, Positions: true},
		{Name: "bare", Kind: schema.Text, Analyzer: "code", Options: partsOptions},
		{Name: "words", Kind: schema.Text, Analyzer: "standard"},
		{Name: "keys", Kind: schema.Keyword},
	}}})
	for i, text := range texts {
		var values []schema.Value
		for f := range 3 {
			values = append(values, schema.TextValue(f, []byte(text)))
		}
		l.Do(l.Add(context.Background(), writer.Doc{ID: fmt.Append(nil, i), Values: values}))
		if i == len(texts)/2 {
			l.Do(l.Flush(context.Background()))
		}
	}
	s, err := search.NewSearcher(l.Snapshot(), search.Options{})
	l.Do(err)
	t.Cleanup(func() { s.Close() })
	return s
}

// docsOf returns the numbers of the documents that a node matches.
func docsOf(t interface{ Fatalf(string, ...any) }, s *search.Searcher, n query.Node) (docs []uint32) {
	hits, err := s.AppendHits(context.Background(), nil, &search.Query{Node: n, K: 1000})
	if err != nil {
		t.Fatalf("%+v: %v", n, err)
	}
	for _, h := range hits {
		docs = append(docs, h.Doc)
	}
	slices.Sort(docs)
	return docs
}

// The oracle of words in code: an identifier is its parts, and stands for its whole.
var (
	identifierText = regexp.MustCompile(`[A-Za-z0-9_]+`)
	partText       = regexp.MustCompile(`[0-9]+|[A-Z]+(?:[a-z]+)?|[a-z]+`)
	lastCapital    = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)
)

func partsIn(identifier string) []string {
	return partText.FindAllString(lastCapital.ReplaceAllString(lastCapital.ReplaceAllString(identifier, "${1}_$2"), "${1}_$2"), -1)
}

// hasWord reports whether a text has a typed identifier: its whole, or its parts one after the other, or if they have no
// places, all of them.
func hasWord(text, typed string, placed bool) bool {
	want := strings.Split(strings.ToLower(strings.Join(partsIn(typed), " ")), " ")
	var have []string
	for _, id := range identifierText.FindAllString(text, -1) {
		if strings.EqualFold(id, typed) {
			return true
		}
		for _, p := range partsIn(id) {
			have = append(have, strings.ToLower(p))
		}
	}
	if !placed {
		return !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) })
	}
	return strings.Contains(" "+strings.Join(have, " ")+" ", " "+strings.Join(want, " ")+" ")
}

// hasPhrase reports whether the parts of a text of several identifiers stand in a text one after the other.
func hasPhrase(text, typed string) bool {
	flat := func(s string) string {
		var all []string
		for _, id := range identifierText.FindAllString(s, -1) {
			all = append(all, partsIn(id)...)
		}
		return " " + strings.ToLower(strings.Join(all, " ")) + " "
	}
	return strings.Contains(flat(text), flat(typed))
}

// A typed word matches the same documents in Match, in the language, in quotes and in several fields: those that have its
// whole, or its parts in order.
func TestCompoundWords(t *testing.T) {
	identifier := rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "2"}), 1, 3).Draw(t, "parts")
		switch rapid.IntRange(0, 3).Draw(t, "style") {
		case 0:
			return strings.Join(parts, "")
		case 1:
			return strings.Join(parts, "_")
		case 2:
			return "_" + parts[0]
		}
		s := parts[0]
		for _, p := range parts[1:] {
			s += strings.ToUpper(p) + "x"
		}
		return s
	})
	text := func(t *rapid.T, label string, least, most int) string {
		return strings.Join(rapid.SliceOfN(identifier, least, most).Draw(t, label), rapid.SampledFrom([]string{" ", ".", "("}).Draw(t, "between"))
	}
	rapid.Check(t, func(r *rapid.T) {
		texts := make([]string, rapid.IntRange(1, 12).Draw(r, "docs"))
		for i := range texts {
			texts[i] = text(r, "text", 0, 5)
		}
		s := codeIndex(t, texts)
		typed := identifierText.FindAllString(text(r, "typed", 1, 3), -1)
		joined := strings.Join(typed, " ")
		with := func(has func(text string) bool) (docs []uint32) {
			for i, text := range texts {
				if has(text) {
					docs = append(docs, uint32(i))
				}
			}
			return docs
		}
		every := func(placed bool) []uint32 {
			return with(func(text string) bool {
				return !slices.ContainsFunc(typed, func(w string) bool { return !hasWord(text, w, placed) })
			})
		}
		some := func(placed bool) []uint32 {
			return with(func(text string) bool {
				return slices.ContainsFunc(typed, func(w string) bool { return hasWord(text, w, placed) })
			})
		}
		parse := func(q string) query.Node {
			n, err := s.ParseText(q)
			if err != nil {
				r.Fatalf("%s: %v", q, err)
			}
			return n
		}
		phrase := every(true)
		if len(typed) > 1 {
			phrase = with(func(text string) bool { return hasPhrase(text, joined) })
		}
		for _, x := range []struct {
			n    query.Node
			want []uint32
		}{
			{query.Match{Field: "placed", Text: joined, Mode: query.ModeAnd}, every(true)},
			{query.Match{Field: "bare", Text: joined, Mode: query.ModeAnd}, every(false)},
			{query.Match{Field: "placed", Text: joined}, some(true)},
			{query.Match{Field: "bare", Text: joined}, some(false)},
			{query.Match{Text: joined, Mode: query.ModeAnd}, nil}, // of every field, below
			{parse("placed:(" + joined + ")"), some(true)},
			{parse("placed:(+" + strings.Join(typed, " +") + ")"), every(true)},
			{parse("bare:(" + strings.Join(typed, " AND ") + ")"), every(false)},
			{parse(`placed:"` + joined + `"`), phrase},
			{query.Phrase{Field: "placed", Text: joined}, phrase},
		} {
			got := docsOf(r, s, x.n)
			if m, ok := x.n.(query.Match); ok && m.Field == "" {
				for _, d := range every(true) {
					if !slices.Contains(got, d) {
						r.Fatalf("%q: %+v finds %v, not %d", texts, x.n, got, d)
					}
				}
				continue
			}
			if !slices.Equal(got, x.want) {
				r.Fatalf("%q: %+v finds %v, want %v", texts, x.n, got, x.want)
			}
		}
	})
}

// Prefixes, patterns and words with edits stand for wholes and for parts; suggestions are wholes.
func TestCompoundExpansions(t *testing.T) {
	s := codeIndex(t, []string{"func readFrame(f)", "read_header", "frame", "调用getUserName函数", "x"})
	for _, x := range []struct {
		n    query.Node
		want []uint32
	}{
		{query.Prefix{Field: "placed", Text: "readF"}, []uint32{0}},
		{query.Prefix{Field: "placed", Text: "fram"}, []uint32{0, 2}},
		{query.Prefix{Field: "placed", Text: "fram", Scored: true}, []uint32{0, 2}},
		{query.Wildcard{Field: "placed", Pattern: "*eade?"}, []uint32{1}},
		{query.Wildcard{Field: "placed", Pattern: "read*me"}, []uint32{0}},
		{query.Wildcard{Field: "placed", Pattern: "head*"}, []uint32{1}},
		{query.Wildcard{Field: "placed", Pattern: "?frame"}, nil}, // the mark of a part is no character of it
		{query.Prefix{Field: "placed", Text: "+fr"}, nil},
		{query.Fuzzy{Field: "placed", Text: "framexx", FixedPrefix: 1}, []uint32{0, 2}},
		{query.Fuzzy{Field: "placed", Text: "frxxe"}, nil}, // as five characters allow one edit in a part, too
		{query.Fuzzy{Field: "placed", Text: "xf"}, nil},
		{query.Fuzzy{Field: "placed", Text: "frane", Edits: 1}, []uint32{0, 2}},
		{query.Fuzzy{Field: "placed", Text: "raedframe"}, []uint32{0}},
		{query.Fuzzy{Field: "placed", Text: "xeader", Edits: 1, FixedPrefix: 1}, nil},
		{query.Fuzzy{Field: "placed", Text: "heaxer", Edits: 1, FixedPrefix: 3}, []uint32{1}},
		{query.Phrase{Field: "placed", Text: "read fra", Prefix: true}, []uint32{0}},
		{query.Phrase{Field: "placed", Text: "func readFr", Prefix: true}, []uint32{0}},
		{query.Match{Field: "placed", Text: "getUserName", Mode: query.ModeAnd}, []uint32{3}},
		{query.Match{Field: "placed", Text: "函数", Mode: query.ModeAnd}, []uint32{3}},
	} {
		if got := docsOf(t, s, x.n); !slices.Equal(got, x.want) {
			t.Errorf("%+v finds %v, want %v", x.n, got, x.want)
		}
	}
	// A part is a term once, whether or not its mark could be edited.
	free := query.Fuzzy{Field: "placed", Text: "frame", Edits: 1}
	fixed := free
	fixed.FixedPrefix = 1
	var scores [2][]search.Hit
	for i, n := range []query.Node{free, fixed} {
		var err error
		if scores[i], err = s.AppendHits(context.Background(), nil, &search.Query{Node: n}); err != nil {
			t.Fatal(err)
		}
	}
	if len(scores[0]) != 2 || !slices.Equal(scores[0], scores[1]) {
		t.Errorf("%+v: %v, with a fixed beginning %v", free, scores[0], scores[1])
	}
	names := func(all []search.Suggestion, err error) (names []string) {
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range all {
			names = append(names, string(x.Term))
		}
		return names
	}
	if got := names(s.Suggest(context.Background(), "placed", "", 100)); slices.ContainsFunc(got, func(w string) bool { return w[0] == '+' }) || !slices.Contains(got, "readframe") {
		t.Errorf("parts are suggested: %q", got)
	}
	if got := names(s.Similar(context.Background(), "placed", "readfrme", 3)); !slices.Equal(got, []string{"readframe"}) {
		t.Errorf("like readfrme: %q", got)
	}
}

// What cannot be answered where words have parts is refused, and does not find something else.
func TestCompoundRefuses(t *testing.T) {
	s := codeIndex(t, []string{"readFrame"})
	if _, err := s.AppendHits(context.Background(), nil, &search.Query{Node: query.Match{Field: "placed", Text: "readFrame", Mode: query.ModeAndOr}, K: 1}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("mode and-or: %v", err)
	}
	a, err := analysis.New("code", partsOptions)
	if err != nil {
		t.Fatal(err)
	}
	l := querytest.NewLive(t, writer.Options{Schema: schema.Implicit(a.Name(), a.Options(), false)})
	l.AddText(0, "func HTTPServer2Config() {}")
	plain, err := search.NewSearcher(l.Snapshot(), search.Options{})
	l.Do(err)
	defer plain.Close()
	if _, err := plain.Parse("readFrame"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("terms of a text: %v", err)
	}
	if _, err := plain.AppendHits(context.Background(), nil, &search.Query{Text: "x", RawTerms: [][]byte{[]byte("y")}}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("terms and a text: %v", err)
	}
	for _, text := range []string{"httpserver2config", "HTTPServer2Config", "server"} {
		hits, err := plain.AppendHits(context.Background(), nil, &search.Query{Text: text, Mode: query.ModeAnd})
		if err != nil || len(hits) != 1 {
			t.Errorf("%s: %d hits, %v", text, len(hits), err)
		}
		own, err := plain.Complete([]search.Query{{Text: text, Mode: query.ModeAnd}})
		if err != nil {
			t.Fatal(err)
		}
		if hits, err := plain.AppendHits(context.Background(), nil, &own[0]); err != nil || len(hits) != 1 {
			t.Errorf("%s, completed: %d hits, %v", text, len(hits), err)
		}
	}
}
