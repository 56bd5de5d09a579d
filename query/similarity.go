package query

// Similarity adds to the scores of documents how near their vectors in a field are to Vector: what a Nearest scores, for each document that
// matches without it, and 0 for one without a vector. It matches nothing itself, and is as good as absent where documents are matched:
// it is one of Must or Should of a Bool, of an And or of an Or, whose other nodes say what matches and of which AtLeast counts only
// these. Elsewhere it is an error, but alone it is matched by nothing.
type Similarity struct {
	Field  string
	Vector []float32 // as in Nearest
	Text   string    // as in Nearest
	Boost  float64   // as in Term
}

func (n Similarity) visit(v *visitor) {
	v.leaf("similarity", n.Field, n.Text, n.Boost)
	if n.Vector = v.vector(n.Field, n.Text, n.Vector); v.copies {
		v.copy = n
	}
}
