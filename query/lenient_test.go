package query

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/longtest"
)

// typedTexts are what people type, what it means in the query language, written so that ParseText reads it, and what of it is
// taken as words.
var typedTexts = []struct {
	text, means string
	words       []string
}{
	// Words as they are.
	{"good shepherd", "good shepherd", nil},
	{"c++ templates", "c++ templates", nil},
	{"state-of-the-art", "state-of-the-art", nil},
	{"C# 12 & F#", "C# 12 & F#", nil},
	{"rock'n'roll", "rock'n'roll", nil},
	{"don’t stop", "don’t stop", nil},
	{"50% off!", "50% off!", nil},
	{"$100 + tax", `$100 \+ tax`, []string{"+"}},
	{"me@example.org", "me@example.org", nil},
	{"#golang @home", "#golang @home", nil},
	{"a/b/c.txt", "a/b/c.txt", nil},
	{`C\:/Windows`, `C\:/Windows`, nil},
	{"café naïve Größe", "café naïve Größe", nil},
	{"東京 タワー", "東京 タワー", nil},
	{"größer > 5", "größer > 5", nil},
	{"x=y; z<w", "x=y; z<w", nil},
	{"1,000.50", "1,000.50", nil},
	{"2026-11-28", "2026-11-28", nil},
	{"...", "...", nil},
	{"=", "=", nil},
	{"& | =", "& | =", nil},
	{"", "", nil},
	{"   ", "", nil},

	// Question marks.
	{"where is the shepherd?", `where is the shepherd\?`, nil},
	{"what? why??", `what\? why\?\?`, nil},
	{"?", `\?`, nil},
	{"??? help", `\?\?\? help`, nil},
	{"(who?)", `(who\?)`, nil},
	{`"good shepherd?"`, `note:"good shepherd?"`, nil},
	{"r?se", "r?se", nil},
	{"ro*?", "ro*", nil},
	{"rose~?", `rose \?`, []string{"rose~?"}},
	{"rose?~", "rose~", nil},
	{"rose?^2", `rose\?^2`, nil},
	{"tag:who?", `tag:who\?`, nil},
	{"¿dónde?", `¿dónde\?`, nil},

	// Colons.
	{"John 3:16", `John 3\:16`, []string{"3:16"}},
	{"10:30", `10\:30`, []string{"10:30"}},
	{"at 10:30:15 sharp", `at 10\:30\:15 sharp`, []string{"10:30:15"}},
	{"https://example.org/a?b=c&d=*", `https\://example.org/a\?b=c&d=\*`, []string{"https://example.org/a?b=c&d=*"}},
	{"http://localhost:8080", `http\://localhost\:8080`, []string{"http://localhost:8080"}},
	{"std::vector", `std\:\:vector`, []string{"std::vector"}},
	{"std::vector<int>", `std\:\:vector<int>`, []string{"std::vector<int>"}},
	{"foo: bar", `foo\: bar`, []string{"foo:"}},
	{"Re: your mail", `Re\: your mail`, []string{"Re:"}},
	{"error: nothing :(", `error\: nothing \:`, []string{"error:", ":("}},
	{":)", `\:`, []string{":)"}},
	{"title:", `title\:`, []string{"title:"}},
	{"title: rose", `title\: rose`, []string{"title:"}},
	{"title:rose", "title:rose", nil},
	{"title:10:30", `title:10\:30`, nil},
	{":rose", `\:rose`, []string{":rose"}},
	{"ti*le:rose", `ti\*le\:rose`, []string{"ti*le:rose"}},
	{"nope:(a b)", `nope\: (a b)`, []string{"nope:(a"}},
	{`nope:"a"`, `nope\: a`, []string{`nope:"a"`}},
	{"year:2000", `year\:2000`, []string{"year:2000"}},
	{"-nope:a b", `-nope\:a b`, []string{"-nope:a"}},
	{"10:30-11:45", `10\:30-11\:45`, []string{"10:30-11:45"}},
	{"a:b:c", `a\:b\:c`, []string{"a:b:c"}},
	{"C:\\", `C\:\\`, []string{`C:\`}},
	{"e:f AND g", `e\:f AND g`, []string{"e:f"}},

	// Values that the fields cannot have.
	{"price:<20 rose", "price:<20 rose", nil},
	{"price:cheap", `price\:cheap`, []string{"price:cheap"}},
	{"price:10..", `price\:10..`, []string{"price:10.."}},
	{"price:..20", `price\:..20`, []string{"price:..20"}},
	{"price:1..2..3", `price\:1..2..3`, []string{"price:1..2..3"}},
	{"price:>=", `price\:>=`, []string{"price:>="}},
	{"price:<", `price\:<`, []string{"price:<"}},
	{"price:$10", `price\:$10`, []string{"price:$10"}},
	{"price: 10", `price\: 10`, []string{"price:"}},
	{"price:(1 OR cheap)", `price\: (1 OR cheap)`, []string{"price:(1"}},
	{"price:[10 TO 20]", `price\:[10 TO 20]`, []string{"price:[10"}},
	{"price:1*", `price\:1\*`, []string{"price:1*"}},
	{"ts:yesterday", `ts\:yesterday`, []string{"ts:yesterday"}},
	{"ts:>2026-11-28 refused", "ts:>2026-11-28 refused", nil},
	{"ts:>2026-13-40", `ts\:>2026-13-40`, []string{"ts:>2026-13-40"}},
	{"tag:1..2", "tag:1..2", nil},
	{"tag:>5", `tag\:>5`, []string{"tag:>5"}},
	{"tag:", `tag\:`, []string{"tag:"}},
	{"level:er*", `level\:er\*`, []string{"level:er*"}},
	{"level:error", "level:error", nil},
	{"rose price:(", `rose price\:`, []string{"price:("}},

	// Signs.
	{"server - tools", `server \- tools`, []string{"-"}},
	{"server – tools", "server – tools", nil},
	{"a + b", `a \+ b`, []string{"+"}},
	{"a ! b", `a \! b`, []string{"!"}},
	{"-", `\-`, []string{"-"}},
	{"--", `\--`, []string{"--"}},
	{"rm --force", `rm \--force`, []string{"--force"}},
	{"+-5", `\+-5`, []string{"+-5"}},
	{"rose -", `rose \-`, []string{"-"}},
	{"rose -)", `rose \-`, []string{"-)"}},
	{"-rose", "* -rose", nil},
	{"-rose -thorn", "* -rose -thorn", nil},
	{"NOT rose", "* NOT rose", nil},
	{"a (-b)", "a (* -b)", nil},
	{"+rose -thorn red", "+rose -thorn red", nil},
	{"wow!", "wow!", nil},
	{"!important", "* !important", nil},
	{"a !important", "a !important", nil},
	{"NOT -a b", `NOT \-a b`, []string{"-a"}},
	{"a NOT NOT b", `a NOT "NOT" b`, []string{"NOT"}},
	{"x AND -", `x AND \-`, []string{"-"}},
	{"- -", `\- \-`, []string{"-", "-"}},

	// Operators.
	{"lord AND", `lord "AND"`, []string{"AND"}},
	{"AND lord", `"AND" lord`, []string{"AND"}},
	{"lord OR", `lord "OR"`, []string{"OR"}},
	{"lord NOT", `lord "NOT"`, []string{"NOT"}},
	{"AND", `"AND"`, []string{"AND"}},
	{"OR OR OR", `"OR" OR "OR"`, []string{"OR", "OR"}},
	{"ROCK AND ROLL", "ROCK AND ROLL", nil},
	{"a AND AND b", `a AND "AND" b`, []string{"AND"}},
	{"a || || b", `a || \|| b`, []string{"||"}},
	{"a &&", `a \&&`, []string{"&&"}},
	{"&& a", `\&& a`, []string{"&&"}},
	{"(AND)", `("AND")`, []string{"(AND)"}},
	{"a OR -b", "a OR (* -b)", nil},
	{"a OR +b", "a OR b", nil},
	{"-a OR b", "(* -a) OR b", nil},
	{"(lord AND) king", `(lord "AND") king`, []string{"AND)"}},
	{"and or not", "and or not", nil},
	{"TO BE OR NOT TO BE", "TO (BE OR (* -TO)) BE", nil},

	// Brackets.
	{"(a b", "a b", []string{"(a"}},
	{"a b)", "a b", []string{"b)"}},
	{"f(x", "f x", []string{"f(x"}},
	{"f(x)", "f(x)", nil},
	{"f()", "f()", nil},
	{"((a)", "(a)", []string{"((a)"}},
	{")(", "", []string{")("}},
	{"a) AND (b", "a AND b", []string{"a)", "(b"}},
	{"rose [red]", `rose \[red]`, []string{"[red]"}},
	{"{a}", `\{a}`, []string{"{a}"}},
	{"title:(red rose", `title\: red rose`, []string{"title:(red"}},
	{"🙂 :-)", `🙂 \:-`, []string{":-)"}},
	{"1) first 2) second", "1 first 2 second", []string{"1)", "2)"}},

	// Quotes.
	{`"good`, "good", []string{`"good`}},
	{`good"`, "good", []string{`good"`}},
	{`5" pipe`, "5 pipe", []string{`5"`}},
	{`6' 2" tall`, "6' 2 tall", []string{`2"`}},
	{`"`, "", []string{`"`}},
	{`"""`, `""`, []string{`"""`}},
	{"“good shepherd”", `note:"good shepherd"`, nil},
	{"„gut", "gut", []string{"„gut"}},
	{"12” pipe", "12 pipe", []string{"12”"}},
	{"'single quotes'", "'single quotes'", nil},
	{`"rose"`, "rose", nil},
	{`""`, `""`, nil},
	{`shep*"`, "shep*", []string{`shep*"`}},
	{`"red rose"~x`, `note:"red rose" x`, []string{`rose"~x`}},
	{`"red rose`, "red rose", []string{`"red`}},
	{`note:"red rose`, `note\: red rose`, []string{`note:"red`}},
	{`note:"red rose"`, `note:"red rose"`, nil},
	{`title:"red rose"`, `title:red\ rose`, []string{`title:"red rose"`}},

	// Boosts and edits.
	{"rose^", "rose", []string{"rose^"}},
	{"rose^2", "rose^2", nil},
	{"rose^1,5", "rose 1,5", []string{"rose^1,5"}},
	{"^_^", "_", []string{"^_^"}},
	{"2^10", "2^10", nil},
	{"2^n", "2 n", []string{"2^n"}},
	{"~/home", "/home", []string{"~/home"}},
	{"rose~", "rose~", nil},
	{"rose~3", "rose 3", []string{"rose~3"}},
	{"~~~", "", []string{"~~~"}},
	{"ro*~", "ro*", []string{"ro*~"}},
	{"a~ b~~", "a~ b~", []string{"b~~"}},

	// Backslashes.
	{`back\`, `back\\`, []string{`back\`}},
	{`\`, `\\`, []string{`\`}},
	{`a\ b`, `a\ b`, nil},
}

func TestParseLenient(t *testing.T) {
	for _, c := range typedTexts {
		want, err := Parse(languageSchema, c.means)
		if err != nil {
			t.Fatal(err)
		}
		got := ParseLenient(languageSchema, c.text)
		if !reflect.DeepEqual(got.Node, want) {
			t.Errorf("%s:\n%+v\nwant %s:\n%+v", c.text, got.Node, c.means, want)
		}
		if !slices.Equal(got.Words, c.words) {
			t.Errorf("%s: taken as words: %q, want %q", c.text, got.Words, c.words)
		}
	}
	if n := len(typedTexts); n < 150 {
		t.Errorf("%d texts", n)
	}
}

// Texts that ParseText takes mean the same to ParseLenient, question marks at the end of words apart. All others mean something.
func TestLenientIsStrict(t *testing.T) {
	marks := strings.Split(`a b rose title: note: price: tag: nope: : ( ) " “ ” « ? * + - ! ^ ^2 ~ ~1 \ [ 10 .. < >= AND OR NOT && || é 日 `, " ")
	marks = append(marks, " ", " ", " ", "\t")
	rapid.Check(t, func(t *rapid.T) {
		lenient(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(marks), 0, 14).Draw(t, "text"), ""))
	})
}

// lenient fails if ParseLenient takes a text in another sense than ParseText.
func lenient(t interface{ Fatalf(string, ...any) }, text string) {
	got := ParseLenient(languageSchema, text)
	want, err := Parse(languageSchema, text)
	switch {
	case err == nil && !strings.Contains(text, "?") && strings.Count(text, "(") <= maxTypedDepth && (!reflect.DeepEqual(got.Node, want) || got.Words != nil):
		t.Fatalf("%q: %+v, %q\nwant %+v", text, got.Node, got.Words, want)
	case got.Node == nil:
		t.Fatalf("%q is nothing", text)
	}
	for _, w := range got.Words {
		if !strings.Contains(text, w) {
			t.Fatalf("%q has no %q", text, w)
		}
	}
}

// What has too many parts, too many faults, or is too long to be mended, is words.
func TestLenientLimits(t *testing.T) {
	longtest.Once(t)
	long := strings.Repeat("rose ", maxFaultyText/5+1)
	for text, mended := range map[string]bool{
		strings.Repeat(") ", maxFaults):                                           true,
		strings.Repeat(") ", maxFaults+1):                                         false,
		"+rose " + strings.Repeat("a ", maxTypedParts-1):                          true,
		"+rose " + strings.Repeat("a ", maxTypedParts):                            false,
		"+rose (" + strings.Repeat("aaaaaaaaaaaaaaaaaaaaaaaa ", maxFaultyText/25): true,
		"+(" + long: false,
		strings.Repeat("(", maxTypedDepth) + "a" + strings.Repeat(")", maxTypedDepth): true,
	} {
		got := ParseLenient(languageSchema, text)
		if m, all := got.Node.(Match); mended == (all && m.Text == text) {
			t.Errorf("%.20s..., of %d bytes: mended %v", text, len(text), !mended)
		}
	}
	for _, text := range []string{strings.Repeat("?", 4<<20), "a" + strings.Repeat("?", 4<<20) + "b"} { // hours, if each were looked at from each
		if got := ParseLenient(languageSchema, text); got.Words != nil {
			t.Errorf("%d words of question marks", len(got.Words))
		}
	}
	phrases := strings.Repeat(`"rose","`, 1<<19) // hours, if the text were looked back from each
	if got := ParseLenient(languageSchema, phrases); !slices.Equal(got.Words, []string{phrases}) {
		t.Errorf("%d words of phrases", len(got.Words))
	}
	deep := strings.Repeat("(", maxTypedDepth+3) + "a" + strings.Repeat(")", maxTypedDepth+3)
	if got := ParseLenient(languageSchema, deep); !slices.Equal(got.Words, []string{deep}) {
		t.Errorf("%q", got.Words)
	}
}
