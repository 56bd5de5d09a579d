package query

import "slices"

// Dot is matched by the documents that have one of the terms in a field of impacts. It scores the dot product of two
// sparse vectors: the sum, over the terms that a document has, of their weights in the document and in Terms, times the
// field's scale. The sum is exact and the score rounded once, so it does not depend on the order of the terms. It is one
// addend of a document's score, after all terms and before static scores and constants.
type Dot struct {
	Field string
	Terms []WeightedTerm // a term that comes twice has the sum of its weights
	Boost float64        // as in Term
}

// WeightedTerm is a term of a Dot.
type WeightedTerm struct {
	Term   string // as the dictionary of the field spells it
	Weight uint32 // at least 1
}

// MaxDot is what 255 times the sum of the weights of a Dot is at most: below 2^24, so that every sum is exact as a
// float32.
const MaxDot = 1<<24 - 1

func (n Dot) visit(v *visitor) {
	v.leaf("dot", n.Field, "", n.Boost)
	v.integer(len(n.Terms))
	for _, t := range n.Terms {
		v.text(t.Term)
		v.integer(int(t.Weight))
	}
	if v.copies {
		n.Terms = slices.Clone(n.Terms)
		v.copy = n
	}
}
