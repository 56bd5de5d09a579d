package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// stopList is a set of lower-case words; nil is the empty list.
type stopList map[string]struct{}

// parseStop returns the words that value of the option stop, which is not the name of the list, stands for. Indexes record
// words there, behind the option max; what a person writes as stop=no is no list of one word.
func parseStop(value, name string, recorded bool) ([]string, error) {
	if value == "none" {
		return nil, nil
	}
	if !recorded && value != "" && !strings.Contains(value, "+") {
		return nil, fmt.Errorf("want none or %s; words to leave out are stop-words=%s", name, value)
	}
	return parseWords(value)
}

// parseWords returns words that are joined by +.
func parseWords(value string) ([]string, error) {
	words := strings.Split(value, "+")
	for _, w := range words {
		if err := checkStop(w); err != nil {
			return nil, err
		}
	}
	return words, nil
}

func checkStop(word string) error {
	if word == "" || !utf8.ValidString(word) || word != string(appendLower(nil, []byte(word))) {
		return fmt.Errorf("%q is not a lower-case word", word)
	}
	return nil
}

// value returns the value of option stop that stands for s, where named is the list that
// has a name.
func (s stopList) value(name string, named stopList) string {
	switch {
	case len(s) == 0:
		return "none"
	case maps.Equal(s, named):
		return name
	}
	words := slices.Sorted(maps.Keys(s))
	if w := words[0]; len(words) == 1 && (w == "none" || w == name) {
		words = append(words, w) // alone it is the name of a list
	}
	return strings.Join(words, "+")
}

func (s stopList) has(word []byte) bool {
	_, ok := s[string(word)]
	return ok
}

// stopWords returns words as a stop list of a: each as Tokenize compares it.
func (a *builtin) stopWords(words []string) stopList {
	s, r := stopList{}, a.early()
	for _, w := range words {
		if a.apostrophes {
			w = foldApostrophes(w)
		}
		b := r.append(nil, []byte(w))
		if a.language.Rewrite != nil {
			b = a.language.Rewrite(b)
		}
		if len(b) > 0 {
			s[string(b)] = struct{}{}
		}
	}
	return s
}
