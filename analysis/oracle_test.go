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
	keep := func(s string, max int, lower bool) {
		if len(s) > max {
			return
		}
		if lower {
			s = rewrite(s)
		}
		out = append(out, s)
	}
	switch name {
	case "simple":
		for _, s := range wordRuns.FindAllString(text, -1) {
			keep(s, 64, true)
		}
	case "whitespace":
		for _, s := range strings.Fields(text) {
			keep(s, 65535, false)
		}
	default:
		seg := words.FromString(text)
		for seg.Next() {
			if s := seg.Value(); strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }) {
				keep(s, 255, true)
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
		{"whitespace", "", false, lowered},
		{"standard", "", true, lowered},
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
		a, err := New(x.name, x.options)
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

// oracleCJK cuts text in characters first.
func oracleCJK(text string) (out []string) {
	script := compiled(`^[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]$`)
	letter, follows := compiled(`^\p{L}$`), compiled(`^[\p{M}ﾞﾟ\x{1160}-\x{11ff}\x{d7b0}-\x{d7fb}]$`)
	var run []string
	rest := ""
	flush := func() {
		for seg := words.FromString(typographic.ReplaceAllLiteralString(rest, "'")); seg.Next(); {
			if s := seg.Value(); strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }) && len(s) <= 255 {
				out = append(out, s)
			}
		}
		rest = ""
		if len(run) == 1 {
			out = append(out, run[0])
		}
		for i := range max(len(run)-1, 0) {
			out = append(out, run[i]+run[i+1])
		}
		run = nil
	}
	for len(text) > 0 {
		_, n := utf8.DecodeRuneInString(text)
		c := text[:n]
		text = text[n:]
		switch {
		case follows.MatchString(c) && len(run) > 0:
			run[len(run)-1] += c
		case !follows.MatchString(c) && (script.MatchString(c) && letter.MatchString(c) || utf8.ValidString(c) && strings.Contains("〇ーｰ〱〲〳〴〵", c)):
			if rest != "" {
				flush()
			}
			run = append(run, c)
		default:
			if len(run) > 0 {
				flush()
			}
			rest += c
		}
	}
	flush()
	for i, s := range out {
		out[i] = normalized(norm.NFKC, lowered(normalized(norm.NFKC, s)))
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// oracleCode puts underscores between the parts of identifiers.
func oracleCode(text string) (out []string) {
	const upper, lower = `[\p{Lu}\p{Lt}]\p{M}*`, `[\p{Ll}\p{Lm}\p{Lo}]\p{M}*`
	for _, id := range compiled(`[\p{L}\p{Nd}_][\p{L}\p{Nd}_\p{M}]*`).FindAllString(text, -1) {
		if !compiled(`[\p{L}\p{Nd}]`).MatchString(id) || len(id) > 255 {
			continue
		}
		split := id
		for _, border := range []string{
			`(\p{L}\p{M}*)(\p{Nd})`, `(\p{Nd}\p{M}*)(\p{L})`, `(` + lower + `)(` + upper + `)`, `(` + upper + `)(` + upper + lower + `)`,
		} {
			split = compiled(border).ReplaceAllString(split, "${1}_$2")
		}
		out = append(out, lowered(id))
		for _, part := range compiled(`_\p{M}*`).Split(split, -1) {
			if part != "" && part != id {
				out = append(out, lowered(part))
			}
		}
	}
	return out
}

// checkRuns compares cjk and code with their oracles. Places ascend, and what a token stands
// for has its term.
func checkRuns(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) {
	t.Helper()
	for name, oracle := range map[string]func(string) []string{"cjk": oracleCJK, "code": oracleCode} {
		a, err := New(name, "")
		if err != nil {
			t.Fatalf("%v", err)
		}
		var toks Tokens
		a.Tokenizer().Tokenize(&toks, []byte(text))
		if got, want := stringsOf(&toks), oracle(text); !slices.Equal(got, want) {
			t.Fatalf("%s %q:\n got %q\nwant %q", name, text, got, want)
		}
		var last Token
		for token := range toks.All() {
			if token.Start < last.Start || token.End <= token.Start || token.End > len(text) || token.Increment == 0 && (token.Start < last.Start || token.End > last.End && last.Increment == 1) {
				t.Fatalf("%s %q: token %+v after %+v", name, text, token, last)
			}
			if again := oracle(text[token.Start:token.End]); again[0] != string(token.Term) {
				t.Fatalf("%s %q: %q stands for %q, which gives %q", name, text, token.Term, text[token.Start:token.End], again)
			}
			last = token
		}
	}
}

func TestRuns(t *testing.T) {
	alphabet := []rune("aBcDEFg12_. '’é日本東京がか\u3099ーｶﾞ々〇・가\u1100\u1161\u11a8ภาษ์ຮខ្មെမြ١ǅʰ\u0301\u200b\uFFFD½")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom(alphabet), 0, 60, -1)
		x, y := text.Draw(t, "x"), text.Draw(t, "y")
		checkRuns(t, x)
		checkRuns(t, x+string(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes"))+y)
		for _, name := range Names()[:len(kinds)] {
			if name == "keyword" {
				continue
			}
			a, err := New(name, "")
			if err != nil {
				t.Fatal(err)
			}
			cut := func(text string) []string {
				var toks Tokens
				a.Tokenizer().Tokenize(&toks, []byte(text))
				return stringsOf(&toks)
			}
			if got, want := cut(x+"\n"+y), slices.Concat(cut(x), cut(y)); !slices.Equal(got, want) {
				t.Fatalf("%s: %q and %q together are %q, not %q", name, x, y, got, want)
			}
		}
	})
}

func TestEveryRune(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
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
	})
}
