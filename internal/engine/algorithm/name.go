package algorithm

import "fmt"

// Algorithm is a way to compute a result, as search.Algorithm is, which describes them.
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

// Names are the names of the algorithms on the command line.
var Names = [...]string{
	Auto: "auto", Exhaustive: "exhaustive", Scan: "scan", MaxScore: "maxscore", WAND: "wand",
	BlockMaxWAND: "bmw", BlockMaxMaxScore: "bmm", RangeMaxScore: "range-maxscore", FilterFirst: "filter-first",
	Leapfrog: "leapfrog", SmallAdaptive: "small-adaptive", BlockMaxAnd: "bmand",
}

// String returns the algorithm's name on the command line.
func (a Name) String() string {
	switch {
	case a == Nodes:
		return "nodes"
	case a == Sorted:
		return "sorted"
	case int(a) < len(Names):
		return Names[a]
	}
	return fmt.Sprintf("algorithm(%d)", uint8(a))
}

// Nodes evaluates a tree of nodes. It is no choice of a query.
const Nodes Name = 255

// Sorted finds the matches that sort best, without scores. It is no choice of a query.
const Sorted Name = 254

// Conjunctive reports whether the algorithm only computes conjunctions.
func (a Name) Conjunctive() bool { return a >= Leapfrog && a < Sorted }
