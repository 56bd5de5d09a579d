package site

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
)

const (
	maxAdvised = 12 // words of a query that is looked into
	fewDocs    = 2  // documents that have a word which may be a slip
)

// advise says which words of a query documents have, what may have been meant, and if nothing was found, what finds something.
func (s *Site) advise(ctx context.Context, a asked, p *page) error {
	words := s.shown.words(a.q)
	if len(words) > maxAdvised {
		words = nil
	}
	var known []string
	var q string
	err := s.index.View(ctx, func(v *pinion.View) error {
		rare := p.Slips || p.Total <= fewDocs
		for i := range words {
			w := &words[i]
			if !w.isWord() {
				continue
			}
			if !s.shown.cuts(w) {
				p.Left = append(p.Left, printable(w.core))
				continue
			}
			n, err := docs(ctx, v, w)
			if err != nil {
				return err
			}
			if n == 0 {
				p.Unknown = append(p.Unknown, printable(w.core))
			} else {
				known = append(known, w.core)
				p.Known = append(p.Known, printable(w.core))
			}
			rare = rare || n <= fewDocs
		}
		if !rare {
			return nil
		}
		var err error
		q, err = s.meant(ctx, v, a.q, words)
		return err
	})
	if err != nil {
		return err
	}
	if q != "" {
		x := a.asking(q)
		if n, err := s.number(ctx, x); err != nil {
			return err
		} else if n > 0 && (p.Slips || n > p.Total || len(p.Unknown) > 0) {
			p.Meant = &choice{Text: printable(q), To: x.link(), Count: n}
		}
	}
	if p.Total > 0 {
		return nil
	}
	if p.Ways, err = s.ways(ctx, a, strings.Join(known, " ")); err != nil {
		return err
	}
	return s.teach(ctx, p)
}

// ways returns what finds something where a query finds nothing: without its filters, or any of its words.
func (s *Site) ways(ctx context.Context, a asked, known string) (ways []choice, err error) {
	try := func(says string, x asked) {
		if err != nil {
			return
		}
		var n uint64
		if n, err = s.number(ctx, x); n > 0 {
			ways = append(ways, choice{Text: printable(says), To: x.link(), Count: n})
		}
	}
	if len(a.picks) > 0 {
		try("The same without filters", a.unfiltered())
	}
	if known != "" && known != a.q {
		says := "Only "
		if strings.Contains(known, " ") {
			says = "Any of the words "
		}
		try(says+known, a.asking(known))
		if len(a.picks) > 0 && len(ways) == 0 {
			try(says+known+", without filters", a.asking(known).unfiltered())
		}
	}
	return ways, err
}

// number returns how many documents match.
func (s *Site) number(ctx context.Context, a asked) (uint64, error) {
	answer, err := s.backend.Count(ctx, &httpapi.CountRequest{Query: a.query(), Filter: a.filterText(), Strict: a.strict})
	if err != nil {
		return 0, err
	}
	return answer.Count, nil
}

// meant returns a query that may have been meant by one, or "": of plain words one that more documents have all words of, and
// otherwise one in which words that few documents have are replaced by those that they are like.
func (s *Site) meant(ctx context.Context, v *pinion.View, q string, words []word) (string, error) {
	if !slices.ContainsFunc(words, func(w word) bool { return !w.isWord() || w.lead != "" || w.tail != "" }) {
		if text, err := s.corrected(ctx, v, q); text != "" || err != nil {
			return text, err
		}
	}
	changed := false
	out := make([]string, len(words))
	for i := range words {
		w := &words[i]
		out[i] = w.lead + w.core + w.tail
		if !w.isWord() {
			continue
		}
		n, err := docs(ctx, v, w)
		if err != nil {
			return "", err
		}
		best, err := s.similar(ctx, v, w)
		if err != nil {
			return "", err
		}
		if n <= fewDocs && best.Docs > n {
			out[i], changed = w.lead+best.Text+w.tail, true
		}
	}
	if !changed {
		return "", nil
	}
	return strings.Join(out, " "), nil
}

// corrected returns what may have been meant by words, in the field where most documents have it, or "".
func (s *Site) corrected(ctx context.Context, v *pinion.View, q string) (string, error) {
	var best pinion.Correction
	for _, t := range s.shown.texts {
		if t.stems || t.analyzer == nil {
			continue
		}
		found, err := v.Correct(ctx, t.name, q)
		if err != nil {
			return "", err
		}
		if len(found) > 0 && found[0].Docs > best.Docs {
			best = found[0]
		}
	}
	return best.Text, nil
}

// similar returns the most frequent word that is like another.
func (s *Site) similar(ctx context.Context, v *pinion.View, w *word) (best pinion.Suggestion, err error) {
	for i := range s.shown.texts {
		t := &s.shown.texts[i]
		if w.field != nil && t.name != w.field.Name || t.analyzer == nil {
			continue
		}
		var near []pinion.Suggestion
		if t.stems {
			near, err = likeStem(ctx, v, t, w.core)
		} else {
			near, err = v.Similar(ctx, t.name, w.core)
		}
		if err != nil {
			return best, err
		}
		for _, x := range near {
			if x.Docs > best.Docs {
				best = x
			}
		}
	}
	return best, nil
}

// likeStem returns the word as it stands in documents that is most like another, of those whose stems one or two edits make of the
// word or its stem.
func likeStem(ctx context.Context, v *pinion.View, t *text, word string) ([]pinion.Suggestion, error) {
	word = strings.ToLower(word)
	terms := t.terms(word)
	if !t.stored || len(terms) != 1 || utf8.RuneCount(terms[0]) < 3 {
		return nil, nil
	}
	like := func(text string) query.Node { return query.Fuzzy{Field: t.name, Text: text, FixedPrefix: 1} }
	found, err := surfaces(ctx, v, nil, t.name, query.Or{like(word), like(string(terms[0]))})
	least := 3
	for _, x := range found {
		least = min(least, edits(word, x.Text))
	}
	return slices.DeleteFunc(found, func(x pinion.Suggestion) bool { return least == 3 || edits(word, x.Text) > least }), err
}

// edits returns how many characters of a word are inserted, left out, replaced or swapped with the next to make another of it.
func edits(a, b string) int {
	from, to := []rune(a), []rune(b)
	var before, above []int // the last two rows
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		before, above, row = above, row, make([]int, len(to)+1)
		row[0] = i + 1
		for j := range to {
			cost := 1
			if from[i] == to[j] {
				cost = 0
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(to)]
}
