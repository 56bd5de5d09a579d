package search

import (
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/query"
)

// Algorithm is a way to compute a result. All algorithms are exact and give the same result to the
// bit; they differ in speed. A Trace has one more, nodes: that of a Query whose Node is more than a disjunction or
// conjunction of terms, whatever its Algorithm says.
type Algorithm uint8

// The algorithms. A conjunctive algorithm means Auto for a disjunction and vice versa, so one
// choice serves a mix of queries.
const (
	Auto Algorithm = iota // the fastest by measurement

	// Disjunctions.
	Exhaustive       // every posting scored, in ranges of documents
	Scan             // windows of accumulators, every posting scored
	MaxScore         // Turtle and Flood 1995, document at a time
	WAND             // Broder 2003
	BlockMaxWAND     // Ding and Suel 2011
	BlockMaxMaxScore // Dimopoulos, Nepomnyachiy and Suel 2013
	RangeMaxScore    // MaxScore over windows of accumulators, non-essential lists probed in batches

	// Both.
	FilterFirst // look up each document of the filter; Auto without a filter

	// Conjunctions.
	Leapfrog      // gallop through the other lists, shortest first; no bounds
	SmallAdaptive // Tatikonda 2011, section 3.1
	BlockMaxAnd   // look up blocks of the shortest list in the others, with block-max bounds
)

// String returns the algorithm's name on the command line.
func (a Algorithm) String() string {
	return algorithm.Name(a).String()
}

// Algorithms returns all algorithms, Auto first.
func Algorithms() []Algorithm {
	all := make([]Algorithm, len(algorithm.Names))
	for i := range all {
		all[i] = Algorithm(i)
	}
	return all
}

// MarshalText returns the algorithm's name.
func (a Algorithm) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText sets a to the algorithm of a name that String returns. The error matches ErrInvalid.
func (a *Algorithm) UnmarshalText(name []byte) error {
	for is, n := range algorithm.Names {
		if n == string(name) {
			*a = Algorithm(is)
			return nil
		}
	}
	return fmt.Errorf("%w: unknown algorithm %q (known: %s)", query.ErrInvalid, name, strings.Join(algorithm.Names[:], ", "))
}

// Conjunctive reports whether the algorithm only computes conjunctions.
func (a Algorithm) Conjunctive() bool { return algorithm.Name(a).Conjunctive() }
