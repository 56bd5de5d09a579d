package game

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// clause is a part of a question: words that must stand in a row, of which one alone is a word, or a group of clauses.
type clause struct {
	sign  string // "+", "-" or ""
	words []string
	group []clause
}

// text is the clause in the game's language.
func (c clause) text() string {
	switch {
	case c.group != nil:
		return c.sign + "(" + text(c.group) + ")"
	case len(c.words) > 1:
		return c.sign + `"` + strings.Join(c.words, " ") + `"`
	}
	return c.sign + c.words[0]
}

func text(clauses []clause) string {
	parts := make([]string, len(clauses))
	for i, c := range clauses {
		parts[i] = c.text()
	}
	return strings.Join(parts, " ")
}

// oracle answers by looking at all documents, in double precision.
type oracle struct {
	docs [][]string // the words of each
	mean float64    // their number, on average
	idf  map[string]float64
}

func newOracle(docs [][]string) *oracle {
	o := &oracle{docs: docs, idf: map[string]float64{}}
	n := float64(len(docs))
	for _, d := range docs {
		o.mean += float64(len(d)) / n
	}
	for _, w := range vocabulary {
		df := 0.0
		for _, d := range docs {
			if slices.Contains(d, w) {
				df++
			}
		}
		o.idf[w] = math.Log(1 + (n-df+0.5)/(df+0.5))
	}
	return o
}

// frequency returns how often words stand in a row in a document. Copies of a phrase may not share words.
func frequency(doc, words []string) (n int) {
	for i := 0; i+len(words) <= len(doc); {
		if slices.Equal(doc[i:i+len(words)], words) {
			n++
			i += len(words)
		} else {
			i++
		}
	}
	return n
}

// score is BM25 with k1 0.9 and b 0.4; the weight of a phrase is the sum of those of its words.
func (o *oracle) score(doc []string, c clause) (score float64, matches bool) {
	if c.group != nil {
		return o.match(doc, c.group)
	}
	tf := float64(frequency(doc, c.words))
	idf := 0.0
	for _, w := range c.words {
		idf += o.idf[w]
	}
	return idf * tf * 1.9 / (tf + 0.9*(0.6+0.4*float64(len(doc))/o.mean)), tf > 0
}

// match returns the score of a document, and whether it has all that it must have, nothing that it must not, and, if
// there is nothing that it must have, something else.
func (o *oracle) match(doc []string, clauses []clause) (score float64, matches bool) {
	required, some := false, false
	for _, c := range clauses {
		s, ok := o.score(doc, c)
		switch c.sign {
		case "-":
			if ok {
				return 0, false
			}
			continue
		case "+":
			if required = true; !ok {
				return 0, false
			}
		}
		if ok {
			some = true
			score += s
		}
	}
	if !required && !some {
		return 0, false
	}
	return score, true
}

// hit is a document and its score.
type hit struct {
	doc   int
	score float64
}

// hits returns all documents that match, the best first.
func (o *oracle) hits(clauses []clause) (hits []hit) {
	for d, words := range o.docs {
		if s, ok := o.match(words, clauses); ok {
			hits = append(hits, hit{d, s})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	return hits
}
