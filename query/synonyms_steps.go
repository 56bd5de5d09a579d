package query

import (
	"encoding/binary"

	"github.com/pinion-index/pinion/internal/fields"
)

// step is a place of a text that has words.
type step struct {
	key        string   // what is equal for equal words
	terms      []string // none where words have parts
	start, end int      // in the text
	at         int      // the place, as positions count
}

// stepsOf returns the places of a text that have words in a field of text.
func stepsOf(f *fields.Field, text string) []step {
	if f.Compound() != nil {
		return compoundSteps(f, text)
	}
	t := f.Tokens(text)
	defer f.Release(t)
	var all []step
	at := -1
	for token := range t.All() {
		at = max(at+token.Increment, 0)
		if n := len(all); n > 0 && all[n-1].at == at {
			last := &all[n-1]
			last.terms = append(last.terms, string(token.Term))
			last.start, last.end = min(last.start, token.Start), max(last.end, token.End)
			continue
		}
		all = append(all, step{terms: []string{string(token.Term)}, start: token.Start, end: token.End, at: at})
	}
	for i := range all {
		var key []byte
		for _, term := range all[i].terms {
			key = appendLong(key, term)
		}
		all[i].key = string(appendLong(nil, string(key)))
	}
	return all
}

// compoundSteps is stepsOf where words have parts.
func compoundSteps(f *fields.Field, text string) []step {
	var all []step
	for i, w := range f.CompoundWords(text) {
		key := appendLong(nil, string(w.Whole))
		at := i
		for j, p := range w.Parts {
			if j == 0 {
				at = p.At
			}
			key = appendLong(appendLong(key, string(p.Term)), string(p.Whole))
		}
		if n := len(all); n > 0 {
			at = max(at, all[n-1].at+1)
		}
		all = append(all, step{key: string(appendLong(nil, string(key))), start: w.Start, end: w.End, at: at})
	}
	return all
}

// appendLong appends a text so that it does not run into the next.
func appendLong(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// sequence returns what is equal for equal words at equal distances.
func sequence(steps []step) string {
	var key []byte
	for i := range steps {
		key = appendStep(key, steps, i)
	}
	return string(key)
}

// appendStep appends a step to the key of the steps before it.
func appendStep(key []byte, steps []step, i int) []byte {
	if len(key) > 0 {
		key = binary.AppendUvarint(key, uint64(steps[i].at-steps[i-1].at))
	}
	return append(key, steps[i].key...)
}

// found are steps of a text that rules have on their left.
type found struct {
	from, to int // of the steps, up to but not including to
	stays    bool
	sides    []int32 // the others that are searched for
}

// find returns what the rules have of a text: at each place the longest, but for those that fits, unless nil, refuses.
func (c *fieldSynonyms) find(steps []step, fits func(from, to int) bool) (all []found) {
	var key []byte
	for i := 0; i < len(steps); {
		most := min(c.longest[steps[i].key], len(steps)-i)
		best := found{to: i + 1}
		key = key[:0]
		for j := i; j < i+most; j++ {
			key = appendStep(key, steps, j)
			if rules := c.lefts[string(key)]; len(rules) > 0 && (fits == nil || fits(i, j+1)) {
				if x := c.alternatives(rules, string(key)); len(x.sides) > 0 {
					best = found{i, j + 1, x.stays, x.sides}
				}
			}
		}
		if len(best.sides) > 0 {
			all = append(all, best)
		}
		i = best.to
	}
	return all
}

// alternatives returns the right sides of rules whose left side is key.
func (c *fieldSynonyms) alternatives(rules []int32, key string) (x found) {
	seen := map[string]bool{}
	for _, r := range rules {
		for _, n := range c.rules[r].to {
			switch s := &c.sides[n]; {
			case s.key == key:
				x.stays = true
			case s.key != "" && !seen[s.key]:
				seen[s.key] = true
				x.sides = append(x.sides, n)
			}
		}
	}
	return x
}
