package algorithm

// Algorithm is a way to compute a result, as query.Algorithm is, which describes them.
type Name uint8

// The algorithms: those of disjunctions, FilterFirst, which computes both, and those of conjunctions.
const (
	Auto Name = iota
	Exhaustive
	Scan
	MaxScore
	WAND
	BlockMaxWAND
	BlockMaxMaxScore
	RangeMaxScore
	FilterFirst
	Leapfrog
	SmallAdaptive
	BlockMaxAnd
)

// Conjunctive reports whether the algorithm only computes conjunctions.
func (a Name) Conjunctive() bool { return a >= Leapfrog }
