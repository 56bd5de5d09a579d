package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Qrels are relevance judgments: by query, the judgments of documents by their ids.
type Qrels map[string]map[string]int

// Doc is a document of a ranking.
type Doc struct {
	ID    string
	Score float64
}

// Run is what a system found: by query, its documents in any order.
type Run map[string][]Doc

// Sort puts documents into the order in which they are judged: scores descending, and
// equal scores by ids descending.
func Sort(docs []Doc) { slices.SortFunc(docs, compare) }

func compare(a, b Doc) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID)) }

// Options are options of Evaluate.
type Options struct {
	// Complete counts judged queries that the run lacks, with the value 0 of all measures.
	Complete bool
}

// Result is the evaluation of a run.
type Result struct {
	Measures []Measure
	// Queries are those that the means are over, in the order of their ids: shorter ones
	// first, which is that of numbers.
	Queries []Query
	// Means has the mean of each measure; NaN if there are no queries.
	Means []float64
	// Missing are the judged queries that the run lacks, in the same order.
	Missing []string
	// Unjudged are the queries of the run that are not judged. They are not counted.
	Unjudged []string
}

// Query is the evaluation of one query.
type Query struct {
	ID     string
	Values []float64 // by measure
}

// Evaluate computes the measures of each judged query of a run, and their means. A
// measure that does not exist and a document that comes twice for a query are errors
// matching ErrInvalid. It does not change the run.
func Evaluate(run Run, qrels Qrels, measures []Measure, o Options) (*Result, error) {
	for _, m := range measures {
		if _, ok := m.naming(); !ok {
			return nil, fmt.Errorf("%w measure %s", ErrInvalid, m)
		}
	}
	r := &Result{Measures: slices.Clone(measures), Means: make([]float64, len(measures))}
	for _, id := range slices.SortedFunc(maps.Keys(qrels), compareIDs) {
		docs, ok := run[id]
		if !ok {
			r.Missing = append(r.Missing, id)
			if !o.Complete {
				continue
			}
		}
		if twice, ok := duplicate(docs); ok {
			return nil, fmt.Errorf("%w run: document %q comes twice for query %q", ErrInvalid, twice, id)
		}
		r.evaluate(id, docs, qrels[id])
	}
	for id := range run {
		if _, ok := qrels[id]; !ok {
			r.Unjudged = append(r.Unjudged, id)
		}
	}
	slices.SortFunc(r.Unjudged, compareIDs)
	for i := range r.Means {
		r.Means[i] /= float64(len(r.Queries))
	}
	return r, nil
}

// evaluate evaluates one query.
func (r *Result) evaluate(id string, docs []Doc, judgments map[string]int) {
	if !slices.IsSortedFunc(docs, compare) {
		docs = slices.Clone(docs)
		Sort(docs)
	}
	j := judge(docs, judgments)
	q := Query{ID: id, Values: make([]float64, len(r.Measures))}
	for i, m := range r.Measures {
		q.Values[i] = j.value(m)
		r.Means[i] += q.Values[i]
	}
	r.Queries = append(r.Queries, q)
}

// compareIDs orders shorter ids first.
func compareIDs(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// duplicate returns a document that comes twice.
func duplicate(docs []Doc) (id string, ok bool) {
	seen := make(map[string]bool, len(docs))
	for _, d := range docs {
		if seen[d.ID] {
			return d.ID, true
		}
		seen[d.ID] = true
	}
	return "", false
}
