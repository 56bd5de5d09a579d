package analysis

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	stemmer "github.com/blevesearch/snowballstem/english"
	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/internal/longtest"
)

var (
	wordRuns    = regexp.MustCompile(`[\p{L}\p{Nd}]+`)
	typographic = regexp.MustCompile(`[‘’‛ʼ＇]`)
)

// oracle cuts text in the simplest way, with strings and regular expressions.
func oracle(name, text string, fold bool, rewrite func(string) string) []string {
	out := []string{}
	if fold {
		text = typographic.ReplaceAllLiteralString(text, "'")
	}
	keep := func(s string, max int) {
		if len(s) > max {
			return
		}
		if s = rewrite(s); s != "" {
			out = append(out, s)
		}
	}
	switch name {
	case "simple":
		for _, s := range wordRuns.FindAllString(text, -1) {
			keep(s, 64)
		}
	case "simple, marks":
		for _, s := range compiled(`[\p{L}\p{Nd}](?:[\p{L}\p{Nd}\p{M}]|`+unseen+`)*`).FindAllString(text, -1) {
			keep(s, 64)
		}
	case "whitespace":
		for _, s := range strings.Fields(text) {
			keep(s, 65535)
		}
	default:
		seg := words.FromString(text)
		for seg.Next() {
			if s := seg.Value(); strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }) {
				keep(s, 255)
			}
		}
		if name == "english" {
			out = stemmed(out)
		}
	}
	return out
}

// unread returns the invalid byte or the U+FFFD that s begins with.
func unread(s string) string {
	if strings.HasPrefix(s, "\uFFFD") {
		return s[:3]
	}
	return s[:1]
}

// normalized puts the valid parts of s in a form, each by itself.
func normalized(form norm.Form, s string) string {
	var b strings.Builder
	part := ""
	for i, r := range s {
		if r == unicode.ReplacementChar && !strings.HasPrefix(s[i:], "\uFFFD") {
			b.WriteString(form.String(part) + s[i:i+1])
			part = ""
			continue
		}
		part += string(r)
	}
	return b.String() + form.String(part)
}

// lowered maps runes with unicode.ToLower and leaves invalid bytes alone.
func lowered(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r == unicode.ReplacementChar {
			b.WriteString(unread(s[i:]))
			continue
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// unseen matches what has the property Default_Ignorable_Code_Point within words.
const unseen = `[\x{ad}\x{34f}\x{61c}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180f}\x{200c}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}` +
	`\x{3164}\x{fe00}-\x{fe0f}\x{feff}\x{ffa0}\x{fff0}-\x{fff8}\x{1bca0}-\x{1bca3}\x{1d173}-\x{1d17a}\x{e0000}-\x{e0fff}]`

// seen removes them, and U+200B.
func seen(s string) string { return compiled(unseen+`|\x{200b}`).ReplaceAllLiteralString(s, "") }

// TestIgnorable compares the table with the property as Unicode derives it.
func TestIgnorable(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector) &&
			!unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark) &&
			!(0xfff9 <= r && r <= 0xfffb) && !(0x13430 <= r && r <= 0x1343f)
		if isIgnorable(r) != want {
			t.Errorf("%U: %v", r, !want)
		}
	}
}

// bared removes marks after Latin and Greek letters from decomposed s.
func bared(s string) string {
	var b strings.Builder
	last := rune(0)
	for i, r := range s {
		if r == unicode.ReplacementChar {
			b.WriteString(unread(s[i:]))
			last = 0
			continue
		}
		if !unicode.Is(unicode.Mn, r) {
			last = r
		} else if unicode.In(last, unicode.Latin, unicode.Greek) {
			continue
		}
		b.WriteRune(r)
	}
	return strings.NewReplacer("æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ħ", "h", "ŧ", "t", "ı", "i").Replace(b.String())
}

// caseFolded folds valid s with package cases.
func caseFolded(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == unicode.ReplacementChar:
			b.WriteString(unread(s[i:]))
		case unicode.Is(unicode.Cherokee, r): // folded to upper case
			b.WriteRune(r)
		default:
			b.WriteString(cases.Fold().String(string(r)))
		}
	}
	return b.String()
}

// TestCaseFold compares the table with that of package cases.
func TestCaseFold(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) || unicode.ToLower(r) != r || r == unicode.ReplacementChar {
			continue
		}
		if got, want := string(appendCaseFolded(nil, []byte(string(r)))), caseFolded(string(r)); got != want {
			t.Errorf("%U %q: %q, want %q", r, r, got, want)
		}
	}
}

func stemmed(words []string) []string {
	out := []string{}
	for _, w := range words {
		if strings.ToValidUTF8(w, "") == w {
			env := snowballstem.NewEnv(w)
			stemmer.Stem(env)
			w = env.Current()
		}
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// compared returns the analyzers that checkOracle compares, each with one tokenizer for all
// texts: leftovers of one would show in the next.
var compared = sync.OnceValue(func() (all []*comparedAnalyzer) {
	for _, x := range []struct {
		name, options string
		fold          bool
		rewrite       func(string) string
	}{
		{"simple", "", false, lowered},
		{"whitespace", "", false, func(s string) string { return s }},
		{"whitespace", "unicode=nfkc,ignorable=drop", false, func(s string) string { return normalized(norm.NFKC, seen(s)) }},
		{"simple, marks", "unicode=nfc,ignorable=drop", false, func(s string) string { return normalized(norm.NFC, lowered(normalized(norm.NFC, seen(s)))) }},
		{"simple, marks", "unicode=nfkc,fold=accents,ignorable=drop", false, func(s string) string {
			return normalized(norm.NFKC, bared(normalized(norm.NFD, lowered(normalized(norm.NFKC, seen(s))))))
		}},
		{"standard", "ignorable=drop", true, func(s string) string { return lowered(seen(s)) }},
		{"standard", "max=255,apostrophes=fold", true, lowered},
		{"standard", "unicode=nfkc,fold=accents+case,ignorable=drop", true, func(s string) string { // the defaults but for scripts
			return normalized(norm.NFKC, bared(normalized(norm.NFD, caseFolded(lowered(normalized(norm.NFKC, seen(s)))))))
		}},
		{"standard", "max=255", false, lowered},
		{"standard", "unicode=nfc", true, func(s string) string { return normalized(norm.NFC, lowered(normalized(norm.NFC, s))) }},
		{"standard", "unicode=nfkc,apostrophes=keep", false, func(s string) string { return normalized(norm.NFKC, lowered(normalized(norm.NFKC, s))) }},
		{"standard", "fold=accents,unicode=nfc", true, func(s string) string {
			return normalized(norm.NFC, bared(normalized(norm.NFD, lowered(normalized(norm.NFC, s)))))
		}},
		{"standard", "fold=case", true, func(s string) string { return caseFolded(lowered(s)) }},
		{"english", "stop=none", false, lowered}, // TestTerms is about stop words
		{"english", "stop=none,apostrophes=fold", true, lowered},
	} {
		name, _, _ := strings.Cut(x.name, ",")
		a, err := New(name, x.options)
		if err != nil {
			panic(err)
		}
		all = append(all, &comparedAnalyzer{name: x.name, fold: x.fold, rewrite: x.rewrite, tokenizer: a.Tokenizer()})
	}
	return all
})

type comparedAnalyzer struct {
	name      string
	fold      bool
	rewrite   func(string) string
	tokenizer Tokenizer
	toks      Tokens
}

// checkOracle compares every analyzer with the oracle on text, twice with one
// tokenizer so that leftovers would show, and checks the source ranges.
func checkOracle(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) {
	t.Helper()
	for _, x := range compared() {
		name, toks, tokenizer := x.name, &x.toks, x.tokenizer
		for range 2 {
			toks.Reset()
			tokenizer.Tokenize(toks, []byte(text))
			if got, want := stringsOf(toks), oracle(name, text, x.fold, x.rewrite); !slices.Equal(got, want) {
				t.Fatalf("%s %q:\n got %q\nwant %q", name, text, got, want)
			}
		}
		end := 0
		for token := range toks.All() {
			if token.Start < end || token.End <= token.Start || token.End > len(text) || token.Increment < 1 {
				t.Fatalf("%s %q: token %q at %d to %d after %d, increment %d", name, text, token.Term, token.Start, token.End, end, token.Increment)
			}
			end = token.End
			// The source range alone gives the same token.
			if again := oracle(name, text[token.Start:token.End], x.fold, x.rewrite); !slices.Equal(again, []string{string(token.Term)}) {
				t.Fatalf("%s %q: token %q stands for %q, which gives %q", name, text, token.Term, text[token.Start:token.End], again)
			}
		}
	}
}

func TestOracle(t *testing.T) {
	alphabet := []rune("aAzZ09 \t.,'’‘‛ʼ＇א-_@[`{/:éÉßİıǅΣσςЖж日本한١٢Ⅷ½ﬁøæάΐｶﾞ\u1100\u1161\u0323\u0301\u200d\u00a0\u2028\uFFFD😀𐐀𝟘ȺⱥK\x00\x7f\x80")
	rapid.Check(t, func(t *rapid.T) {
		if rapid.Bool().Draw(t, "bytes") {
			checkOracle(t, string(rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "text")))
			return
		}
		n := rapid.IntRange(0, 140).Draw(t, "n")
		letters := rapid.IntRange(0, 1).Draw(t, "letters") // or all runes
		text := rapid.StringOfN(rapid.SampledFrom(alphabet[:len(alphabet)-letters*(len(alphabet)-6)]), n, n, -1).Draw(t, "text")
		checkOracle(t, text)
	})
}

var expressions sync.Map

// compiled is regexp.MustCompile with a memory.
func compiled(s string) *regexp.Regexp {
	if re, ok := expressions.Load(s); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(s)
	expressions.Store(s, re)
	return re
}

// Runes of the planes without a character are like each other: without PINION_LONG one in 100 has to do.
func TestEveryRune(t *testing.T) {
	step := rune(longtest.Count(100, 1))
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0x40000 && r>>16 != 0xE && r%step != 0 {
			continue
		}
		text := "xyzA" + string(r) + "Bcdefghijk"
		var toks Tokens
		tokenizers.simple.Tokenize(&toks, []byte(text))
		if got, want := stringsOf(&toks), oracle("simple", text, false, lowered); !slices.Equal(got, want) {
			t.Fatalf("simple %q: got %q, want %q", text, got, want)
		}
	}
}

// TestChunkBorders puts runes that change when lower-cased across every border of
// the pieces that simple works in.
func TestChunkBorders(t *testing.T) {
	for _, r := range []string{"É", "Ж", "ß", "Ⴀ", "日", "𐐀", "İ", "½", "\xff", "😀"} {
		for pad := 50; pad < 70; pad++ {
			for _, fill := range []string{"x ", "Y", " "} {
				checkOracle(t, strings.Repeat(fill, 200)[:pad]+r+"Za"+r+r+"É b")
			}
		}
	}
}

var tokenizers = struct{ simple Tokenizer }{&simple{max: 64}}

func FuzzAnalyzers(x *testing.F) {
	f := fuzzing.New(x)
	f.Add("a\xf5É x\xf5½ \xe3é")
	f.Add("Hello, wörld! Can't 3.14 日本語 \xff\xfe")
	f.Add(strings.Repeat("a", 63) + "ÉÉ")
	f.Add("the dog’s bone, 'n' ‘rock’ ʼn rollʼs m‛coy a＇b")
	f.Add("parseHTTPRequest2 __init__ 日本語のタワー LG전자 ภาษาไทย ｶﾞ")
	f.Fuzz(func(t *testing.T, text string) {
		text = text[:min(len(text), 512)]
		checkOracle(t, text)
		checkRuns(t, text)
		checkParts(t, text)
	})
}
