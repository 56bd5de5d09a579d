package query

import (
	"errors"
	"reflect"
	"testing"
)

func TestParseTextPhrases(t *testing.T) {
	for text, want := range map[string]Node{
		`note:"a red rose"`:             Phrase{Field: "note", Text: "a red rose"},
		`note:("to be" "in \"red cup")`: Bool{Should: []Node{in("note", "to be"), Phrase{Field: "note", Text: `in "red cup`}}},
		`note:"red rose"~2^3`:           Phrase{Field: "note", Text: "red rose", Slop: 2, Boost: 3},
		`(note:"red rose"^2)^3`:         Phrase{Field: "note", Text: "red rose", Boost: 6},
		`note:"red ro"*`:                Phrase{Field: "note", Text: "red ro", Prefix: true},
		`note:"red ro"*~0^2 *`:          Bool{Should: []Node{Phrase{Field: "note", Text: "red ro", Prefix: true, Boost: 2}, All{}}},
		`note:"red ro*"`:                Phrase{Field: "note", Text: "red ro*"},
		`note:"ro"*~2147483647`:         Phrase{Field: "note", Text: "ro", Prefix: true, Slop: MaxSlop},
		`note:"the ro"~7`:               in("note", "the ro"),
		`"ro"~1 ro~1`:                   Bool{Should: []Node{m("ro"), Fuzzy{Text: "ro", Edits: 1}}},
		`"ro"*`:                         Phrase{Text: "ro", Prefix: true},
		`tag:"new yo"*`:                 pass(Prefix{Field: "tag", Text: "new yo"}),
		`tag:"new york"~2`:              pass(is("tag", "new york")),
		// Quotation marks of print are quotes, and end at the next of their kind.
		`note:“a red rose”`:       Phrase{Field: "note", Text: "a red rose"},
		`note:„a red rose“~2`:     Phrase{Field: "note", Text: "a red rose", Slop: 2},
		`note:»red ro«*^2`:        Phrase{Field: "note", Text: "red ro", Prefix: true, Boost: 2},
		`note:”red \”rose”`:       Phrase{Field: "note", Text: "red ”rose"},
		`note:("x “y” z" «b "c»)`: Bool{Should: []Node{Phrase{Field: "note", Text: "x “y” z"}, Phrase{Field: "note", Text: `b "c`}}},
		`tag:「new york」 “a”`:      Bool{Must: []Node{m("a")}, Filter: []Node{is("tag", "new york")}},
		`tag:(＂a＂ OR ‹b c›)`:      pass(Or{is("tag", "a"), is("tag", "b c")}),
		`a OR“b”AND„c“ 5″ ‘d’`:    Bool{Should: []Node{Bool{Should: []Node{m("a"), Bool{Must: []Node{m("b"), m("c")}}}}, m("5″"), m("‘d’")}},
		`"a" *`:                   Bool{Should: []Node{m("a"), All{}}},
	} {
		if got, err := Parse(languageSchema, text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, %v\nwant\n%+v", text, got, err, want)
		}
	}
}

func TestParseTextPhraseErrors(t *testing.T) {
	const slop = `: ~ behind a quote takes a number: by how many places words may be out of place, up to 2147483647`
	for text, want := range map[string]string{
		`"red rose"`:          `at character 1, "\"red rose\"": a phrase of 2 words cannot be searched for: the fields body, code, title are indexed without positions. (a AND b) finds documents with both`,
		`body:"red ro"*`:      `at character 6, "\"red ro\"*": a phrase of 2 words cannot be searched for: the field body is indexed without positions. (a AND b) finds documents with both`,
		`note:"a b"~`:         `at character 11, "~"` + slop,
		`note:"a b"~1.5`:      `at character 11, "~1.5"` + slop,
		`note:"a"~2147483648`: `at character 9, "~2147483648"` + slop,
		`note:"a b"~1x`:       `at character 11, "~1x"` + slop,
		`note:"a b"~1*`:       `at character 13, "*": * stands directly behind the quote, before ~`,
		`note:"a b`:           `at character 6, "\"a b": nothing closes this quote (the character is written \")`,
	} {
		_, err := Parse(languageSchema, text)
		if place := new(SyntaxError); err == nil || err.Error() != "query: "+want || !errors.Is(err, ErrInvalid) || !errors.As(err, &place) {
			t.Errorf("%s: %v\nwant query: %s", text, err, want)
		}
	}
}
