package sim

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// treeModel is the part of a model that answers trees.
type treeModel struct {
	fields  []schema.Field // that are indexed
	lexical []schema.Field // of these, what BM25 scores
	dense   []schema.Field // of vectors
	docs    []oracle.Record
	ids     []string // of the documents
	columnModel
	*oracle.Records
	trees func() *oracle.Trees
	words func() map[string][]string // the terms of each field
}

func newTreeModel(fields []schema.Field, own []oracle.Field, docs []oracle.Record, ids []string) *treeModel {
	x := oracle.NewRecords(own, docs)
	trees := sync.OnceValue(func() *oracle.Trees { return oracle.NewTrees(x) })
	return &treeModel{fields, fields, nil, docs, ids, columnModel{}, x, trees, sync.OnceValue(func() map[string][]string {
		all := map[string][]string{}
		for _, f := range fields {
			all[f.Name] = x.Terms(f.Name)
		}
		return all
	})}
}

// tree draws whether a query is for a tree. Over many documents few are: the oracle looks at each.
func (m *treeModel) tree(r *rand.Rand) bool { return r.IntN(4+len(m.docs)/256) == 0 }

// draw draws a query for a tree.
func (m *treeModel) draw(r *rand.Rand) (search.Query, want) {
	q := search.Query{K: 1 + r.IntN(1<<r.IntN(9)), Algorithm: search.Algorithms()[r.IntN(len(search.Algorithms()))]}
	var o oracle.TreeQuery
	d := &treeDrawer{treeModel: m, Rand: r, left: 60}
	if r.IntN(6) == 0 {
		q.Node, o.Root = d.typed()
	}
	if q.Node == nil {
		q.Node, o.Root = d.node(r.IntN(5))
	}
	if q.Filter = drawFilter(r, max(len(m.docs), 1)); q.Filter != nil {
		o.Filter = q.Filter.Contains
	}
	if len(m.columns) > 0 && r.IntN(2) == 0 {
		return d.byValues(q, o)
	}
	if r.IntN(6) == 0 {
		o.After = &oracle.Hit{Doc: uint32(r.IntN(len(m.docs) + 1)), Score: 8 * r.Float32()}
		q.After = &search.Position{Score: o.After.Score, Doc: o.After.Doc}
	}
	answer := func(k int) []oracle.Hit {
		o := o
		if o.K = k; k == everything {
			o.After = nil
		}
		hits, _ := m.trees().Answer(o)
		return hits
	}
	return q, want{hits: func() []oracle.Hit { return answer(q.K) }, matches: func() []oracle.Hit { return answer(everything) }}
}

// treeDrawer draws trees, each for the engine and for the oracle.
type treeDrawer struct {
	*treeModel
	*rand.Rand
	left   int // how many nodes more than one may be drawn
	blends int
	denied int // within so many MustNot and Not
	quiet  int // within so many nodes in which nothing scores
}

func (d *treeDrawer) boost() float64 { return []float64{0, 0, 0, 1, 0.3, 4, 0.01}[d.IntN(7)] }

// score draws a constant score.
func (d *treeDrawer) score() float64 { return []float64{0, 2, 0.5, query.Zero}[d.IntN(4)] }

// node draws a tree of at most that depth.
func (d *treeDrawer) node(depth int) (query.Node, *oracle.Node) {
	d.left--
	if len(d.dense) > 0 && d.denied == 0 && d.IntN(6) == 0 {
		return d.nearest()
	}
	switch {
	case len(d.fields) > 0:
	case depth > 0 && d.left > 0 && d.IntN(2) == 0:
		return d.bool(depth - 1)
	default:
		return d.all()
	}
	if d.IntN(8) == 0 {
		return d.phrase()
	}
	if d.IntN(8) == 0 {
		return d.dot()
	}
	kind := d.IntN(14)
	if depth == 0 || d.left <= 0 {
		kind = d.IntN(7)
	}
	switch kind {
	case 0, 1, 2:
		return d.term()
	case 3, 4:
		return d.match()
	case 5:
		return d.expansion()
	case 6:
		return d.all()
	case 7:
		d.quiet++
		n, o := d.node(depth - 1)
		d.quiet--
		s := d.score()
		return query.Const{Node: n, Score: s}, &oracle.Node{Kind: oracle.Const, Must: []*oracle.Node{o}, Score: s}
	case 8, 9:
		nodes, own := d.nodes(depth-1, 4)
		tie, boost := []float64{0, 0.3, 0.9, 1}[d.IntN(4)], d.boost()
		return query.Best{Of: nodes, Tie: tie, Boost: boost}, &oracle.Node{Kind: oracle.Best, Should: own, Tie: tie, Boost: boost}
	}
	return d.bool(depth - 1)
}

func (d *treeDrawer) all() (query.Node, *oracle.Node) {
	s := d.score()
	return query.All{Score: s}, &oracle.Node{Kind: oracle.All, Score: s}
}

// nodes draws up to most nodes.
func (d *treeDrawer) nodes(depth, most int) (nodes []query.Node, own []*oracle.Node) {
	for range d.IntN(most + 1) {
		n, o := d.node(depth)
		nodes, own = append(nodes, n), append(own, o)
	}
	return nodes, own
}

func (d *treeDrawer) bool(depth int) (query.Node, *oracle.Node) {
	b := query.Bool{Boost: d.boost()}
	o := &oracle.Node{Kind: oracle.Bool, Boost: b.Boost}
	if d.IntN(2) == 0 {
		b.Must, o.Must = d.nodes(depth, 3)
	}
	if d.IntN(4) > 0 {
		b.Should, o.Should = d.nodes(depth, 5)
	}
	d.similarity(&b, o)
	if d.IntN(4) == 0 {
		d.denied++
		d.quiet++
		b.MustNot, o.Not = d.nodes(depth, 2)
		d.denied--
		d.quiet--
	}
	if d.IntN(4) == 0 {
		f, of := d.filter(depth)
		b.Filter, o.Filter = append(b.Filter, f), append(o.Filter, of)
	}
	if d.IntN(3) == 0 {
		b.AtLeast = d.IntN(4)
		o.AtLeast = b.AtLeast
	}
	return b, o
}

// filter draws a filter. One of ids names documents that there are not, too, and deleted ones.
func (d *treeDrawer) filter(depth int) (query.Node, *oracle.Node) {
	d.quiet++
	defer func() { d.quiet-- }()
	switch kind := d.IntN(6); {
	case kind == 0 && len(d.columns) > 0:
		return d.byColumns()
	case kind == 1 && depth > 0 && d.left > 0:
		return d.combined(depth - 1)
	case kind < 4 || len(d.docs) == 0:
		n, o := d.node(depth)
		return n, o
	case d.IntN(2) == 0:
		some := map[uint32]bool{}
		for range d.IntN(len(d.docs)) {
			some[uint32(d.IntN(len(d.docs)+1))] = true
		}
		return query.DocsOf(maps.Keys(some)), &oracle.Node{Kind: oracle.Set, Has: func(doc uint32) bool { return some[doc] }}
	}
	ids, in := query.IDs{"nosuch"}, map[string]bool{}
	for range d.IntN(len(d.docs)) {
		id := d.ids[d.IntN(len(d.docs))]
		ids, in[id] = append(ids, id), true
	}
	return ids, &oracle.Node{Kind: oracle.Set, Has: func(doc uint32) bool { return in[d.ids[doc]] }}
}

// word draws a term of a field, often one that a document has.
func (m *treeModel) word(r *rand.Rand, f *schema.Field) string {
	if len(m.docs) > 0 && r.IntN(3) > 0 {
		if words := m.docs[r.IntN(len(m.docs))].Terms[f.Name]; len(words) > 0 {
			return words[r.IntN(len(words))]
		}
	}
	return fmt.Sprintf("w%d", r.IntN(1<<(1+r.IntN(8))))
}

func (d *treeDrawer) field() *schema.Field { return &d.fields[d.IntN(len(d.fields))] }

func (d *treeDrawer) term() (query.Node, *oracle.Node) {
	f, boost := d.field(), d.boost()
	word := d.word(d.Rand, f)
	return query.Term{Field: f.Name, Text: word, Boost: boost}, &oracle.Node{Field: f.Name, Term: word, Boost: boost}
}

// match draws a text in a field or in all of text.
func (d *treeDrawer) match() (query.Node, *oracle.Node) {
	m := query.Match{Mode: query.Mode(d.IntN(2)), Boost: d.boost()}
	o := &oracle.Node{Kind: oracle.Bool, Boost: m.Boost}
	var words []string
	if texts := d.texts(); len(texts) > 1 && d.IntN(3) == 0 {
		for range d.IntN(4) {
			words = append(words, fmt.Sprintf("w%d", d.IntN(1<<(1+d.IntN(8)))))
		}
		m.Text = strings.Join(words, " ")
		return m, d.everywhere(o, texts, words, m.Mode)
	}
	f := d.field()
	m.Field = f.Name
	for range d.IntN(4) {
		words = append(words, d.word(d.Rand, f))
	}
	m.Text = strings.Join(words, " ")
	nodes := wordNodes(f, m.Text)
	if m.Mode == query.ModeAnd {
		o.Must = nodes
	} else {
		o.Should = nodes
	}
	return m, o
}

// texts returns the fields of text.
func (m *treeModel) texts() (all []*schema.Field) {
	for i := range m.fields {
		if f := &m.fields[i]; f.Kind == schema.Text {
			all = append(all, f)
		}
	}
	return all
}

// wordNodes returns the words of a text in a field.
func wordNodes(f *schema.Field, text string) (all []*oracle.Node) {
	for _, w := range terms(f, []any{text}) {
		all = append(all, &oracle.Node{Field: f.Name, Term: w})
	}
	return all
}

// everywhere makes of o the node for words in several fields. Where a field takes the text as one word, it is one for all.
// A word that comes several times is one, with the sum of the boosts, as equal terms that must match are.
func (d *treeDrawer) everywhere(o *oracle.Node, texts []*schema.Field, words []string, mode query.Mode) *oracle.Node {
	text := strings.Join(words, " ")
	whole := slices.ContainsFunc(texts, func(f *schema.Field) bool { return f.Analyzer == "keyword" })
	switch {
	case mode == query.ModeOr:
		for _, f := range texts {
			o.Should = append(o.Should, wordNodes(f, text)...)
		}
		return o
	case whole && len(words) > 0:
		words = []string{text}
	}
	for i, w := range words {
		if slices.Contains(words[:i], w) {
			continue
		}
		each := &oracle.Node{Kind: oracle.Bool}
		for _, f := range texts {
			in := &oracle.Node{Kind: oracle.Bool}
			for _, same := range words {
				if same == w {
					in.Must = append(in.Must, wordNodes(f, w)...)
				}
			}
			each.Should = append(each.Should, in)
		}
		o.Must = append(o.Must, each)
	}
	return o
}

// expansion draws a node that stands for terms. Not scored, it has the documents with one of them, and the boosts make
// a constant score.
func (d *treeDrawer) expansion() (query.Node, *oracle.Node) {
	fields, name := d.texts(), ""
	if len(fields) == 0 || d.IntN(3) > 0 {
		f := d.field()
		fields, name = []*schema.Field{f}, f.Name
	}
	boost, scored := d.boost(), d.IntN(2) == 0
	node, matches := d.selection(name, boost, scored)
	scored = scored && !fields[0].HasImpacts()
	o := &oracle.Node{Kind: oracle.Bool}
	for _, f := range fields {
		d.blends++
		for _, w := range d.words()[f.Name] {
			if matches(w) {
				o.Should = append(o.Should, &oracle.Node{Field: f.Name, Term: w, Boost: boost, Blend: d.blends})
			}
		}
	}
	switch {
	case scored && len(o.Should) > query.MaxScored:
		return d.term()
	case len(o.Should) == 0:
		o = &oracle.Node{Kind: oracle.Nothing}
	case !scored:
		has := func(doc uint32) bool {
			return slices.ContainsFunc(fields, func(f *schema.Field) bool { return slices.ContainsFunc(d.docs[doc].Terms[f.Name], matches) })
		}
		o = &oracle.Node{Kind: oracle.Const, Must: []*oracle.Node{{Kind: oracle.Set, Has: has}}, Score: boost}
	}
	return node, o
}

// selection draws which terms an expansion stands for.
func (d *treeDrawer) selection(field string, boost float64, scored bool) (query.Node, func(term string) bool) {
	word := fmt.Sprintf("w%d", d.IntN(256))
	switch d.IntN(4) {
	case 0:
		return query.Prefix{Field: field, Text: word, Boost: boost, Scored: scored}, func(t string) bool { return strings.HasPrefix(t, word) }
	case 1:
		pattern := []string{"w?5", "w*9", "w1*2", `w*\7`, "*3", "w??"}[d.IntN(6)]
		same := regexp.MustCompile(`(?s)\A` + strings.NewReplacer("*", ".*", "?", ".", `\`, "").Replace(pattern) + `\z`)
		return query.Wildcard{Field: field, Pattern: pattern, Boost: boost, Scored: scored}, same.MatchString
	case 2:
		pattern := []string{"w(1|2)[05]", "w[^1]{2}", "w.+8|w0", "[dw](12|3)?4*", "nothing"}[d.IntN(5)]
		return query.Regexp{Field: field, Pattern: pattern, Boost: boost, Scored: scored}, regexp.MustCompile(`(?s)\A(?:` + pattern + `)\z`).MatchString
	}
	most, fixed := 1+d.IntN(2), d.IntN(3)
	var n query.Node = query.Fuzzy{Field: field, Text: word, Edits: most, FixedPrefix: fixed, Boost: boost}
	if !scored {
		n = query.Const{Node: query.Fuzzy{Field: field, Text: word, Edits: most, FixedPrefix: fixed}, Score: boost}
	}
	return n,
		func(t string) bool {
			return strings.HasPrefix(t, word[:fixed]) && distance(word[fixed:], t[fixed:]) <= most
		}
}

// distance returns how many characters must be inserted, deleted, replaced or swapped with the next one to make b of a,
// or more than 2 if that is clear from their lengths.
func distance(a, b string) int {
	if n := utf8.RuneCountInString(a) - utf8.RuneCountInString(b); n > 2 || n < -2 {
		return 3
	}
	x, y := []rune(a), []rune(b)
	rows := [][]int{make([]int, len(y)+1)}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			row[j] = min(rows[i-1][j], row[j-1]) + 1
			if x[i-1] == y[j-1] {
				row[j] = min(row[j], rows[i-1][j-1])
			} else {
				row[j] = min(row[j], rows[i-1][j-1]+1)
			}
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], rows[i-2][j-2]+1)
			}
		}
		rows = append(rows, row)
	}
	return rows[len(x)][len(y)]
}
