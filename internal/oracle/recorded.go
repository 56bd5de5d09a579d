package oracle

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed testdata/lucene-phrases.txt
var recorded string

// Recorded is documents and what Lucene finds in them.
type Recorded struct {
	Docs  [][][]string // of each document, of each place, the words: none where there is a gap
	Cases []Case
}

// Case is a phrase that Lucene was asked for.
type Case struct {
	Text          string     // as it is recorded
	Near, Ordered bool       // it is one of Near; in order
	Slop          int        // or distance
	Places        [][]string // as those of a document; the first and the last have words
	Matches       []int      // numbers of documents, ascending
}

// Sequence returns the phrase as what the oracle counts.
func (c *Case) Sequence() *Sequence {
	s := &Sequence{Width: c.Slop, Ordered: c.Ordered}
	for i, words := range c.Places {
		if len(words) == 0 {
			continue
		}
		offset := i
		if c.Near {
			offset = len(s.Words)
		}
		s.Words, s.Offsets = append(s.Words, words), append(s.Offsets, offset)
	}
	if c.Near && !c.Ordered { // from the first word to the last there are as many places more as there are words
		s.Width += len(s.Words) - 1
		clear(s.Offsets)
	}
	return s
}

// LucenePhrases returns what Lucene was seen to find.
func LucenePhrases() (all []Recorded, err error) {
	for n, line := range strings.Split(strings.TrimSuffix(recorded, "\n"), "\n") {
		if line[0] == '#' {
			continue
		}
		kind, rest, _ := strings.Cut(line, " ")
		if kind == "docs" {
			var r Recorded
			for _, d := range strings.Split(rest, "|") {
				r.Docs = append(r.Docs, recordedPlaces(d))
			}
			all = append(all, r)
			continue
		}
		c := Case{Text: line, Near: kind != "phrase", Ordered: kind == "ordered"}
		question, answer, ok := strings.Cut(rest, " =")
		slop, places, _ := strings.Cut(question, " ")
		if _, err := fmt.Sscan(slop, &c.Slop); err != nil || !ok || len(all) == 0 {
			return nil, fmt.Errorf("line %d is no case: %s", n+1, line)
		}
		c.Places = recordedPlaces(places)
		for _, f := range strings.FieldsFunc(answer, func(r rune) bool { return r == ' ' || r == ',' }) {
			var d int
			if _, err := fmt.Sscan(f, &d); err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			c.Matches = append(c.Matches, d)
		}
		r := &all[len(all)-1]
		r.Cases = append(r.Cases, c)
	}
	return all, nil
}

func recordedPlaces(text string) (places [][]string) {
	for _, p := range strings.Split(text, " ") {
		var words []string
		if p != "_" {
			words = strings.Split(p, "/")
		}
		places = append(places, words)
	}
	return places
}
