package search

import (
	"fmt"
	"slices"
	"sort"

	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query"
)

// spot is a token of a text in one of several fields.
type spot struct {
	start, end int // in the text
	field      int
	word       part
	key        string // what is equal for equal words of a field
}

// places returns a disjunction for each place of a text that some analyzer of the fields finds a word at, with an
// alternative for each of these fields: the word, or a conjunction if the analyzer finds several where that of another
// field finds one. Places with the same words are one, with the sums of the boosts of each.
func (b *builder) places(fields []int, boost boosts, m *query.Match) (all []part, err error) {
	var spots []spot
	for i, f := range fields {
		if spots, err = b.appendSpots(spots, f, boost.of(i), m); err != nil {
			return nil, b.at(err)
		}
	}
	sort.SliceStable(spots, func(i, j int) bool {
		a, b := &spots[i], &spots[j]
		return a.start < b.start || a.start == b.start && a.end < b.end
	})
	at := map[string]int{}
	for len(spots) > 0 {
		n, end := 1, spots[0].end
		for n < len(spots) && (spots[n].start < end || spots[n].start == spots[0].start) {
			end = max(end, spots[n].end)
			n++
		}
		place, key := placeOf(spots[:n])
		spots = spots[n:]
		if i, ok := at[key]; ok {
			all[i].join(&place)
			continue
		}
		at[key] = len(all)
		all = append(all, place)
	}
	return all, nil
}

// placeOf returns the alternatives of a place, and what is equal for equal ones.
func placeOf(spots []spot) (place part, key string) {
	sort.SliceStable(spots, func(i, j int) bool { return spots[i].field < spots[j].field })
	place = part{op: algorithm.OpBool, atLeast: 1}
	for len(spots) > 0 {
		all := part{op: algorithm.OpBool}
		field := spots[0].field
		for len(spots) > 0 && spots[0].field == field {
			all.must = append(all.must, spots[0].word)
			key += fmt.Sprintf("%d %s ", field, spots[0].key)
			spots = spots[1:]
		}
		if all.must = merge(all.must); len(all.must) == 1 {
			all = all.must[0]
		}
		place.should = append(place.should, all)
	}
	return place, key
}

// join adds the boosts of the words of o, a place with the same words, to those of x.
func (x *part) join(o *part) {
	switch x.op {
	case algorithm.OpWord:
		x.more = append(append(x.more, o.word.Boost), o.more...)
	case algorithm.OpPhrase:
		x.phrase.(*sequence).boost += o.phrase.(*sequence).boost
	}
	for i := range x.must {
		x.must[i].join(&o.must[i])
	}
	for i := range x.should {
		x.should[i].join(&o.should[i])
	}
}

// appendSpots appends the words of a Match in a field.
func (b *builder) appendSpots(spots []spot, field int, boost float64, m *query.Match) ([]spot, error) {
	f, text := b.p.Fields[field], m.Text
	if f.Err != nil {
		return nil, f.Err
	}
	if f.Compound() != nil {
		for _, w := range f.CompoundWords(text) {
			if x, ok := b.typed(field, boost, w); ok {
				spots = append(spots, spot{w.Start, w.End, field, x, key(w)})
			}
		}
		return spots, nil
	}
	t := f.Tokens(text)
	defer f.Release(t)
	for token := range t.All() {
		x, err := slips(b, m, word(engine.Word{Bytes: slices.Clone(token.Term), Field: field, Boost: boost}))
		if err != nil {
			return nil, err
		}
		spots = append(spots, spot{token.Start, token.End, field, x, fmt.Sprintf("%q", token.Term)})
	}
	return spots, nil
}
