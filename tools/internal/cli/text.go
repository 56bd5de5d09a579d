package cli

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Quote returns an id or term, quoted if it would be ambiguous otherwise.
func Quote(s string) string {
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

// Snippet returns at most n runes of text on one line.
func Snippet(text []byte, n int) string {
	out := make([]rune, 0, n+1)
	for _, r := range string(text) {
		if !unicode.IsPrint(r) {
			r = ' '
		}
		if r == ' ' && (len(out) == 0 || out[len(out)-1] == ' ') {
			continue
		}
		if len(out) == n {
			return string(out[:n-1]) + "…"
		}
		out = append(out, r)
	}
	return string(out)
}
