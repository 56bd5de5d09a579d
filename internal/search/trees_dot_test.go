package search_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

const vectorScale = 0.3

// withVectors adds a field of impacts to a schema.
func withVectors(s *schema.Schema) *schema.Schema {
	s.Fields = append(s.Fields, schema.Field{Name: "vector", Kind: schema.Impacts, Scale: vectorScale})
	return s
}

// embed gives a document weights of the terms v0 to v19, which depend on its number only; one in ten has none.
func embed(doc *oracle.Record, d uint64) {
	h := d ^ 0x9e3779b97f4a7c15
	next := func(n uint64) uint64 {
		h = h*6364136223846793005 + 1442695040888963407
		return (h >> 33) % n
	}
	if next(10) == 0 {
		return
	}
	weights := map[string]int{}
	doc.Weights = map[string]map[string]int{"vector": weights}
	for i := range uint64(20) {
		if next(2+i) == 0 {
			term := fmt.Sprint("v", i)
			doc.Terms["vector"] = append(doc.Terms["vector"], term)
			weights[term] = int(1 + next(1+next(255)))
		}
	}
}

// vectorOf returns the value of a document in the field of impacts of a schema, if it has one.
func vectorOf(s *schema.Schema, doc *oracle.Record) []schema.Value {
	field := s.Number("vector")
	if field < 0 || len(doc.Weights["vector"]) == 0 {
		return nil
	}
	var all []schema.Impact
	for term, w := range doc.Weights["vector"] {
		all = append(all, schema.Impact{Term: term, Weight: uint8(w)})
	}
	return []schema.Value{schema.ImpactsValue(field, all)}
}

// impacts draws a Dot, or a term or an expansion of the field of impacts, which have constant scores.
func (r *treeDrawer) impacts() (query.Node, *oracle.Node) {
	term := func() string { return fmt.Sprint("v", int(22*r.Float64()*r.Float64())) }
	boost := r.boost()
	if r.IntN(3) == 0 {
		t := term()
		return query.Term{Field: "vector", Text: t, Boost: boost}, &oracle.Node{Field: "vector", Term: t, Boost: boost}
	}
	if !r.parts && r.IntN(4) == 0 {
		return r.expandedImpacts(boost)
	}
	d, o := query.Dot{Field: "vector", Boost: boost}, &oracle.Node{Kind: oracle.Dot, Field: "vector", Weights: map[string]int{}, Boost: boost}
	for range r.IntN(9) {
		t, w := term(), 1+r.IntN(1+r.IntN(4000))
		d.Terms = append(d.Terms, query.WeightedTerm{Term: t, Weight: uint32(w)})
		o.Weights[t] += w
	}
	return d, o
}

// expandedImpacts draws a node that stands for terms of the field of impacts: whether or not it asks for the score of each, it
// has that of a constant.
func (r *treeDrawer) expandedImpacts(boost float64) (query.Node, *oracle.Node) {
	prefix := []string{"v", "v1", "v2", "v19", "x"}[r.IntN(5)]
	scored := r.IntN(2) == 0
	node := []query.Node{
		query.Prefix{Field: "vector", Text: prefix, Scored: scored, Boost: boost},
		query.Wildcard{Field: "vector", Pattern: prefix + "*", Scored: scored, Boost: boost},
		query.Regexp{Field: "vector", Pattern: prefix + ".*", Scored: scored, Boost: boost},
		query.Phrase{Field: "vector", Text: prefix, Prefix: true, Boost: boost},
	}[r.IntN(4)]
	has, any := map[uint32]bool{}, false
	for d := range r.docs {
		if slices.ContainsFunc(r.docs[d].Terms["vector"], func(t string) bool { return strings.HasPrefix(t, prefix) }) {
			has[uint32(d)], any = true, any || !r.docs[d].Deleted
		}
	}
	if !any {
		return node, &oracle.Node{Kind: oracle.Nothing}
	}
	return node, &oracle.Node{Kind: oracle.Const, Score: boost, Must: []*oracle.Node{
		{Kind: oracle.Set, Has: func(d uint32) bool { return has[d] }}}}
}
