package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

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

// oracleParts cuts text as code with parts=placed does: each term with its position, those of parts behind a +.
func oracleParts(text string) (out []string) {
	follows := compiled(`^[\p{M}ﾞﾟ\x{1160}-\x{11ff}\x{d7b0}-\x{d7fb}]$`)
	scripts := compiled(`^[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]$`)
	begins := func(r rune) bool {
		c := string(r)
		return !follows.MatchString(c) && (strings.Contains("〇ーｰ〱〲〳〴〵", c) || unicode.IsLetter(r) && scripts.MatchString(c))
	}
	for at := 0; text != ""; {
		r, n := utf8.DecodeRuneInString(text)
		if begins(r) { // a run of pairs
			n := strings.IndexFunc(text, func(r rune) bool { return !begins(r) && !follows.MatchString(string(r)) })
			if n < 0 {
				n = len(text)
			}
			a, err := New("cjk", "unicode=keep")
			if err != nil {
				panic(err)
			}
			for _, pair := range Terms(a.Tokenizer(), []byte(text[:n])) {
				out = append(out, fmt.Sprint(at, " ", string(pair)))
				at++
			}
			text = text[n:]
			continue
		}
		id := compiled(`^[\p{L}\p{Nd}_][\p{L}\p{Nd}_\p{M}]*`).FindString(text)
		if cut := strings.IndexFunc(id, begins); cut >= 0 {
			id = id[:cut]
		}
		if id == "" {
			text = text[n:]
			continue
		}
		text = text[len(id):]
		if terms := oracleCode(id); len(terms) > 0 {
			out = append(out, fmt.Sprint(at, " ", terms[0]))
			for _, part := range terms[1:] {
				out = append(out, fmt.Sprint(at, " +", part))
				at++
			}
			if len(terms) == 1 {
				at++
			}
		} else if compiled(`[\p{L}\p{Nd}]`).MatchString(id) {
			at++ // too long
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
		a, err := New(name, "max=255")
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

func checkParts(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) {
	t.Helper()
	a, err := New("code", "parts=placed")
	if err != nil {
		t.Fatalf("%v", err)
	}
	var toks Tokens
	a.Tokenizer().Tokenize(&toks, []byte(text))
	at, got := -1, []string(nil)
	for token := range toks.All() {
		at += token.Increment
		got = append(got, fmt.Sprint(at, " ", string(token.Term)))
		if token.Start >= token.End || token.End > len(text) {
			t.Fatalf("%q: token %+v", text, token)
		}
	}
	if want := oracleParts(text); !slices.Equal(got, want) {
		t.Fatalf("%q:\n got %q\nwant %q", text, got, want)
	}
}

func TestRuns(t *testing.T) {
	alphabet := []rune("aBcDEFg12_. '’é日本東京がか\u3099ーｶﾞ々〇・가\u1100\u1161\u11a8ภาษ์ຮខ្មെမြ١ǅʰ\u0301\u200b\uFFFD½")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom(alphabet), 0, 60, -1)
		x, y := text.Draw(t, "x"), text.Draw(t, "y")
		checkRuns(t, x)
		checkParts(t, x)
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
