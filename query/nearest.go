package query

import "slices"

// Nearest is matched by the K documents whose vectors in a field are nearest to Vector, by the similarity of the field. They are among
// those that pass Filter, Must and MustNot of all nodes around it, and all filters of the search: a filter leaves K, if so many pass.
// Of documents that are equally near, the first ones match. A document with several vectors counts once, by the nearest of them, and
// one without any does not match.
//
// Nodes beside it in Should do not restrict it, and no other Nearest does: of a Must or Filter with a Nearest within, what must match there beside
// that does. It may be in Filter, where it restricts to its K documents; in MustNot and Not it is an error. The answer is exact, unless Probe asks for less.
//
// It scores Boost times what format/FORMAT.md, section 8.4, says, from 0 to 1 by cosine or l2: one addend of a document's score, after all terms
// and each Dot, before static scores and constants.
type Nearest struct {
	Field  string
	Vector []float32 // of the dimensions of the field, as its documents have them
	// Text, in place of Vector, is what pinion.Options.Embed makes the vector of before the query runs, in a pinion.Index or Reader that has
	// one for the field; elsewhere it is an error, and Embed sets Vector.
	Text string
	K    int // from 1 to MaxNearest
	// Probe, above 0 and below 1, asks for an answer that is faster and approximate, of a field with schema.Field.Clusters: of the documents that
	// pass, only those of the clusters nearest to Vector are compared, at least so many that they have the part Probe of all vectors of the field, and
	// at least K. Where no more than that pass, and in segments without clusters, all are. So a greater Probe finds no less, and 1 is as exact as 0.
	// pinion.Page.Approximate says whether any were left out. Scores are exact.
	Probe float64
	Boost float64 // as in Term
}

// MaxNearest is the greatest K of a Nearest.
const MaxNearest = 1 << 16

func (n Nearest) visit(v *visitor) {
	v.leaf("nearest", n.Field, n.Text, n.Boost)
	v.integer(n.K)
	v.number(n.Probe)
	if n.Vector = v.vector(n.Field, n.Text, n.Vector); v.copies {
		v.copy = n
	}
}

// Embed returns n with the vector of each text: f is called with the field and the Text of each Nearest and Similarity that has no
// Vector, and returns that. If there is none, it returns n itself. An error is one of f.
func Embed(n Node, f func(field, text string) ([]float32, error)) (Node, error) {
	asked := false
	look := visitor{embed: func(string, string) ([]float32, error) { asked = true; return nil, nil }}
	if look.node(n); !asked {
		return n, nil
	}
	v := visitor{copies: true, embed: f}
	if n = v.node(n); v.err != nil {
		return nil, v.err
	}
	return n, nil
}

// vector visits a vector, or the text that stands for one.
func (v *visitor) vector(field, text string, x []float32) []float32 {
	if len(x) == 0 && text != "" && v.embed != nil && v.err == nil {
		x, v.err = v.embed(field, text)
	}
	v.integer(len(x))
	for _, value := range x {
		v.number(float64(value))
	}
	if v.copies {
		return slices.Clone(x)
	}
	return x
}
