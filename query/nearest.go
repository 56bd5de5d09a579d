package query

import "slices"

// Nearest is matched by the K documents whose vectors in a field are nearest to Vector, by the similarity of the field, among those that
// pass Filter, Must and MustNot of all nodes around it, and all filters of the search: a filter leaves K documents, if so many pass.
// Of documents that are equally near, the first ones match. A document with several vectors counts once, by the nearest of them, and
// one without any does not match.
//
// Nodes beside it in Should do not restrict it, and no other Nearest does: of a Must or Filter with a Nearest within, what must match there beside
// that does. It may be in Filter, where it restricts to its K documents; in MustNot and Not it is an error. The answer is exact.
//
// It scores Boost times what format/FORMAT.md, section 8.4, says, from 0 to 1 by cosine or l2: one addend of a document's score, after all terms
// and each Dot, before static scores and constants.
type Nearest struct {
	Field  string
	Vector []float32 // of the dimensions of the field, as its documents have them
	K      int       // from 1 to MaxNearest
	Boost  float64   // as in Term
}

// MaxNearest is the greatest K of a Nearest.
const MaxNearest = 1 << 16

func (n Nearest) visit(v *visitor) {
	v.leaf("nearest", n.Field, "", n.Boost)
	v.integer(n.K)
	if n.Vector = v.vector(n.Vector); v.copies {
		v.copy = n
	}
}

// vector visits a vector.
func (v *visitor) vector(x []float32) []float32 {
	v.integer(len(x))
	for _, value := range x {
		v.number(float64(value))
	}
	if v.copies {
		return slices.Clone(x)
	}
	return x
}
