package search

import (
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/internal/engine"
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
	expansions int    // of given that have been taken
	part       *given // what given is of; nil if it is
	limits     *[]query.Limited
	quiet      bool // within a node that nothing scores
}

// step is the place of a node in the one around it.
type step struct {
	role string
	i    int // -1 for the only one
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

// score returns a constant score.
func (b *builder) score(own, boost float64) (float32, error) {
	if own == 0 {
		own = 1
	}
	if !(own > 0 && own <= query.MaxBoost) {
		return 0, b.errorf("the score is %v, not from 0 to %v", own, float64(query.MaxBoost))
	}
	return float32(own * boost), nil
}

// searched returns the fields that a node searches: that of a name, or all of text.
func (b *builder) searched(name string) ([]int, error) {
	if name != "" {
		i, err := b.p.Number(name)
		if err != nil {
			return nil, b.at(err)
		}
		return b.p.Each[i : i+1 : i+1], nil
	}
	if len(b.p.Texts) == 0 {
		return nil, b.errorf("the index has no field of text to search")
	}
	return b.p.Texts, nil
}

// restart is called where a query is built once more.
func (b *builder) restart() {
	b.words, b.placed = 0, 0
	if b.expansions = 0; b.found != nil {
		b.found.Expansions = nil
	}
	if b.limits != nil {
		*b.limits = nil
	}
	if b.part != nil {
		b.part.restart()
	}
}

// limited is what notes Limited.
func (b *builder) limited(l query.Limited) {
	if b.limits != nil {
		*b.limits = append(*b.limits, l)
	}
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

// add adds a word that stays apart from others with the same bytes, and returns its number.
func (b *builder) add(w engine.Word) int {
	w.Group = int32(len(b.w.Words) + 1)
	b.w.Words = append(b.w.Words, w)
	return len(b.w.Words) - 1
}
