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

// lowered maps runes with unicode.ToLower and leaves invalid bytes alone.
func lowered(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r == unicode.ReplacementChar {
			n := 1
			if strings.HasPrefix(s[i:], "\uFFFD") {
				n = 3
			}
			b.WriteString(s[i : i+n])
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
			b.WriteByte(s[i])
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
			b.WriteByte(s[i])
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
		{"standard", "unicode=nfc", true, func(s string) string { return norm.NFC.String(lowered(norm.NFC.String(s))) }},
		{"standard", "unicode=nfkc,apostrophes=keep", false, func(s string) string { return norm.NFKC.String(lowered(norm.NFKC.String(s))) }},
		{"standard", "fold=accents,unicode=nfc", true, func(s string) string { return norm.NFC.String(bared(norm.NFD.String(lowered(norm.NFC.String(s))))) }},
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
	f.Add("Hello, wörld! Can't 3.14 日本語 \xff\xfe")
	f.Add(strings.Repeat("a", 63) + "ÉÉ")
	f.Add("the dog’s bone, 'n' ‘rock’ ʼn rollʼs m‛coy a＇b")
	f.Fuzz(func(t *testing.T, text string) { checkOracle(t, text[:min(len(text), 512)]) })
}
