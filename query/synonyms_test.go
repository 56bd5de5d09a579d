package query_test

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// TestParseSynonyms holds what files say, by rules of Go that say the same, and the errors.
func TestParseSynonyms(t *testing.T) {
	s := &schema.Schema{Fields: []schema.Field{{Name: "t", Kind: schema.Text, Analyzer: "whitespace", Positions: true}}}
	type rule = query.SynonymRule
	for _, c := range []struct {
		text  string
		rules []rule
		err   string
	}{
		{"", nil, ""},
		{"\ufeff# a, b\n\n  \r\na,b\r\n", []rule{{From: []string{"a", "b"}}}, ""},
		{"a b ,  c", []rule{{From: []string{"a b", "c"}}}, ""},
		{" a, b=>c , d", []rule{{From: []string{"a", "b"}, To: []string{"c", "d"}}}, ""},
		{`a\,b, c\=>d, \#e, f\\`, []rule{{From: []string{"a,b", "c=>d", "#e", `f\`}}}, ""},
		{"c#, c\na = b", []rule{{From: []string{"c#", "c"}}, {From: []string{"a = b"}}}, ""},
		{"a", []rule{{From: []string{"a"}}}, ""},
		{"s(1,1,'a',n,1,0).\ns(2,1,'o''clock',n,1,0).\n%\n\ns(2,2,'a b',n,1,0).\ns(1,2,'#',v,1,0).", []rule{{From: []string{"a", "#"}}, {From: []string{"o'clock", "a b"}}}, ""},
		{"a,b\ns(1,1", []rule{{From: []string{"a", "b"}}, {From: []string{"s(1", "1"}}}, ""},
		{"a\n\na,,b", nil, "line 3: a side is empty"},
		{"a,b,", nil, "line 1: a side is empty"},
		{"=> b", nil, "line 1: a side is empty"},
		{"a =>", nil, "line 1: a side is empty"},
		{"a => b => c", nil, "line 1: => is there twice"},
		{`a, b\`, nil, `line 1: nothing follows \`},
		{`a, \ `, nil, `line 1: nothing follows \`},
		{"s(1,1,'a',n,1,0).\na, b", nil, "line 2: it is not like s("},
		{"s(1,1,'a", nil, "line 1: nothing closes the '"},
		{"s(1,1,'',n,1,0).", nil, "line 1: the word is empty"},
		{"s(1,1,a,n,1,0).", nil, "line 1: it is not like s("},
	} {
		got, err := query.ParseSynonyms(strings.NewReader(c.text))
		if c.err != "" || err != nil {
			if err == nil || !errors.Is(err, query.ErrInvalid) || c.err == "" || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: %v, want %q", c.text, err, c.err)
			}
			continue
		}
		want, err := query.NewSynonyms(c.rules...)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"a", "b", "c", "d", "#e", "a,b", "c#", `f\`, "o'clock", "#", "s(1", "a b", "a = b", "c=>d"} {
			n := query.Match{Text: word}
			a, err := got.Rewrite(s, n)
			b, err2 := want.Rewrite(s, n)
			if err != nil || err2 != nil || !reflect.DeepEqual(a, b) {
				t.Errorf("%q: %q is %+v, want %+v: %v, %v", c.text, word, a, b, err, err2)
			}
		}
	}
	for _, r := range []rule{{}, {To: []string{"a"}}, {From: []string{"a", " "}}, {From: []string{"a"}, To: []string{""}}} {
		if _, err := query.NewSynonyms(rule{From: []string{"x"}}, r); !errors.Is(err, query.ErrInvalid) || !strings.Contains(err.Error(), "rule 1:") {
			t.Errorf("%q: %v", r, err)
		}
	}
	if _, err := query.ParseSynonyms(failing{}); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, os.ErrClosed }

// synonymSchema has fields with and without positions, of other analyzers, with a boost, and what is not text.
func synonymSchema() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "english", Positions: true, Boost: 2},
		{Name: "body", Kind: schema.Text, Analyzer: "simple"},
		{Name: "tag", Kind: schema.Keyword},
	}}
}

// TestSynonymsRewrite holds what nodes become.
func TestSynonymsRewrite(t *testing.T) {
	set, err := query.ParseSynonyms(strings.NewReader(`usb stick, thumb drive, pendrive
i-pod, i pod => ipod
stick, club
lord of the rings, lotr
the, foo`))
	if err != nil {
		t.Fatal(err)
	}
	type nodes = []query.Node
	title := func(words ...string) (all nodes) {
		for _, w := range words {
			all = append(all, query.Term{Field: "title", Text: w})
		}
		return all
	}
	body := func(words ...string) (all nodes) {
		for _, w := range words {
			all = append(all, query.Term{Field: "body", Text: w})
		}
		return all
	}
	phrase := func(text string) query.Node { return query.Phrase{Field: "title", Text: text} }
	both := func(text string, mode query.Mode) query.Node {
		return query.Match{Fields: []string{"title", "body"}, Text: text, Mode: mode}
	}
	usb := query.Best{Of: nodes{query.Bool{Must: title("usb", "stick")}, phrase("thumb drive"), title("pendriv")[0]}}
	club := query.Best{Of: title("stick", "club")}
	word := func(text string) query.Node { return query.Match{Field: "title", Text: text, Mode: query.ModeAnd} }
	for _, c := range []struct {
		name    string
		n, want query.Node // nil: n
	}{
		{"no word", query.Match{Text: "cheap things"}, nil},
		{"none of its own", query.Term{Field: "title", Text: "pendriv"}, nil},
		{"quoted", query.Phrase{Field: "title", Text: "usb stick"}, nil},
		{"not next to each other", query.Match{Field: "title", Text: "usb red lord of rings thumb the drive"}, nil},
		{"the longest", query.Match{Field: "title", Text: "Cheap USB Sticks"}, query.Bool{Should: append(title("cheap"), usb)}},
		{"and", query.Match{Field: "title", Text: "cheap usb stick", Mode: query.ModeAnd, Boost: 3}, query.Bool{Must: append(title("cheap"), usb), Boost: 3}},
		{"one of its words", query.Match{Field: "title", Text: "stick usb"}, query.Bool{Should: append(nodes{club}, title("usb")...)}},
		{"replaced", query.Match{Field: "title", Text: "my I-Pod"}, query.Bool{Should: title("my", "ipod")}},
		{"stop words", query.Match{Field: "title", Text: "lord of the rings"}, query.Bool{Should: nodes{query.Best{Of: nodes{query.Bool{Must: title("lord", "ring")}, title("lotr")[0]}}}}},
		{"stop words of the rule", query.Match{Field: "title", Text: "lotr"}, query.Bool{Should: nodes{query.Best{Of: append(title("lotr"), phrase("lord of the rings"))}}}},
		{"without positions", query.Match{Field: "body", Text: "pendrive"}, query.Bool{Should: nodes{query.Best{Of: append(body("pendrive"),
			query.Match{Field: "body", Text: "usb stick", Mode: query.ModeAnd}, query.Match{Field: "body", Text: "thumb drive", Mode: query.ModeAnd})}}}},
		{"a boost of its own", query.Match{Fields: []string{"title^3"}, Text: "club"},
			query.Bool{Should: nodes{query.Best{Of: nodes{query.Term{Field: "title", Text: "club", Boost: 1.5}, query.Term{Field: "title", Text: "stick", Boost: 1.5}}}}}},
		{"several fields", query.Match{Text: "cheap red clubs then", Boost: 2}, query.Bool{Boost: 2, Should: nodes{both("cheap red", query.ModeOr),
			query.Best{Of: nodes{query.Match{Fields: []string{"title", "body"}, Text: "clubs", Mode: query.ModeAnd}, title("stick")[0]}}, both("then", query.ModeOr)}}},
		{"and in several fields", query.Match{Text: "the red club", Mode: query.ModeAnd}, query.Bool{
			Should: nodes{query.Best{Of: nodes{both("the", query.ModeAnd), body("foo")[0]}}},
			Must:   nodes{both("red", query.ModeAnd), query.Best{Of: nodes{both("club", query.ModeAnd), query.Bool{Should: nodes{title("stick")[0], body("stick")[0]}}}}}}},
		{"beside a keyword", query.Match{Fields: []string{"tag", "title"}, Text: "club"},
			query.Bool{Should: nodes{query.Match{Fields: []string{"tag"}, Text: "club"}, query.Best{Of: nodes{query.Match{Fields: []string{"title"}, Text: "club", Mode: query.ModeAnd}, title("stick")[0]}}}}},
		{"and beside a keyword", query.Match{Fields: []string{"tag", "title"}, Text: "club", Mode: query.ModeAnd}, nil},
		{"a keyword", query.Match{Field: "tag", Text: "club"}, nil},
		{"a field that is not there", query.Match{Field: "club", Text: "club"}, nil},
		{"a field twice", query.Match{Fields: []string{"title", "title^2"}, Text: "club"}, nil},
		{"no boost", query.Match{Fields: []string{"title^x"}, Text: "club"}, nil},
		{"words of a list", query.Bool{Should: nodes{word("cheap"), word("usb"), word("stick"), word("club"), query.All{}}}, query.Bool{Should: nodes{word("cheap"),
			query.Best{Of: nodes{query.Bool{Must: nodes{word("usb"), word("stick")}}, phrase("thumb drive"), title("pendriv")[0]}}, query.Bool{Must: nodes{query.Best{Of: title("club", "stick")}}}, query.All{}}}},
		{"words of two lists", query.Bool{Must: nodes{word("usb")}, Should: nodes{word("red"), query.All{}, word("thumb")}, Filter: nodes{word("drive")}}, nil},
		{"other boosts", query.And{query.Match{Field: "title", Text: "usb", Boost: 2}, query.Match{Field: "title", Text: "thumb"}, query.Match{Field: "title", Text: "drive", Boost: 2}}, nil},
		{"within", query.And{query.Const{Node: query.Best{Of: nodes{query.Not{Node: query.Or{word("i"), word("pod")}}}}}},
			query.And{query.Const{Node: query.Best{Of: nodes{query.Not{Node: query.Or{title("ipod")[0]}}}}}}},
		{"not one rule after another", query.Or{word("club"), word("i"), word("pod")}, query.Or{query.Bool{Must: nodes{query.Best{Of: title("club", "stick")}}}, title("ipod")[0]}},
		{"at least two", query.Bool{AtLeast: 2, Should: nodes{word("usb"), word("stick")}}, query.Bool{AtLeast: 2, Should: nodes{word("usb"), query.Bool{Must: nodes{club}}}}},
		{"typos", query.Match{Field: "title", Text: "cheap clubs", Typos: true}, query.Bool{Should: nodes{query.Match{Field: "title", Text: "cheap", Mode: query.ModeAnd, Typos: true},
			query.Best{Of: nodes{query.Match{Field: "title", Text: "clubs", Mode: query.ModeAnd, Typos: true}, title("stick")[0]}}}}},
		{"typos in several fields", query.Match{Text: "pendrive", Typos: true}, query.Bool{Should: nodes{query.Best{Of: nodes{
			query.Match{Fields: []string{"title", "body"}, Text: "pendrive", Mode: query.ModeAnd, Typos: true},
			query.Bool{Should: nodes{query.Best{Of: nodes{phrase("usb stick"), phrase("thumb drive")}}, query.Best{Of: nodes{
				query.Match{Field: "body", Text: "usb stick", Mode: query.ModeAnd}, query.Match{Field: "body", Text: "thumb drive", Mode: query.ModeAnd}}}}}}}}}},
		{"nothing", nil, nil},
	} {
		if c.want == nil {
			c.want = c.n
		}
		before := query.Clone(c.n)
		got, err := set.Rewrite(synonymSchema(), c.n)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n%+v, want\n%+v: %v", c.name, got, c.want, err)
		}
		if !reflect.DeepEqual(c.n, before) {
			t.Errorf("%s: the node has changed: %+v", c.name, c.n)
		}
	}
	if _, err := set.Rewrite(synonymSchema(), query.Match{Text: "x", Mode: query.ModeAndOr}); !errors.Is(err, query.ErrInvalid) {
		t.Error(err)
	}
}

// A set is that of its rules again.
func TestSynonymsRules(t *testing.T) {
	set, err := query.ParseSynonyms(strings.NewReader("usb stick, thumb drive\ni-pod, i pod => ipod\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []query.SynonymRule
	for r := range set.In("title", nil).Rules() {
		got = append(got, r)
	}
	want := []query.SynonymRule{{[]string{"usb stick", "thumb drive"}, []string{"usb stick", "thumb drive"}}, {[]string{"i-pod", "i pod"}, []string{"ipod"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for range new(query.Synonyms).Rules() {
		t.Error("a set without rules has one")
	}
	for range set.Rules() {
		break
	}
}
