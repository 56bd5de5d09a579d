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

// englishStop is the classic list that Lucene's EnglishAnalyzer uses.
var englishStop = newStopList(strings.Fields(`a an and are as at be but by for if in into is it
	no not of on or such that the their then there these they this to was will with`))

func newStopList(words []string) stopList {
	s := stopList{}
	for _, w := range words {
		s[w] = struct{}{}
	}
	return s
}

func parseStop(value string) (stopList, error) {
	switch value {
	case "none":
		return nil, nil
	case "english":
		return englishStop, nil
	}
	words := strings.Split(value, "+")
	for _, w := range words {
		if w == "" || !utf8.ValidString(w) || w != string(appendLower(nil, []byte(w))) {
			return nil, fmt.Errorf("%q is not a lower-case word", w)
		}
	}
	return newStopList(words), nil
}

// String returns the value of option stop that stands for s.
func (s stopList) String() string {
	switch {
	case len(s) == 0:
		return "none"
	case maps.Equal(s, englishStop):
		return "english"
	}
	words := slices.Sorted(maps.Keys(s))
	if w := words[0]; len(words) == 1 && (w == "none" || w == "english") {
		words = append(words, w) // alone it is the name of a list
	}
	return strings.Join(words, "+")
}

// folded returns s with apostrophes folded, as the words are that it is compared with.
func (s stopList) folded() stopList {
	words := slices.Collect(maps.Keys(s))
	for i, w := range words {
		words[i] = foldApostrophes(w)
	}
	return newStopList(words)
}

func (s stopList) has(word []byte) bool {
	_, ok := s[string(word)]
	return ok
}
