package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Fuse makes one ranked list of several, each of which has what is searched for.
type Fuse struct {
	Lists        []FuseList `json:"lists"`                   // from 1 to pinion.MaxFuse
	By           string     `json:"by,omitempty"`            // what a place in a list is worth: ranks (the default) or scores
	RankConstant *float64   `json:"rank_constant,omitempty"` // what is added to ranks, from 0 to 1e6; by default pinion.DefaultRankConstant
}

// FuseList is one of the lists of a Fuse: the best hits of what is searched for, of those that pass the filter.
type FuseList struct {
	Query      string      `json:"q,omitempty"`          // as in Request
	Text       string      `json:"text,omitempty"`       // as in Request
	Vector     *Vector     `json:"vector,omitempty"`     // as in Request
	Nearest    *Nearest    `json:"nearest,omitempty"`    // as in Request; its k is by default that of the list
	Similarity *Similarity `json:"similarity,omitempty"` // as in Request
	K          int         `json:"k,omitempty"`          // how many hits count, up to pinion.MaxRanked; 0 means pinion.DefaultRanked
	Weight     float64     `json:"weight,omitempty"`     // multiplies what the list adds to scores; 0 means 1
}

// Rescore adds to the scores of the best hits what is searched for scores, and puts them in the order of the sums.
type Rescore struct {
	Query      string      `json:"q,omitempty"`          // as in Request
	Text       string      `json:"text,omitempty"`       // as in Request
	Vector     *Vector     `json:"vector,omitempty"`     // as in Request
	Nearest    *Nearest    `json:"nearest,omitempty"`    // as in Request, among the best hits; its k is by default their number
	Similarity *Similarity `json:"similarity,omitempty"` // as in Request, for all of the best hits; it may be alone
	N          int         `json:"n,omitempty"`          // how many hits, up to pinion.MaxRanked; 0 means pinion.DefaultRanked
	Weight     float64     `json:"weight,omitempty"`     // multiplies the scores; 0 means 1
}

// ListHit is what one list of a Fuse has of a hit.
type ListHit struct {
	Rank  int     `json:"rank"`  // from 1; 0 if the list does not have it
	Score float32 `json:"score"` // that it has there
	Added float32 `json:"added"` // to the score of the hit
}

// fuse takes Fuse and what is beside it.
func (r *Request) fuse(s *schema.Schema, to *pinion.Request) error {
	f := r.Fuse
	switch {
	case r.Query != "" || r.Text != "" || r.Like != nil || r.Vector != nil || r.Nearest != nil || r.Similarity != nil:
		return invalid("fuse", "its lists say what is searched for, in place of q, text, like, vector, nearest and similarity")
	case len(r.Sort) > 0:
		return invalid("sort", "the lists of fuse say in which order hits are")
	case r.Static != nil:
		return invalid("static", "not beside fuse")
	case len(f.Lists) == 0 || len(f.Lists) > pinion.MaxFuse:
		return invalid("fuse.lists", "%d lists, not from 1 to %d", len(f.Lists), pinion.MaxFuse)
	case f.By != "" && f.By != "ranks" && f.By != "scores":
		return invalid("fuse.by", "%.40q is neither ranks nor scores", f.By)
	}
	own := &pinion.Fuse{RankConstant: given(f.RankConstant)}
	if f.By == "scores" {
		own.By = pinion.ByScores
	}
	switch c := own.RankConstant; {
	case !(c >= 0 && c <= query.MaxBoost):
		return invalid("fuse.rank_constant", "%v is not from 0 to %v", c, float64(query.MaxBoost))
	case c > 0 && own.By == pinion.ByScores:
		return invalid("fuse.rank_constant", "fusing by scores has none")
	}
	for i := range f.Lists {
		l := &f.Lists[i]
		x := ranked{key: fmt.Sprintf("fuse.lists[%d].", i), number: "k", n: l.K, weight: l.Weight,
			what: Request{Query: l.Query, Text: l.Text, Vector: l.Vector, Nearest: l.Nearest, Similarity: l.Similarity, Strict: r.Strict}}
		n, err := x.node(s)
		if err != nil {
			return err
		}
		own.Lists = append(own.Lists, pinion.FuseList{Query: n, K: l.K, Weight: l.Weight})
	}
	to.Fuse = own
	return nil
}

// rescore takes Rescore.
func (r *Request) rescore(s *schema.Schema, to *pinion.Request) error {
	l := r.Rescore
	switch {
	case l == nil:
		return nil
	case len(r.Sort) > 0:
		return invalid("sort", "rescore says in which order hits are")
	}
	x := ranked{key: "rescore.", number: "n", n: l.N, weight: l.Weight,
		what: Request{Query: l.Query, Text: l.Text, Vector: l.Vector, Nearest: l.Nearest, Strict: r.Strict}}
	to.Rescore = &pinion.Rescore{N: l.N, Weight: l.Weight}
	var err error
	if l.Similarity == nil || l.Query+l.Text != "" || l.Vector != nil || l.Nearest != nil {
		if to.Rescore.Query, err = x.node(s); err != nil {
			return err
		}
	}
	if l.Similarity == nil {
		return nil
	}
	similar, err := l.Similarity.similarity(s)
	if err != nil {
		return behind(x.key, err)
	}
	if to.Rescore.Query != nil { // it counts also for hits that this does not match
		similar = query.Bool{Must: []query.Node{query.All{Score: query.Zero}}, Should: []query.Node{to.Rescore.Query, similar}}
	}
	to.Rescore.Query = similar
	return x.check()
}

// ranked is what a FuseList and a Rescore have.
type ranked struct {
	key, number string // in front of the keys of errors; and that of n
	n           int
	weight      float64
	what        Request
}

func (x *ranked) check() error {
	switch {
	case x.n < 0 || x.n > pinion.MaxRanked:
		return invalid(x.key+x.number, "%d hits, not from 0 to %d", x.n, pinion.MaxRanked)
	case !(x.weight >= 0 && x.weight <= query.MaxBoost):
		return invalid(x.key+"weight", "%v is not above 0 and up to %v", x.weight, float64(query.MaxBoost))
	}
	return nil
}

// node returns what is searched for.
func (x *ranked) node(s *schema.Schema) (query.Node, error) {
	if err := x.check(); err != nil {
		return nil, err
	}
	if near := x.what.Nearest; near != nil && near.K == 0 {
		own := *near
		own.K = cmp.Or(x.n, pinion.DefaultRanked)
		x.what.Nearest = &own
	}
	n, err := node(s, &x.what)
	return n, behind(x.key, err)
}

// behind returns an error whose key, if it names one, is behind that of what it is within.
func behind(key string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	own := *e
	own.Field = key + e.Field
	return &own
}

// checkRanked returns an error if more hits than most are ranked for r, or more documents are the nearest.
func (r *Request) checkRanked(most int) error {
	if err := r.Nearest.bound("", query.DefaultK, most); err != nil {
		return err
	}
	if r.Fuse != nil {
		for i, l := range r.Fuse.Lists {
			key, k := fmt.Sprintf("fuse.lists[%d].", i), cmp.Or(l.K, pinion.DefaultRanked)
			if k > most {
				return invalid(key+"k", "%d hits, more than %d", k, most)
			}
			if err := l.Nearest.bound(key, k, most); err != nil {
				return err
			}
		}
	}
	if x := r.Rescore; x != nil {
		n := cmp.Or(x.N, pinion.DefaultRanked)
		if n > most {
			return invalid("rescore.n", "%d hits, more than %d", n, most)
		}
		return x.Nearest.bound("rescore.", n, most)
	}
	return nil
}

// words returns the parts of what is searched for that were taken as words because they mean nothing else.
func (r *Request) words(s *schema.Schema) (all []string) {
	if r.Strict {
		return nil
	}
	texts := []string{r.Query}
	if r.Fuse != nil {
		for i := range r.Fuse.Lists {
			texts = append(texts, r.Fuse.Lists[i].Query)
		}
	}
	if r.Rescore != nil {
		texts = append(texts, r.Rescore.Query)
	}
	for _, text := range texts {
		for _, w := range query.ParseLenient(s, text).Words {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}

// newLists returns what lists have of a hit.
func newLists(all []pinion.ListHit) (lists []ListHit) {
	for _, l := range all {
		lists = append(lists, ListHit(l))
	}
	return lists
}
