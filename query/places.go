package query

import (
	"fmt"
	"slices"
	"sort"

	"github.com/pinion-index/pinion/query/internal/engine"
	"github.com/pinion-index/pinion/query/internal/engine/algorithm"
)

// spot is a token of a text in one of several fields.
type spot struct {
	start, end int // in the text
	field      int
	term       []byte
}

// places returns a disjunction for each place of a text that some analyzer of the fields finds a word at, with an
// alternative for each of these fields: the word, or a conjunction if the analyzer finds several where that of another
// field finds one. Places with the same words are one, with the sum of their boosts.
func (b *builder) places(fields []int, boost float64, text string) (all []part, err error) {
	var spots []spot
	for _, f := range fields {
		if spots, err = b.p.fields[f].appendSpots(spots, f, text); err != nil {
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
		place, key := placeOf(spots[:n], boost)
		spots = spots[n:]
		if i, ok := at[key]; ok {
			all[i].boost(boost)
			continue
		}
		at[key] = len(all)
		all = append(all, place)
	}
	return all, nil
}

// placeOf returns the alternatives of a place, and what is equal for equal ones.
func placeOf(spots []spot, boost float64) (place part, key string) {
	sort.SliceStable(spots, func(i, j int) bool { return spots[i].field < spots[j].field })
	place = part{op: algorithm.OpBool, atLeast: 1}
	for len(spots) > 0 {
		all := part{op: algorithm.OpBool}
		field := spots[0].field
		for len(spots) > 0 && spots[0].field == field {
			all.must = append(all.must, word(engine.Word{Bytes: spots[0].term, Field: field, Boost: boost}))
			key += fmt.Sprintf("%d %q ", field, spots[0].term)
			spots = spots[1:]
		}
		if all.must = merge(all.must); len(all.must) == 1 {
			all = all.must[0]
		}
		place.should = append(place.should, all)
	}
	return place, key
}

// boost adds a boost to all words of a place.
func (x *part) boost(by float64) {
	if x.op == algorithm.OpWord {
		x.more = append(x.more, by)
	}
	for _, parts := range [][]part{x.must, x.should} {
		for i := range parts {
			parts[i].boost(by)
		}
	}
}

// appendSpots appends the tokens of a text, which the caller owns.
func (f *fieldParser) appendSpots(spots []spot, field int, text string) ([]spot, error) {
	if f.err != nil {
		return nil, f.err
	}
	t := f.tokenize(text)
	defer f.pool.Put(t)
	for token := range t.tokens.All() {
		spots = append(spots, spot{token.Start, token.End, field, slices.Clone(token.Term)})
	}
	return spots, nil
}
