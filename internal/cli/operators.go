package cli

import (
	"regexp"
	"strings"
)

var operators = regexp.MustCompile(`"[^"]+"|“[^”]+”|(?:^|\s)[-+!]\w\S*|\w+(?:\*|\?\w+|[~^][\d.]*)|(?:^|\s)[A-Za-z_]+:\w\S*|\b(?:AND|OR|NOT)\b|&&|\|\|`)

// Operator returns the first part of a query that is an operator elsewhere: a
// phrase, -word, +word, word*, word~2, word^2, field:word, AND. It is empty if there is none.
func Operator(text string) string {
	m := operators.FindString(text)
	for len(m) > 0 && m[0] == ' ' {
		m = m[1:]
	}
	return m
}

// NoOperators says what is made of an operator, and why.
func NoOperators(op, why string) string { return Quote(op) + " is read as plain words: " + why }

// AsWords says what of a query is taken as words.
func AsWords(parts []string) string {
	quoted := make([]string, len(parts))
	for i, p := range parts {
		quoted[i] = Quote(p)
	}
	return "read as plain words: " + strings.Join(quoted, ", ")
}
