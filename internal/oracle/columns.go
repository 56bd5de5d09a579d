package oracle

import (
	"cmp"
	"math"
	"slices"
)

// Values are what documents have in fields beside words: by field, then by docID, each an int64, a float64 or a string.
type Values map[string][][]any

// SortKey is a field to sort by.
type SortKey struct {
	Field string
	Desc  bool
}

// Static is what scores have added by a column: Weight times the greatest value of a document, by docID. With Multiply
// they have 1 plus that as a factor.
type Static struct {
	Values   [][]float64
	Weight   float64
	Multiply bool
}

// times returns what a score and its exact value are with a factor of 1 plus a.
func (a addend) times(score float32, exact float64) (float32, float64) {
	factor := 1 + float64(a.score)
	return float32(math.Min(factor*float64(score), math.MaxFloat32)), exact * (1 + a.exact)
}

// of returns the addend of a document.
func (s *Static) of(doc int) addend {
	a := addend{constant: true, number: -1} // before all constants
	if v := s.Values[doc]; len(v) > 0 {
		a.exact = s.Weight * slices.Max(v)
		a.score = float32(a.exact)
	}
	return a
}

// Counted is how many documents have a value.
type Counted struct {
	Value any
	Docs  uint64
}

func compare(a, b any) int {
	switch a := a.(type) {
	case string:
		return cmp.Compare(a, b.(string))
	case float64:
		return cmp.Compare(a+0, b.(float64)+0) // not below zero
	}
	return cmp.Compare(a.(int64), b.(int64))
}

// Key returns the value by which a document is sorted, nil if it has none.
func (v Values) Key(k SortKey, doc uint32) any {
	all := v[k.Field][doc]
	switch {
	case len(all) == 0:
		return nil
	case k.Desc:
		return slices.MaxFunc(all, compare)
	}
	return slices.MinFunc(all, compare)
}

// Compare compares documents as they are sorted.
func (v Values) Compare(by []SortKey, a, b uint32) int {
	for _, k := range by {
		x, y := v.Key(k, a), v.Key(k, b)
		switch {
		case x == nil && y == nil:
			continue
		case x == nil:
			return 1
		case y == nil:
			return -1
		}
		c := compare(x, y)
		if k.Desc {
			c = compare(y, x)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(a, b)
}

// Sort returns hits, sorted.
func (v Values) Sort(hits []Hit, by []SortKey) []Hit {
	hits = slices.Clone(hits)
	slices.SortFunc(hits, func(a, b Hit) int { return v.Compare(by, a.Doc, b.Doc) })
	return hits
}

// Collapse returns the first of hits of each group: those whose least values in a field are equal.
func (v Values) Collapse(hits []Hit, field string) (first []Hit) {
	groups := map[any]bool{}
	for _, h := range hits {
		if k := v.Key(SortKey{Field: field}, h.Doc); k != nil {
			if f, ok := k.(float64); ok {
				k = f + 0
			}
			if groups[k] {
				continue
			}
			groups[k] = true
		}
		first = append(first, h)
	}
	return first
}

// Count counts hits by what each value of a field is counted as. The most frequent come first, then lesser values.
func (v Values) Count(hits []Hit, field string, as func(any) any) (counts []Counted, missing uint64) {
	n := map[any]uint64{}
	for _, h := range hits {
		own := map[any]bool{}
		for _, x := range v[field][h.Doc] {
			own[as(x)] = true
		}
		for k := range own {
			n[k]++
		}
		if len(own) == 0 {
			missing++
		}
	}
	for k, docs := range n {
		counts = append(counts, Counted{k, docs})
	}
	slices.SortFunc(counts, func(a, b Counted) int { return cmp.Or(cmp.Compare(b.Docs, a.Docs), compare(a.Value, b.Value)) })
	return counts, missing
}

// Within returns how many of hits have a value for which in is true.
func (v Values) Within(hits []Hit, field string, in func(any) bool) (n uint64) {
	for _, h := range hits {
		if slices.ContainsFunc(v[field][h.Doc], in) {
			n++
		}
	}
	return n
}
