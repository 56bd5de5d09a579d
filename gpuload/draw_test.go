package gpuload

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"pgregory.net/rapid"
)

// drawing draws requests over the index of drawnIndex.
type drawing struct {
	t      *rapid.T
	schema bool            // the index has one
	wrong  bool            // some requests are invalid
	drawn  map[string]bool // fields of requests
}

func (d *drawing) chance(of int) bool { return rapid.IntRange(0, of-1).Draw(d.t, "chance") == of-1 }

// word returns a word that is there, or is not.
func (d *drawing) word() string { return drawnWord(rapid.IntRange(0, 24).Draw(d.t, "word")) }

// drawnWord returns a word: long ones have typos.
func drawnWord(n int) string { return fmt.Sprintf("word%c%c", 'a'+n%5, 'a'+n/5) }

func (d *drawing) text() string {
	words := make([]string, rapid.IntRange(0, 4).Draw(d.t, "words"))
	for i := range words {
		words[i] = d.word()
	}
	if d.chance(16) { // more than a device takes
		for i := range 70 {
			words = append(words, fmt.Sprint("words", i))
		}
	}
	return strings.Join(words, " ")
}

func (d *drawing) field() string {
	if !d.schema {
		return ""
	}
	if d.wrong && d.chance(20) {
		return "none"
	}
	return rapid.SampledFrom([]string{"", "body", "title", "k"}).Draw(d.t, "field")
}

func (d *drawing) boost() float64 {
	return rapid.SampledFrom([]float64{0, 0, 0, 1, 2.5}).Draw(d.t, "boost")
}

func (d *drawing) vector() []float32 {
	v := make([]float32, 4)
	for i := range v {
		v[i] = float32(rapid.IntRange(-3, 3).Draw(d.t, "component"))
	}
	v[0] += 0.5
	return v
}

// nodes returns up to n nodes.
func (d *drawing) nodes(n, depth int) []query.Node {
	var all []query.Node
	for range rapid.IntRange(0, n).Draw(d.t, "nodes") {
		all = append(all, d.node(depth))
	}
	return all
}

// match is what most are searched for.
func (d *drawing) match() query.Match {
	m := query.Match{Field: d.field(), Text: d.text(), Boost: d.boost(), Typos: d.chance(6)}
	m.Mode = rapid.SampledFrom([]query.Mode{query.ModeOr, query.ModeOr, query.ModeAnd, query.ModeAndOr}).Draw(d.t, "mode")
	if m.Field == "" && d.schema && d.chance(3) {
		m.Fields = []string{"title^3", "body"}
	}
	return m
}

// flat returns what a device may answer: a disjunction or conjunction of terms, or a dot product.
func (d *drawing) flat() query.Node {
	if d.schema && d.chance(6) {
		return d.dot()
	}
	if d.chance(3) {
		m := d.match()
		m.Typos = false
		return m
	}
	var b query.Bool
	for range rapid.IntRange(1, 6).Draw(d.t, "terms") {
		n := query.Term{Field: d.field(), Text: d.word(), Boost: d.boost()}
		if d.schema && n.Field == "" {
			n.Field = "body"
		}
		b.Should = append(b.Should, n)
	}
	if d.chance(2) {
		b.Must, b.Should = b.Should, nil
	}
	return b
}

// dot returns a dot product.
func (d *drawing) dot() query.Dot {
	n := query.Dot{Field: "weights", Boost: d.boost()}
	for range rapid.IntRange(1, 4).Draw(d.t, "terms") {
		n.Terms = append(n.Terms, query.WeightedTerm{Term: d.word(), Weight: uint32(rapid.IntRange(1, 300).Draw(d.t, "weight"))})
	}
	return n
}

// node returns any node.
func (d *drawing) node(depth int) query.Node {
	kinds := 9
	if depth > 0 {
		kinds = 14
	}
	if d.schema {
		kinds += 5
	}
	kind := rapid.IntRange(0, kinds-1).Draw(d.t, "kind")
	if depth == 0 && kind >= 9 {
		kind += 5
	}
	switch kind {
	case 0, 1:
		m := d.match()
		if m.Mode == query.ModeAndOr && !d.wrong {
			m.Mode = query.ModeOr
		}
		return m
	case 2:
		return query.Term{Field: d.field(), Text: d.word(), Boost: d.boost()}
	case 3:
		return query.Prefix{Field: d.field(), Text: rapid.SampledFrom([]string{"worda", "wordb", "word", "none"}).Draw(d.t, "prefix"), Boost: d.boost(), Scored: d.chance(2)}
	case 4:
		return query.Wildcard{Field: d.field(), Pattern: "w*" + string(rune('a'+rapid.IntRange(0, 5).Draw(d.t, "letter"))), Scored: d.chance(2)}
	case 5:
		return query.Regexp{Field: d.field(), Pattern: "word[ab].", Scored: d.chance(2)}
	case 6:
		return query.Fuzzy{Field: d.field(), Text: d.word(), Boost: d.boost(), Edits: rapid.IntRange(0, 2).Draw(d.t, "edits")}
	case 7:
		return query.All{Score: d.boost()}
	case 8:
		return query.IDs{d.id(), d.id()}
	case 9:
		return query.Bool{Must: d.nodes(2, depth-1), Should: d.nodes(2, depth-1), MustNot: d.nodes(1, depth-1), Filter: d.nodes(1, depth-1), AtLeast: rapid.IntRange(0, 1).Draw(d.t, "at least"), Boost: d.boost()}
	case 10:
		return query.Best{Of: append(d.nodes(2, depth-1), d.node(depth-1)), Tie: rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(d.t, "tie")}
	case 11:
		return query.Const{Node: d.node(depth - 1), Score: d.boost()}
	case 12:
		return query.And(d.nodes(3, depth-1))
	case 13:
		return query.Or(append(d.nodes(3, depth-1), d.node(depth-1)))
	case 14:
		return query.Phrase{Field: "body", Text: d.word() + " " + d.word(), Slop: rapid.IntRange(0, 3).Draw(d.t, "slop"), Prefix: d.chance(4)}
	case 15:
		return query.Near{Field: "body", Text: d.word() + " " + d.word(), Distance: rapid.IntRange(0, 3).Draw(d.t, "distance"), Ordered: d.chance(2)}
	case 16:
		n := query.Nearest{Field: rapid.SampledFrom([]string{"v", "codes"}).Draw(d.t, "vectors"), Vector: d.vector(), K: rapid.IntRange(1, 30).Draw(d.t, "k"), Boost: d.boost()}
		if n.Field == "v" && d.chance(3) {
			n.Probe = 0.3
		}
		return n
	case 17:
		return query.Similarity{Field: "v", Vector: d.vector(), Boost: d.boost()}
	default:
		return d.dot()
	}
}

func (d *drawing) id() string { return fmt.Sprint(rapid.IntRange(0, drawnDocs+3).Draw(d.t, "id")) }

// filter returns a filter, mostly of columns.
func (d *drawing) filter() query.Node {
	if !d.schema {
		return d.node(1)
	}
	var n query.Node
	switch rapid.IntRange(0, 6).Draw(d.t, "filter") {
	case 0, 1:
		n = query.AtLeast("n", rapid.IntRange(0, 12).Draw(d.t, "least"))
	case 2:
		n = query.In{Field: "k", Values: []any{d.word(), d.word()}}
	case 3:
		n = query.Range{Field: "f", Min: 0.25, Max: rapid.Float64Range(0, 2).Draw(d.t, "most"), BelowMax: true}
	case 4:
		n = query.Exists{Field: "t"}
	case 5:
		n = d.node(1)
	default:
		n = query.DocsOf(func(yield func(uint32) bool) {
			for doc := range uint32(drawnDocs) {
				if doc%3 == 1 && !yield(doc) {
					return
				}
			}
		})
	}
	if d.chance(4) {
		n = query.Not{Node: n}
	}
	return n
}

// static returns static scores of any form.
func (d *drawing) static() *pinion.Static {
	s := &pinion.Static{Field: rapid.SampledFrom([]string{"f", "n"}).Draw(d.t, "of"), Boost: d.boost(), Multiply: d.chance(3)}
	switch rapid.IntRange(0, 4).Draw(d.t, "form") {
	case 1:
		s.Saturation = 2
	case 2:
		s.Logarithm = 3
	case 3:
		s.Decay, s.From = 4, 1.5
	case 4:
		s.Field, s.DecayOver, s.From = "t", 24*time.Hour, drawnTime.Add(100*time.Hour)
	default:
		s.Field = "f"
	}
	return s
}

func (d *drawing) sorts() []pinion.Sort {
	all := []pinion.Sort{{Field: rapid.SampledFrom([]string{"n", "f", "k", "t"}).Draw(d.t, "sort"), Desc: d.chance(2)}}
	if d.chance(2) {
		all = append(all, pinion.Sort{Score: true})
	}
	return all
}

// facets returns facets, some with figures or within others.
func (d *drawing) facets() []pinion.Facet {
	all := []pinion.Facet{{Field: "k", Limit: rapid.IntRange(0, 3).Draw(d.t, "limit"), IgnoreOwn: d.chance(4)}}
	switch rapid.IntRange(0, 4).Draw(d.t, "facet") {
	case 0:
		all[0].Stats = []pinion.Stat{{Field: "n"}}
	case 1:
		all[0].Facets = []pinion.Facet{{Field: "t", Every: 24 * time.Hour}}
	case 2:
		all = append(all, pinion.Facet{Field: "n", Width: 3}, pinion.Facet{Field: "f", Ranges: []pinion.Range{{Max: 0.5}, {Min: 0.5}}})
	case 3:
		all = append(all, pinion.Facet{Stats: []pinion.Stat{{Field: "f"}}})
	}
	return all
}

// ranked returns a node for Fuse and Rescore.
func (d *drawing) ranked() query.Node {
	if d.chance(2) {
		m := d.match()
		if m.Mode == query.ModeAndOr {
			m.Mode = query.ModeAnd
		}
		return m
	}
	return d.node(1)
}

// request returns a request with some of what requests have.
func (d *drawing) request() (r pinion.Request) {
	forDevice := d.chance(2) // asks for no more than what a device answers
	some := func(name string, of int, set func()) {
		if (!forDevice || name == "Filter" || name == "Limit" || name == "Static") && d.chance(of) {
			set()
			d.drawn[name] = true
		}
	}
	switch d.drawn["Query"] = true; {
	case forDevice:
		r.Query = d.flat()
	case d.chance(3):
		r.Query = d.node(2)
	default:
		r.Query = d.match()
	}
	some("Filter", 4, func() { r.Filter = d.filter() })
	some("Fuse", 8, func() {
		r.Query, r.Fuse = nil, &pinion.Fuse{By: rapid.SampledFrom([]pinion.FuseBy{pinion.ByRanks, pinion.ByScores}).Draw(d.t, "by")}
		for range rapid.IntRange(1, 3).Draw(d.t, "lists") {
			r.Fuse.Lists = append(r.Fuse.Lists, pinion.FuseList{Query: d.ranked(), K: rapid.IntRange(0, 20).Draw(d.t, "k"), Weight: d.boost()})
		}
	})
	some("Rescore", 8, func() {
		r.Rescore = &pinion.Rescore{Query: d.ranked(), N: rapid.IntRange(0, 20).Draw(d.t, "n"), Weight: d.boost()}
	})
	some("Typos", 6, func() { r.Typos = true })
	some("Synonyms", 8, func() { r.Synonyms = drawnSynonyms })
	some("Limit", 2, func() { r.Limit = rapid.SampledFrom([]int{1, 2, 3, 5, 11, 30, 150, 2000, 20_000}).Draw(d.t, "limit") })
	some("K1", 8, func() { r.K1 = rapid.SampledFrom([]float64{query.Zero, 1.2, 2}).Draw(d.t, "k1") })
	some("B", 8, func() { r.B = rapid.SampledFrom([]float64{query.Zero, 0.75, 1}).Draw(d.t, "b") })
	some("Scorer", 10, func() { r.Scorer = rapid.SampledFrom([]string{"bm25", "bm25+", "inl2"}).Draw(d.t, "scorer") })
	some("Total", 4, func() { r.Total = true })
	if d.schema {
		some("Sort", 8, func() { r.Sort = d.sorts() })
		some("Static", 4, func() { r.Static = d.static() })
		some("Collapse", 8, func() {
			r.Collapse = rapid.SampledFrom([]string{"k", "n"}).Draw(d.t, "collapse")
			some("Group", 2, func() { r.Group = &pinion.Group{Limit: 2} })
		})
		some("Facets", 8, func() { r.Facets = d.facets() })
		some("Fields", 8, func() { r.Fields = []string{"body", "n"} })
		some("Snippet", 8, func() { r.Snippet = &pinion.Snippet{} })
		some("Nearest", 4, func() { r.Nearest = true })
	}
	switch {
	case d.chance(4):
		r.Offset = rapid.IntRange(1, 12).Draw(d.t, "offset")
		d.drawn["Offset"] = true
	case !forDevice && d.chance(6):
		r.After = &pinion.After{ID: d.id(), Score: rapid.Float32Range(0, 3).Draw(d.t, "score")}
		d.drawn["After"] = true
	}
	return r
}

// undrawn returns the fields of a Request that no request has had.
func undrawn(drawn map[string]bool) (names []string) {
	of := reflect.TypeFor[pinion.Request]()
	for i := range of.NumField() {
		if name := of.Field(i).Name; !drawn[name] {
			names = append(names, name)
		}
	}
	return names
}
