package search

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/engine"
	"github.com/pinion-index/pinion/internal/engine/algorithm"
	"github.com/pinion-index/pinion/internal/filter"
	"github.com/pinion-index/pinion/internal/where"
	"github.com/pinion-index/pinion/query"
)

// builder makes of a node what the engine executes: words, and a tree over them unless they are combined by a Mode.
// What is combined as its surroundings are becomes part of them, so that all that can be said by a Mode is.
type builder struct {
	p     *Parser
	w     *engine.Words
	path  []step // from the root to the current node
	room  [4]step
	nodes int
	// words is how many words expansions have, and placed how many places phrases have.
	words, placed int
	// blends is how many expansions there are, which number the blends of their words.
	blends int32
	// given is what the query brings, found what is asked of it, of a part of a collection; each nil otherwise.
	given      *query.Frequencies
	found      *query.Frequencies
	expansions int // of given that have been taken
	limits     *[]query.Limited
	quiet      bool // within a node that nothing scores
}

// step is the place of a node in the one around it.
type step struct {
	role string
	i    int // -1 for the only one
}

// part is a node as it is built.
type part struct {
	op                        algorithm.Op
	word                      engine.Word // of OpWord
	more                      []float64   // of a term: the boosts of further occurrences
	constant                  bool        // OpConst that stands for a term: of a field of impacts, the boosts are the score
	must, should, not, filter []part      // OpBest has should, OpConst has must
	atLeast                   int
	tie, score                float32
	set                       *docset.Global   // of OpSet, or
	columns                   *filter.Compiled // what passes it
	andOr                     bool             // must, or else at least one
	phrase                    sequential       // of OpPhrase
	weights                   []uint32         // of OpBest: of a Dot
}

// sequential is a phrase, which emits itself.
type sequential interface {
	emit(b *builder) algorithm.Sequence
}

// build adds a node, whose words it multiplies by boost. It returns false if the node is as good as absent.
func (b *builder) build(n query.Node, boost float64) (x part, ok bool, err error) {
	if err := b.enter(); err != nil {
		return x, false, err
	}
	switch n := n.(type) {
	case query.Term:
		return b.term(&n, boost)
	case query.Match:
		return b.match(&n, boost)
	case query.Bool:
		return b.bool(&n, boost, "Must", "Should")
	case query.And:
		if len(n) == 0 || onlyMatches(n) {
			return b.matched(n)
		}
		return b.bool(&query.Bool{Must: n}, boost, "And", "")
	case query.Or:
		if len(n) == 0 || onlyMatches(n) {
			return b.matched(n)
		}
		return b.bool(&query.Bool{Should: n}, boost, "", "Or")
	case query.In, query.Range, query.Exists, query.IDs, query.Docs, query.Not:
		return b.matched(n)
	case query.Best:
		return b.best(&n, boost)
	case query.Const:
		score, err := b.score(n.Score, boost)
		if err != nil {
			return x, false, err
		}
		defer b.hush()()
		kid, ok, err := b.kid("Node", -1, n.Node, 1)
		if kid.op == algorithm.OpConst {
			kid = kid.must[0]
		}
		return part{op: algorithm.OpConst, must: []part{kid}, score: score}, ok, err
	case query.All:
		score, err := b.score(n.Score, boost)
		return part{op: algorithm.OpAll, score: score}, true, err
	case query.Dot:
		return b.dot(&n, boost)
	case query.Phrase, query.Near:
		return phrasingOf(n, b).build(boost)
	case query.Prefix, query.Wildcard, query.Regexp, query.Fuzzy:
		return b.expand(expansionOf(n), boost)
	}
	return x, false, b.errorf("a node of type %T", n)
}

// hush says that nothing scores what is built until the function that it returns is called.
func (b *builder) hush() (end func()) {
	before := b.quiet
	b.quiet = true
	return func() { b.quiet = before }
}

// enter counts a node or filter.
func (b *builder) enter() error {
	if b.nodes++; b.nodes > query.MaxNodes {
		return b.errorf("more than %d nodes", query.MaxNodes)
	}
	if len(b.path) >= query.MaxDepth {
		return b.errorf("nodes within nodes to a depth of more than %d", query.MaxDepth)
	}
	if b.nodes%64 == 0 {
		return b.ended()
	}
	return nil
}

// ended returns why the query must end before it is built, or nil.
func (b *builder) ended() error {
	if b.w == nil || b.w.Context == nil {
		return nil
	}
	return b.w.Context.Err()
}

// expanded counts words that a node stands for. Errors do not say where.
func (b *builder) expanded(words int) error {
	if b.words += words; b.words > query.MaxTerms {
		return fmt.Errorf("%w: more than %d distinct terms", query.ErrTooManyTerms, query.MaxTerms)
	}
	return nil
}

// kid builds a node at a place in the current one.
func (b *builder) kid(role string, i int, n query.Node, boost float64) (part, bool, error) {
	b.path = append(b.path, step{role, i})
	x, ok, err := b.build(n, boost)
	b.path = b.path[:len(b.path)-1]
	return x, ok, err
}

// kids builds nodes, but for those that skip reports, unless that is nil. With join, those that are combined as it says
// become part of the others, and equal words are one.
func (b *builder) kids(role string, nodes []query.Node, boost float64, join func(*part) []part, skip func(query.Node) bool) (all []part, err error) {
	for i, n := range nodes {
		if skip != nil && skip(n) {
			continue
		}
		x, ok, err := b.kid(role, i, n, boost)
		switch {
		case err != nil:
			return nil, err
		case !ok:
		case join == nil:
			all = append(all, x)
		default:
			if its := join(&x); its != nil {
				all = append(all, its...)
			} else {
				all = append(all, x)
			}
		}
	}
	if join != nil {
		all = merge(all)
	}
	return all, nil
}

// disjunction returns the alternatives of a part that is nothing but a disjunction, or nil.
func disjunction(x *part) []part {
	if x.op == algorithm.OpBool && x.atLeast == 1 && len(x.must)+len(x.not)+len(x.filter) == 0 {
		return x.should
	}
	return nil
}

// conjunction returns the parts of a part that is nothing but a conjunction, or nil.
func conjunction(x *part) []part {
	if x.op == algorithm.OpBool && !x.andOr && len(x.should)+len(x.not)+len(x.filter) == 0 {
		return x.must
	}
	return nil
}

// term returns the word of a part that stands for a term, or nil.
func (x *part) term() *engine.Word {
	switch {
	case x.op == algorithm.OpWord:
		return &x.word
	case x.constant:
		return &x.must[0].word
	}
	return nil
}

// boosts returns the sum of the boosts of a term.
func (x *part) boosts() float64 {
	sum := x.term().Boost
	for _, more := range x.more {
		sum += more
	}
	return sum
}

// few is how many terms at most are compared each with all others to find equal ones.
const few = 16

// merge makes equal terms one.
func merge(all []part) []part {
	if len(all) < 2 {
		return all
	}
	type key struct {
		field int
		bytes string
		blend int32
	}
	var at map[key]int // of many
	if len(all) > few {
		at = make(map[key]int, len(all))
	}
	kept := all[:0]
	for _, x := range all {
		if w := x.term(); w != nil {
			i := -1
			if at == nil {
				i = slices.IndexFunc(kept, func(o part) bool {
					own := o.term()
					return own != nil && own.Field == w.Field && own.Blend == w.Blend && bytes.Equal(own.Bytes, w.Bytes)
				})
			} else if k := (key{w.Field, string(w.Bytes), w.Blend}); true {
				if n, ok := at[k]; ok {
					i = n
				} else {
					at[k] = len(kept)
				}
			}
			if i >= 0 {
				kept[i].more = append(append(kept[i].more, w.Boost), x.more...)
				continue
			}
		}
		kept = append(kept, x)
	}
	return kept
}

// bool builds a Bool, whose Must and Should errors name so.
func (b *builder) bool(n *query.Bool, boost float64, must, should string) (x part, ok bool, err error) {
	if n.AtLeast < 0 {
		return x, false, b.errorf("AtLeast is %d", n.AtLeast)
	}
	if boost, err = b.boost(n.Boost, boost); err != nil {
		return x, false, err
	}
	x.op, x.atLeast = algorithm.OpBool, n.AtLeast
	restrict := restrictions{b: b}
	if err := restrict.add(restricting{role: must, nodes: n.Must, which: onlyMatches}); err != nil {
		return x, false, err
	}
	if x.must, err = b.kids(must, n.Must, boost, conjunction, onlyMatches); err != nil {
		return x, false, err
	}
	join := disjunction
	if n.AtLeast > 1 {
		join = func(*part) []part { return nil }
	}
	if x.should, err = b.kids(should, n.Should, boost, join, nil); err != nil {
		return x, false, err
	}
	if err := restrict.add(restricting{role: "Filter", nodes: n.Filter}); err != nil {
		return x, false, err
	}
	if x.atLeast == 0 && len(x.must) == 0 && !restrict.some() {
		x.atLeast = 1 // also if what must not match restricts
	}
	if err := restrict.add(restricting{role: "MustNot", nodes: n.MustNot, which: where.ByColumns, not: true}); err != nil {
		return x, false, err
	}
	end := b.hush()
	if x.not, err = b.kids("MustNot", n.MustNot, 1, disjunction, where.ByColumns); err != nil {
		return x, false, err
	}
	end()
	if x.filter, err = restrict.built(); err != nil {
		return x, false, err
	}
	return x.simplified()
}

// simplified returns a Bool whose parts are built, or what says the same more simply.
func (x *part) simplified() (part, bool, error) {
	must, should, others := len(x.must), len(x.should), len(x.not)+len(x.filter)
	if x.atLeast == 0 && must+len(x.filter) == 0 {
		x.atLeast = 1
	}
	switch {
	case must+should+others == 0:
		return part{}, false, nil
	case x.atLeast > should:
		return part{op: algorithm.OpNone}, true, nil
	case must == 1 && should+others == 0:
		return x.must[0], true, nil
	case should == 1 && must+others == 0:
		return x.should[0], true, nil
	}
	return *x, true, nil
}

func (b *builder) best(n *query.Best, boost float64) (x part, ok bool, err error) {
	if !(n.Tie >= 0 && n.Tie <= 1) {
		return x, false, b.errorf("Tie is %v, not from 0 to 1", n.Tie)
	}
	if n.Tie == 1 {
		x = part{op: algorithm.OpBool, atLeast: 1}
	} else {
		x = part{op: algorithm.OpBest, tie: float32(n.Tie)}
	}
	if boost, err = b.boost(n.Boost, boost); err != nil {
		return x, false, err
	}
	var join func(*part) []part
	if n.Tie == 1 {
		join = disjunction
	}
	switch x.should, err = b.kids("Of", n.Of, boost, join, nil); len(x.should) {
	case 0:
		return part{}, false, err
	case 1:
		return x.should[0], true, nil
	}
	return x, true, nil
}

func (b *builder) term(t *query.Term, boost float64) (x part, ok bool, err error) {
	i, err := b.p.Number(t.Field)
	if err != nil {
		return x, false, b.at(err)
	}
	boost, err = b.boostOf(t.Boost, boost, t.Field, t.Text)
	from := len(b.w.Bytes)
	b.w.Bytes = append(b.w.Bytes, t.Text...)
	return b.word(engine.Word{Bytes: b.w.Bytes[from:len(b.w.Bytes):len(b.w.Bytes)], Field: i, Boost: boost}), true, err
}

// word is word, but of a field of impacts a constant, whose score is the boost: BM25 has no use for a weight.
func (b *builder) word(w engine.Word) part {
	if b.p.Fields[w.Field].Impacts {
		return part{op: algorithm.OpConst, must: []part{word(w)}, constant: true}
	}
	return word(w)
}

func word(w engine.Word) part { return part{op: algorithm.OpWord, word: w} }

func (b *builder) match(m *query.Match, around float64) (x part, ok bool, err error) {
	fields, boost, err := b.of(m, around)
	if err != nil {
		return x, false, err
	}
	x.op = algorithm.OpBool
	switch {
	case m.Mode == query.ModeOr || len(fields) == 1:
		var words []part
		for i, f := range fields {
			if words, err = b.text(words, f, boost.of(i), m); err != nil {
				return x, false, err
			}
		}
		words = merge(words)
		if x.should = words; m.Mode != query.ModeOr {
			x.must, x.should, x.andOr = words, nil, m.Mode == query.ModeAndOr && len(words) > 1
		}
	default:
		places, err := b.places(fields, boost, m.Text)
		if err != nil {
			return x, false, err
		}
		for _, p := range places {
			switch every := len(p.should) == len(fields); {
			case len(p.should) > 1 && every:
				x.must = append(x.must, p)
			default:
				x.should = append(x.should, p.should...)
			}
		}
		x.should = merge(x.should)
	}
	return x.simplified()
}

// text appends the words of a Match in a field.
func (b *builder) text(words []part, field int, boost float64, m *query.Match) ([]part, error) {
	if b.p.Fields[field].Compound() != nil {
		for _, w := range b.p.Fields[field].CompoundWords(m.Text) {
			x, ok := b.typed(field, boost, w)
			switch its := disjunction(&x); {
			case ok && m.Mode == query.ModeOr && its != nil:
				words = append(words, its...)
			case ok:
				words = append(words, x)
			}
		}
		return words, nil
	}
	w, from := b.w, len(b.w.Terms)
	var err error
	if w.Terms, w.Bytes, err = b.p.Fields[field].AppendTerms(w.Terms, w.Bytes, m.Text); err != nil {
		return nil, b.at(err)
	}
	for _, t := range w.Terms[from:] {
		words = append(words, b.word(engine.Word{Bytes: t, Field: field, Boost: boost}))
	}
	return words, nil
}

// boost returns the boost of a node times that of the nodes around it.
func (b *builder) boost(own, around float64) (float64, error) {
	if own == 0 {
		return around, nil
	}
	if !(own > 0 && own <= query.MaxBoost) {
		return 0, b.errorf("the boost is %v, not above 0 and up to %v", own, float64(query.MaxBoost))
	}
	if own *= around; own > query.MaxBoost {
		return 0, b.errorf("with the boosts around it the boost is %v, above %v", own, float64(query.MaxBoost))
	}
	return own, nil
}

// boostOf is boost for words, which the error says.
func (b *builder) boostOf(own, around float64, field, what string) (float64, error) {
	boost, err := b.boost(own, around)
	if err != nil {
		err = fmt.Errorf("%w: %.40q in field %q", err, what, field)
	}
	return boost, err
}

// errorf returns an error matching ErrInvalid at the current node.
func (b *builder) errorf(format string, args ...any) error {
	return b.at(fmt.Errorf("%w: "+format, append([]any{query.ErrInvalid}, args...)...))
}

// at returns err, unless it is nil, with the place of the current node.
func (b *builder) at(err error) error {
	if err == nil || len(b.path) == 0 {
		return err
	}
	var s strings.Builder
	for i, p := range b.path {
		if i > 0 {
			s.WriteByte('.')
		}
		s.WriteString(p.role)
		if p.i >= 0 {
			fmt.Fprintf(&s, "[%d]", p.i)
		}
	}
	return fmt.Errorf("%w, at %s", err, s.String())
}
