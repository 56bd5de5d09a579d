package pinion

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// Fuse ranks documents by several queries at once, such as words and vectors, whose scores do not compare: each query ranks a
// list of its own, and what a document has in the lists adds up to its score. Pages are those of the one list that comes of it.
//
// Total and Facets are of all documents that one of the queries matches, also those behind the best K of each list.
//
// With Collapse, of the hits of the one list with the same value only the best stays.
//
// The mode query.ModeAndOr is an error within. Sort and Static are errors beside it.
type Fuse struct {
	// Lists are the queries, from 1 to MaxFuse.
	Lists []FuseList
	// By says what a place in a list is worth.
	By FuseBy
	// RankConstant, for ByRanks, is added to each rank, up to 1e6: the greater it is, the less the first ranks stand out. 0 means
	// DefaultRankConstant, and query.Zero means 0.
	RankConstant float64
}

// FuseList is one of the lists of a Fuse: the best hits of a query under Request.Filter, as Search returns them for it alone.
// A query without a term has none, also under a Filter.
type FuseList struct {
	Query query.Node
	// K is how many hits count, up to MaxRanked; 0 means DefaultRanked. A document that is behind them in all lists is no hit.
	K int
	// Weight multiplies what the list adds to scores, up to query.MaxBoost; 0 means 1.
	Weight float64
}

// FuseBy says what a place in a list adds to the score of a document. format/FORMAT.md, section 8.5, has each operation.
type FuseBy uint8

// The ways of fusing lists.
const (
	// ByRanks adds Weight / (RankConstant + rank), with ranks from 1: reciprocal rank fusion, of Cormack et al., Reciprocal Rank Fusion
	// outperforms Condorcet and individual Rank Learning Methods. It needs no tuning.
	ByRanks FuseBy = iota
	// ByScores adds Weight * (score - least) / (greatest - least), of the scores of the hits that count in the list: from Weight for the first
	// hit to 0 for the last, and Weight for all where they are equal. It keeps how far hits are apart.
	ByScores
)

// The limits of a Fuse and a Rescore.
const (
	MaxFuse             = 16     // lists
	MaxRanked           = 10_000 // hits of a list that count, and hits that are rescored
	DefaultRanked       = 100
	DefaultRankConstant = 60
)

// Rescore adds to the scores of the best N hits what a second query scores, and puts these in the order of the sums: a query that
// takes too long for all documents, such as phrases or query.Similarity, over a few that a cheaper one has found. The hits behind them
// stay as they are, so that pages go on. It goes beside Fuse, Collapse and Static, which come first, but not beside Sort, nor with
// query.ModeAndOr.
type Rescore struct {
	// Query sees the best N hits only: those that it does not match keep their scores, and of a query.Nearest those of the nearest
	// of these rise.
	Query query.Node
	// N is how many hits, up to MaxRanked; 0 means DefaultRanked.
	N int
	// Weight multiplies the scores of Query, up to query.MaxBoost; 0 means 1.
	Weight float64
}

// ListHit is what one list of a Fuse has of a Hit.
type ListHit struct {
	Rank  int     // from 1; 0 if the list does not have it
	Score float32 // that it has there
	Added float32 // to Hit.Score: the sum of those of all lists, in their order, unless a Rescore adds more
}

// checkRanked returns what is wrong with Fuse and Rescore.
func (r *Request) checkRanked() error {
	if r.Fuse != nil {
		if err := r.Fuse.check(r); err != nil {
			return err
		}
	}
	if r.Rescore != nil {
		return r.Rescore.check(r)
	}
	return nil
}

// check returns what is wrong with f, as part of r.
func (f *Fuse) check(r *Request) error {
	switch {
	case r.Query != nil:
		return fmt.Errorf("%w: Fuse beside Query: its lists have queries", query.ErrInvalid)
	case len(r.Sort) > 0:
		return fmt.Errorf("%w: Fuse with Sort", query.ErrInvalid)
	case r.Static != nil:
		return fmt.Errorf("%w: Fuse with Static", query.ErrInvalid)
	case len(f.Lists) == 0 || len(f.Lists) > MaxFuse:
		return fmt.Errorf("%w: Fuse of %d lists, not from 1 to %d", query.ErrInvalid, len(f.Lists), MaxFuse)
	case f.By > ByScores:
		return fmt.Errorf("%w: Fuse.By is %d", query.ErrInvalid, f.By)
	case !(f.RankConstant >= 0 && f.RankConstant <= query.MaxBoost):
		return fmt.Errorf("%w: Fuse.RankConstant is %v, not from 0 to %v", query.ErrInvalid, f.RankConstant, float64(query.MaxBoost))
	case f.By == ByScores && f.RankConstant != 0:
		return fmt.Errorf("%w: Fuse.RankConstant is %v, which fusing by scores does not use", query.ErrInvalid, f.RankConstant)
	}
	for i, l := range f.Lists {
		if err := checkRanking(fmt.Sprintf("Fuse.Lists[%d]", i), "K", l.Query, l.K, l.Weight); err != nil {
			return err
		}
	}
	return nil
}

// check returns what is wrong with x, as part of r.
func (x *Rescore) check(r *Request) error {
	switch {
	case len(r.Sort) > 0:
		return fmt.Errorf("%w: Rescore with Sort", query.ErrInvalid)
	case search.HasAndOr(r.Query):
		return fmt.Errorf("%w: Rescore of a query of mode %v, whose hits depend on their number", query.ErrInvalid, query.ModeAndOr)
	}
	return checkRanking("Rescore", "N", x.Query, x.N, x.Weight)
}

// checkRanking checks what a FuseList and a Rescore have; name is that of what has them, and number that of n in it.
func checkRanking(name, number string, q query.Node, n int, weight float64) error {
	switch {
	case q == nil:
		return fmt.Errorf("%w: %s has no Query", query.ErrInvalid, name)
	case search.HasAndOr(q):
		return fmt.Errorf("%w: %s.Query has mode %v, whose hits depend on their number", query.ErrInvalid, name, query.ModeAndOr)
	case n < 0 || n > MaxRanked:
		return fmt.Errorf("%w: %s.%s is %d, not from 0 to %d", query.ErrInvalid, name, number, n, MaxRanked)
	case !(weight >= 0 && weight <= query.MaxBoost):
		return fmt.Errorf("%w: %s.Weight is %v, not from 0 to %v", query.ErrInvalid, name, weight, float64(query.MaxBoost))
	}
	return nil
}

// node returns what matches one of some queries, and filter unless that is nil. A query that is as good as absent matches nothing.
func node(queries []query.Node, filter query.Node) query.Node {
	switch {
	case filter != nil:
		return query.Bool{Should: queries, Filter: []query.Node{filter}, AtLeast: 1}
	case len(queries) == 1:
		return queries[0]
	}
	return query.Bool{Should: queries}
}

// Lists returns the requests whose answers make the page of r, which has Fuse or Rescore; they have neither. With Fuse there is one for
// each list, and if r asks for Total or Facets a last one for these. Without, the first is for the hits from the first on, and with
// After a second one for those behind it. Search does all of this; of a collection in parts, MergeLists makes the page.
func (r *Request) Lists() []Request {
	r = r.withTypos()
	if r.Fuse == nil {
		return r.plainLists()
	}
	var all []Request
	for i := range r.Fuse.Lists {
		all = append(all, r.Fuse.list(i, r))
	}
	if r.Total || len(r.Facets) > 0 {
		all = append(all, r.counted(r.Fuse.queries()))
	}
	return all
}

// plainLists is Lists for a request with Rescore and without Fuse. Of the hits behind After as many are among the best as there are of these.
func (r *Request) plainLists() []Request {
	limit, n := cmp.Or(r.Limit, query.DefaultK), r.Rescore.n()
	first := Request{Query: r.Query, Filter: r.Filter, Limit: n, Collapse: r.Collapse, Static: r.Static, K1: r.K1, B: r.B, Scorer: r.Scorer, Total: r.Total, Facets: r.Facets}
	if r.After == nil {
		first.Limit = max(n, limit+r.Offset)
		return []Request{first}
	}
	rest := first
	rest.Limit, rest.After, rest.Total, rest.Facets = limit+n, r.After, false, nil
	return []Request{first, rest}
}

// list returns the request for the list of a number, as part of r.
func (f *Fuse) list(i int, r *Request) Request {
	l := &f.Lists[i]
	return Request{Query: node([]query.Node{l.Query}, r.Filter), Limit: l.k(), K1: r.K1, B: r.B, Scorer: r.Scorer}
}

// k returns K, or its default.
func (l *FuseList) k() int { return cmp.Or(l.K, DefaultRanked) }

// counted returns the request for the total and the facets of r, of what one of some queries matches.
func (r *Request) counted(queries []query.Node) Request {
	if r.ignoresOwn() { // which is of the Filter of a request
		return Request{Query: node(queries, nil), Filter: r.Filter, Limit: 1, Total: r.Total, Facets: r.Facets, K1: r.K1, B: r.B, Scorer: r.Scorer}
	}
	return Request{Query: node(queries, r.Filter), Limit: 1, Total: r.Total, Facets: r.Facets, K1: r.K1, B: r.B, Scorer: r.Scorer}
}

// queries returns the queries of all lists.
func (f *Fuse) queries() []query.Node {
	all := make([]query.Node, len(f.Lists))
	for i := range f.Lists {
		all[i] = f.Lists[i].Query
	}
	return all
}

// fusing returns f as lists are fused.
func (f *Fuse) fusing() search.Fusing {
	return search.Fusing{ByScores: f.By == ByScores, Constant: cmp.Or(f.RankConstant, DefaultRankConstant)}
}

// scoring returns what is searched for, whose words are marked.
func (r *Request) scoring() query.Node {
	if r.Fuse == nil {
		return r.Query
	}
	return query.Bool{Should: r.Fuse.queries()}
}

// own makes Fuse and Rescore copies, and returns where r has nodes.
func (r *Request) own() []*query.Node {
	all := []*query.Node{&r.Query, &r.Filter}
	if r.Fuse != nil {
		f := *r.Fuse
		r.Fuse, f.Lists = &f, slices.Clone(f.Lists)
		for i := range f.Lists {
			all = append(all, &f.Lists[i].Query)
		}
	}
	if r.Rescore != nil {
		x := *r.Rescore
		r.Rescore = &x
		all = append(all, &x.Query)
	}
	return all
}
