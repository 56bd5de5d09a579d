package query

// The limits of what a search may ask of columns.
const (
	MaxSort    = 8       // fields that hits are sorted by
	MaxFacets  = 64      // facets, also within others
	MaxRanges  = 1024    // ranges of a facet
	MaxBuckets = 1 << 16 // buckets of a facet that have documents

	MaxStats       = 16      // fields that a facet has figures of
	MaxPercentiles = 16      // percentiles of a field
	MaxGroups      = 1 << 20 // keywords, ranges and buckets, with documents, of a facet with figures, or within another: in all
	MaxDistinct    = 1 << 20 // distinct values of a field in all keywords, ranges and buckets of a facet
)

// The limits of the terms of a query.
const (
	// MaxTerms is the maximum number of distinct terms.
	MaxTerms = 1 << 16
	// MaxScored is how many terms of a Prefix, Wildcard, Regexp or Fuzzy score each, not counting those of deleted documents
	// only. Of more a Fuzzy stands for the closest; others score as a constant, for all of them. Limited says so.
	MaxScored = 1024
	// MaxConstant is how many terms a constant may be for. For more the error matches ErrTooManyTerms.
	MaxConstant = 65536
)

// Limited is a node of a query that stands for more terms than may score each.
type Limited struct {
	Name string // of the node, as errors have it
	// Constant says that the node scores as a constant, for all of its terms. Otherwise it is a Fuzzy, which stands for
	// the closest MaxScored terms only.
	Constant bool
}
