package pinion

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// logLines is the schema of logs that are found by values alone: no field is indexed.
var logLines = &schema.Schema{Fields: []schema.Field{
	{Name: "level", Kind: schema.Keyword, Index: schema.IndexNone, Column: true},
	{Name: "n", Kind: schema.Integer, Column: true},
	{Name: "line", Kind: schema.Text, Index: schema.IndexNone, Stored: true},
}}

// An index of which no field is indexed answers all but words.
func TestNoIndexedField(t *testing.T) {
	mem := memfs.New()
	x := must(OpenFS(ctx, mem, Options{Schema: logLines}))(t)
	levels := []string{"debug", "error", "info", "warn"}
	for i := range 300 {
		d := Doc{ID: fmt.Sprint(i), Values: []schema.Value{schema.KeywordValue(0, []byte(levels[i%4])), schema.IntegerValue(1, int64(i)), schema.TextValue(2, []byte("line"))}}
		if err := x.Add(ctx, d); err != nil {
			t.Fatal(err)
		}
		if i%70 == 69 {
			if err := errors.Join(x.Delete(ctx, fmt.Sprint(i)), x.Sync(ctx)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = must(OpenFS(ctx, mem, Options{}))(t)
	defer x.Close()
	count := func(want int, n query.Node) {
		t.Helper()
		page, err := x.Search(ctx, Request{Query: n, Limit: 500, Fields: []string{"line"}, Snippet: &Snippet{Field: "line"}})
		if err != nil || len(page.Hits) != want || want > 0 && string(page.Hits[0].Values[0].Bytes()) != "line" {
			t.Errorf("%#v: %d hits, %v, want %d", n, len(page.Hits), err, want)
		}
	}
	live := 296
	count(live, query.All{})
	count(75-2, query.Bool{Filter: []query.Node{query.In{Field: "level", Values: []any{schema.KeywordValue(0, []byte("error"))}}}})
	for text, want := range map[string]int{"n:>2": live - 3, "level:warn": 75 - 2, "level:(warn OR error) n:<4": 2, "*": live, "* NOT level:warn": live - 75 + 2, "n:7": 1, "n:1000": 0} {
		n, err := query.Parse(logLines, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		count(want, n)
	}
	page, err := x.Search(ctx, Request{Query: query.All{}, Limit: 3, Sort: []Sort{{Field: "n", Desc: true}}, Facets: []Facet{{Field: "level"}}, Collapse: "level", Total: true})
	if err != nil || len(page.Hits) != 3 || string(page.Hits[0].ID) != "299" || int(page.Total) != live || len(page.Facets[0].Counts) != 4 {
		t.Errorf("%+v, %v", page, err)
	}
	for _, n := range []query.Node{query.Match{Text: "warn"}, query.Match{Field: "level", Text: "warn"}, query.Phrase{Text: "a b"}, query.Prefix{Text: "w"}, query.Term{Field: "level", Text: "warn"}} {
		if _, err := x.Search(ctx, Request{Query: n, Limit: 1}); !errors.Is(err, query.ErrInvalid) {
			t.Errorf("%#v: %v", n, err)
		}
	}
}

// A fault of the program in the midst of a search is that: an error with the stack, an event of its own, and not damage.
// The next search is answered.
func TestFaultOfTheProgram(t *testing.T) {
	if err := registerBroken(); err != nil {
		t.Fatal(err)
	}
	mem := memfs.New()
	var events []Event
	x := must(OpenFS(ctx, mem, Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "body", Kind: schema.Text, Analyzer: brokenAnalyzer{}.Name()}}}, Observe: func(e Event) { events = append(events, e) }}))(t)
	if err := errors.Join(x.Add(ctx, Doc{ID: "a", Values: []schema.Value{schema.TextValue(0, []byte("rose"))}}), x.Sync(ctx)); err != nil {
		t.Fatal(err)
	}
	_, err := x.Search(ctx, Request{Query: query.Match{Text: "fault"}, Limit: 1})
	var fault *store.PanicError
	if !errors.As(err, &fault) || errors.Is(err, format.ErrCorrupt) {
		t.Fatal(err)
	}
	if !strings.Contains(err.Error(), "fault of the program") || !strings.Contains(err.Error(), "fault_test.go:") || !strings.Contains(string(fault.Stack), "brokenTokenizer") {
		t.Errorf("%v\n%s", err, fault.Stack)
	}
	page, err := x.Search(ctx, Request{Query: query.Match{Text: "rose"}, Limit: 1})
	if err != nil || len(page.Hits) != 1 {
		t.Errorf("the next search: %+v, %v", page, err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	told := slices.DeleteFunc(events, func(e Event) bool { return e.Err == nil })
	if len(told) != 1 || told[0].Kind != EventFault || told[0].Kind.String() != "fault" || !errors.As(told[0].Err, &fault) {
		t.Errorf("told %+v", told)
	}
}

// registerBroken registers brokenAnalyzer; there is one registry for all runs of a test.
var registerBroken = sync.OnceValue(func() error {
	return analysis.Register(brokenAnalyzer{}.Name(), func(string) (analysis.Analyzer, error) {
		whole, err := analysis.New("whitespace", "")
		return brokenAnalyzer{whole}, err
	})
})

// brokenAnalyzer has a fault that one word shows.
type brokenAnalyzer struct{ analysis.Analyzer }

func (brokenAnalyzer) Name() string { return "broken" }

func (a brokenAnalyzer) Tokenizer() analysis.Tokenizer {
	return brokenTokenizer{a.Analyzer.Tokenizer()}
}

type brokenTokenizer struct{ analysis.Tokenizer }

func (t brokenTokenizer) Tokenize(dst *analysis.Tokens, text []byte) {
	if string(text) == "fault" {
		_ = text[:0][len(text)]
	}
	t.Tokenizer.Tokenize(dst, text)
}
