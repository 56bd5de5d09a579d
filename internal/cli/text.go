package cli

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/jsontext"
)

// Quote returns an id or term, quoted if it would be ambiguous otherwise.
func Quote[T ~string](text T) string {
	s := string(text)
	if plain(s) && s != "" && !strings.ContainsAny(s, ` "`) {
		return s
	}
	if s == "" || !utf8.ValidString(s) {
		return strconv.Quote(s)
	}
	for _, r := range s {
		if !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == '"' {
			return strconv.Quote(s)
		}
	}
	return s
}

// plain reports whether s consists of printable ASCII characters.
func plain(s string) bool { return plainLen(s) == len(s) }

// plainLen returns the length of the printable ASCII characters that s begins with.
func plainLen(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return i
		}
	}
	return len(s)
}

// Snippet returns at most n runes of text on one line.
func Snippet(text []byte, n int) string {
	out := make([]byte, 0, n+2)
	runes, cut, blank := 0, 0, true // cut: bytes of all runes but the n-th
	for len(text) > 0 {
		r, size := rune(text[0]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text)
		}
		text = text[size:]
		if !unicode.IsPrint(r) {
			r = ' '
		}
		if r == ' ' && blank {
			continue
		}
		blank = r == ' '
		switch runes {
		case n:
			return string(out[:cut]) + "…"
		case n - 1:
			cut = len(out)
		}
		out = utf8.AppendRune(out, r)
		runes++
	}
	return string(out)
}

// Text is an id or a term in JSON output.
type Text = jsontext.Text

// Printable returns s with control characters and bytes that are not valid UTF-8
// escaped as in Go strings, so that what a file holds cannot control a terminal.
// Line feeds and tabs remain.
func Printable(s string) string {
	n := plainLen(s)
	if n == len(s) {
		return s
	}
	control := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) && !unicode.IsGraphic(r) }
	if rest := s[n:]; utf8.ValidString(rest) && strings.IndexFunc(rest, control) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 || control(r) {
			quoted := strconv.Quote(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}
