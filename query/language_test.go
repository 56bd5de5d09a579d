package query

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/schema"
)

var languageSchema = &schema.Schema{Fields: []schema.Field{
	{Name: "title", Kind: schema.Text, Analyzer: "english"}, {Name: "body", Kind: schema.Text, Analyzer: "standard"},
	{Name: "code", Kind: schema.Text, Analyzer: "code"}, {Name: "note", Kind: schema.Text, Analyzer: "english", Positions: true},
	{Name: "tag", Kind: schema.Keyword}, {Name: "year", Kind: schema.Integer},
	{Name: "price", Kind: schema.Float, Column: true}, {Name: "ts", Kind: schema.Time, Unit: schema.UnitSecond, Column: true},
	{Name: "level", Kind: schema.Keyword, Index: schema.IndexNone, Column: true}, {Name: "host", Kind: schema.Keyword, Column: true},
}}

func m(text string) Node           { return Match{Text: text, Mode: ModeAnd} }
func in(field, text string) Node   { return Match{Field: field, Text: text, Mode: ModeAnd} }
func times(b float64, n Node) Node { n, _ = boosted(n, b); return n }

// pass restricts to what all filters pass, is to what a word of a field of keywords that is no column is in.
func pass(f ...Node) Node        { return Bool{Filter: f} }
func is(field, text string) Node { return in(field, text) }

func TestParseText(t *testing.T) {
	for text, want := range map[string]Node{
		"":                          Bool{},
		" \t\n":                     Bool{},
		"()":                        Bool{},
		"a":                         m("a"),
		"Straße":                    m("Straße"),
		"a b":                       Bool{Should: []Node{m("a"), m("b")}},
		"+a -b c":                   Bool{Must: []Node{m("a")}, MustNot: []Node{m("b")}, Should: []Node{m("c")}},
		"+a":                        m("a"),
		"a NOT b":                   Bool{Should: []Node{m("a")}, MustNot: []Node{m("b")}},
		"a !b":                      Bool{Should: []Node{m("a")}, MustNot: []Node{m("b")}},
		"a AND b":                   Bool{Must: []Node{m("a"), m("b")}},
		"a && b&&c":                 Bool{Must: []Node{m("a"), m("b&&c")}},
		"a AND NOT b AND c":         Bool{Must: []Node{m("a"), m("c")}, MustNot: []Node{m("b")}},
		"NOT a AND b":               Bool{Must: []Node{m("b")}, MustNot: []Node{m("a")}},
		"a AND -b":                  Bool{Must: []Node{m("a")}, MustNot: []Node{m("b")}},
		"a OR b AND c":              Bool{Should: []Node{m("a"), Bool{Must: []Node{m("b"), m("c")}}}},
		"a || b c":                  Bool{Should: []Node{Bool{Should: []Node{m("a"), m("b")}}, m("c")}},
		"+(a OR b) -(c d)":          Bool{Must: []Node{Bool{Should: []Node{m("a"), m("b")}}}, MustNot: []Node{Bool{Should: []Node{m("c"), m("d")}}}},
		"(a)":                       m("a"),
		"((a b))":                   Bool{Should: []Node{m("a"), m("b")}},
		"a()b":                      Bool{Should: []Node{m("a"), m("b")}},
		"a AND ()":                  m("a"),
		"ANDROID OR NOTE":           Bool{Should: []Node{m("ANDROID"), m("NOTE")}},
		"and or not":                Bool{Should: []Node{m("and"), m("or"), m("not")}},
		`\AND "OR" \NOT`:            Bool{Should: []Node{m("AND"), m("OR"), m("NOT")}},
		"state-of-the-art c++ a+b":  Bool{Should: []Node{m("state-of-the-art"), m("c++"), m("a+b")}},
		"title:a":                   in("title", "a"),
		"title:(a tag:b) c":         Bool{Should: []Node{Bool{Must: []Node{in("title", "a")}, Filter: []Node{is("tag", "b")}}, m("c")}},
		`tag:"new york"`:            pass(is("tag", "new york")),
		`tag:new\ york`:             pass(is("tag", "new york")),
		"tag:http://a.b:80":         pass(is("tag", "http://a.b:80")),
		`"a"`:                       m("a"),
		`tag:"a \"\\\ü"`:            pass(is("tag", `a "\ü`)),
		`title:"the cat"`:           in("title", "the cat"),
		`"cat"^2`:                   times(2, m("cat")),
		`code:"fooBar"`:             in("code", "fooBar"),
		"ab*":                       Prefix{Text: "ab"},
		"title:ab*^0.5":             Prefix{Field: "title", Text: "ab", Boost: 0.5},
		`a\*`:                       m("a*"),
		`a\**`:                      Prefix{Text: "a*"},
		`a?\?b*`:                    Wildcard{Pattern: `a?\?b*`},
		"*a":                        Wildcard{Pattern: "*a"},
		"a**":                       Wildcard{Pattern: "a**"},
		"title:*":                   Wildcard{Field: "title", Pattern: "*"},
		"*":                         All{},
		"*^3 -a":                    Bool{Should: []Node{All{Score: 3}}, MustNot: []Node{m("a")}},
		"ab~":                       Fuzzy{Text: "ab"},
		"ab~1^2":                    Fuzzy{Text: "ab", Edits: 1, Boost: 2},
		"ab~2 c":                    Bool{Should: []Node{Fuzzy{Text: "ab", Edits: 2}, m("c")}},
		"(a^2 b)^1.5":               Bool{Should: []Node{times(2, m("a")), m("b")}, Boost: 1.5},
		"(a^2)^3":                   times(6, m("a")),
		`\+a \-b \(c\) d\:e \"f\ g`: Bool{Should: []Node{m("+a"), m("-b"), m("(c)"), m("d:e"), m(`"f g`)}},
		"-a *":                      Bool{Should: []Node{All{}}, MustNot: []Node{m("a")}},
		"why? [ok\\[ \\[":           nil,
	} {
		got, err := Parse(languageSchema, text)
		if want == nil {
			if err == nil {
				t.Errorf("%s: %+v", text, got)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, %v\nwant\n%+v", text, got, err, want)
		}
	}
}

func TestParseTextErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a AND (b c":        `at character 7, "(b c": nothing closes this (`,
		"ä b)":              `at character 4, ")": nothing opens this )`,
		`a "b`:              `at character 3, "\"b": nothing closes this quote (the character is written \")`,
		`a "b\`:             `at character 3, "\"b\\": nothing closes this quote (the character is written \")`,
		`12” b`:             `at character 3, "” b": nothing closes this quote (the character is written \”)`,
		`«a "b" c”`:         `at character 1, "«a \"b\" c”": nothing closes this quote (the character is written \«)`,
		`a\`:                `at character 2, "\\": nothing follows \`,
		"a AND":             "at the end: a part is missing",
		"(a OR )":           `at character 7, ")": a part is missing`,
		"AND a":             `at character 1, "AND a": AND stands between two parts (to search for the word, write "AND")`,
		"a OR OR b":         `at character 6, "OR b": OR stands between two parts (to search for the word, write "OR")`,
		"a NOT":             "at the end: a part is missing",
		"rock - paper":      `at character 6, "- paper": - stands directly before a part (the character is written \-)`,
		"a +":               `at character 3, "+": + stands directly before a part (the character is written \+)`,
		"a --b":             `at character 4, "-b": one sign follows another`,
		"a NOT -b":          `at character 7, "-b": one sign follows another`,
		"a OR -b":           `at character 6, "-b": an alternative of OR can be neither required nor excluded: put it into brackets with what it belongs to`,
		"-a -b":             `at character 1, "-a -b": all is excluded here: put * before it, which stands for all documents`,
		"c (NOT a)":         `at character 4, "NOT a)": all is excluded here: put * before it, which stands for all documents`,
		"nope:a":            `at character 1, "nope:a": there is no field "nope", but body, code, host, note, tag, title; columns are price, ts, level (a colon in a word is written \:)`,
		":a":                `at character 1, ":a": a term must name its field, one of body, code, host, note, tag, title; columns are price, ts, level (a colon in a word is written \:)`,
		"ti*:a":             `at character 1, "ti*:a": * and ? cannot stand in the name of a field (a colon in a word is written \:)`,
		"title: a":          `at character 7, " a": a word is missing`,
		"title:":            `at the end: a word is missing`,
		`title:"a cat sat"`: `at character 7, "\"a cat sat\"": a phrase of 2 words cannot be searched for: the field title is indexed without positions. (a AND b) finds documents with both`,
		"a^":                `at character 2, "^": what follows ^ is no number above 0 and up to 1000000 in digits, as 3 or 1.5 (the character is written \^)`,
		"a^0":               `at character 2, "^0": what follows ^ is no number above 0 and up to 1000000 in digits, as 3 or 1.5 (the character is written \^)`,
		"a^1.2.3":           `at character 2, "^1.2.3": what follows ^ is no number above 0 and up to 1000000 in digits, as 3 or 1.5 (the character is written \^)`,
		"(a^1000000)^2":     `at character 12, "^2": what follows ^ is no number above 0 and up to 1000000 in digits, as 3 or 1.5 (the character is written \^)`,
		"tulip^1e3":         `at character 6, "^1e3": what follows ^ is no number above 0 and up to 1000000 in digits, as 3 or 1.5 (the character is written \^)`,
		"a tulip^1,5 b":     `at character 8, "^1,5 b": what follows ^ is no number above 0 and up to 1000000 in digits, as 3 or 1.5 (the character is written \^)`,
		"tag:x^+2":          `at character 6, "^+2": what follows ^ is no number above 0 and up to 1000000 in digits, as 3 or 1.5 (the character is written \^)`,
		"(a b)^x":           `at character 6, "^x": what follows ^ is no number above 0 and up to 1000000 in digits, as 3 or 1.5 (the character is written \^)`,
		"a^0x1":             `at character 2, "^0x1": what follows ^ is no number above 0 and up to 1000000 in digits, as 3 or 1.5 (the character is written \^)`,
		"a~1b":              `at character 2, "~1b": a word takes ~, ~1 or ~2: the greatest number of edits (the character is written \~)`,
		"a~1,5":             `at character 2, "~1,5": a word takes ~, ~1 or ~2: the greatest number of edits (the character is written \~)`,
		"a^2^3":             `at character 4, "^3": ^ cannot stand here (the character is written \^)`,
		"^2":                `at character 1, "^2": nothing precedes ^ (the character is written \^)`,
		"a~3":               `at character 2, "~3": a word takes ~, ~1 or ~2: the greatest number of edits (the character is written \~)`,
		"a~0.8":             `at character 2, "~0.8": a word takes ~, ~1 or ~2: the greatest number of edits (the character is written \~)`,
		"a*~":               `at character 3, "~": ~ goes with a word, not with a pattern`,
		"title:[2 TO 3]":    `at character 7, "[2 TO 3]": a range is written 1..2, in a field that is a column (the character is written \[)`,
		"year:2000":         `at character 1, "year:2000": field "year", of kind integer, is neither indexed nor a column (a colon in a word is written \:)`,
	} {
		_, err := Parse(languageSchema, text)
		if place := new(SyntaxError); err == nil || err.Error() != "query: "+want || !errors.Is(err, ErrInvalid) || !errors.As(err, &place) || place.Text != text {
			t.Errorf("%s: %v\nwant query: %s", text, err, want)
		}
	}
	whole := &schema.Schema{Fields: []schema.Field{{Kind: schema.Text, Analyzer: "nobody knows"}}}
	if n, err := Parse(whole, "+a b"); err != nil || !reflect.DeepEqual(n, Bool{Must: []Node{m("a")}, Should: []Node{m("b")}}) {
		t.Errorf("without a schema: %v, %v", n, err)
	}
	for text, want := range map[string]string{
		"a:b":                          `query: at character 1, "a:b": there is no field "a", but text (a colon in a word is written \:)`,
		`"a"`:                          `query: at character 1, "\"a\"": analysis: unknown analyzer "nobody knows"`,
		strings.Repeat("(", 200) + "a": `query: at character 101, "((((((((((((((((((((": more than 100 brackets within one another`,
	} {
		if _, err := Parse(whole, text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Parse(nil, "a"); !errors.Is(err, ErrInvalid) {
		t.Errorf("no schema: %v", err)
	}
}

// printed returns a text that says what n says. It has brackets around all that needs some, and around much that
// needs none.
func printed(n Node) string {
	field, boost, s := "", 0.0, ""
	escaped := func(text, but string) (s string) { // each character on its own
		for len(text) > 0 {
			_, n := utf8.DecodeRuneInString(text)
			switch {
			case but != "" && text[0] == '\\':
				_, more := utf8.DecodeRuneInString(text[1:])
				n += more
				s += text[:n]
			case strings.Contains(but, text[:1]) && but != "":
				s += text[:1]
			default:
				s += `\` + text[:n]
			}
			text = text[n:]
		}
		return s
	}
	word := func(text string) string { return escaped(text, "") }
	switch n := n.(type) {
	case Const:
		return printed(n.Node) + "^" + strconv.FormatFloat(n.Score, 'f', -1, 64)
	case Match:
		if field, boost, s = n.Field, n.Boost, word(n.Text); s == "" {
			s = `""`
		}
	case Prefix:
		field, boost, s = n.Field, n.Boost, word(n.Text)+"*"
	case Wildcard:
		field, boost, s = n.Field, n.Boost, escaped(n.Pattern, "*?")
	case Fuzzy:
		field, boost, s = n.Field, n.Boost, word(n.Text)+"~"+strings.TrimPrefix(strconv.Itoa(n.Edits), "0")
	case Phrase:
		if field, boost, s = n.Field, n.Boost, `"`+quotable.Replace(n.Text)+`"`; n.Prefix {
			s += "*"
		}
		if n.Slop > 0 {
			s += "~" + strconv.Itoa(n.Slop)
		}
	case All:
		boost, s = n.Score, "*"
	case Bool:
		boost = n.Boost
		for i, x := range n.Should {
			if s += printed(x) + " "; len(n.Must)+len(n.MustNot)+len(n.Filter) == 0 && i+1 < len(n.Should) {
				s += "OR "
			}
		}
		for _, x := range n.Must {
			s += " +" + printed(x)
		}
		for _, x := range n.MustNot {
			s += " NOT " + printed(x)
		}
		s = "(" + s + printedFilters(n.Filter) + ")"
	default:
		panic(fmt.Sprintf("%T", n))
	}
	if field != "" {
		s = field + ":" + s
	}
	if boost != 0 {
		s += "^" + strconv.FormatFloat(boost, 'f', -1, 64)
	}
	return s
}

var quotable = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// reparsed fails if the printed form of what text says says something else.
func reparsed(t interface{ Fatalf(string, ...any) }, text string) {
	n, err := Parse(languageSchema, text)
	if err != nil {
		if at := new(SyntaxError); !errors.As(err, &at) || at.Offset < 0 || at.Offset > len(text) || err.Error() == "" {
			t.Fatalf("%q: %v", text, err)
		}
		return
	}
	again, err := Parse(languageSchema, printed(n))
	if err != nil || !reflect.DeepEqual(n, again) {
		t.Fatalf("%q:\n%+v\nand %q:\n%+v, %v", text, n, printed(n), again, err)
	}
}

func TestParseTextAgain(t *testing.T) {
	pieces := []string{"a", "b", "é", " ", " ", "(", ")", `"`, "+", "-", "!", " AND ", " OR ", "NOT ", "&&", "||", "title:", "tag:", "host:", "note:", "“", "”", "«", "»", `"a b"`, `"a b`, "*", "?", "~", "~1", "^2", "^0.5", `\`, ":", "[", "\xff",
		"price:", "level:", "5", "..", "<", ">="}
	rapid.Check(t, func(t *rapid.T) {
		reparsed(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 14).Draw(t, "text"), ""))
	})
}

// FuzzParseText parses any text: what it says, printed, says the same.
func FuzzParseText(x *testing.F) {
	f := fuzzing.New(x)
	for _, text := range []string{"", "a b", `+a -"b" (c OR d^2)^3`, `title:(ab* c~1) tag:"x y"`, `\a\ b?c\* AND NOT d`, "* -a", `tag:(a b*^2 -“c d”)^3 host:a..b host:?~^1`, `a price:1<..5 -level:(x OR "y z") ts:>=2026-01-01 OR host:*`, `note:"a \"b"*~3^2 (code:("a b"~1 "c"*))`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		reparsed(t, text)
		lenient(t, text)
	})
}
