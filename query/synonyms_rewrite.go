package query

import (
	"slices"
	"sort"
	"strings"

	"github.com/pinion-index/pinion/schema"
)

// Rewrite returns n with the words of each Match, in fields of text, searched for with their synonyms: what rules have on their left becomes a Best
// of it, if it stays, and of the right sides. At each word the longest left side counts. A side of several words is a Phrase in fields
// with positions, elsewhere all of its words must match; what stays of several words must match as a whole, too. A Match next to others
// of a Bool, an And or an Or, as words that are typed are, is one text with those that search the same fields.
//
// What no rule has stays as it is, and a node without such words is n itself. s is the schema of the index. The error matches ErrInvalid,
// for a Match of ModeAndOr.
func (s *Synonyms) Rewrite(schema *schema.Schema, n Node) (Node, error) {
	if s == nil || s.own == nil {
		return n, nil
	}
	return s.own.rewrite(s, schema, n)
}

func (*synonymRules) rewrite(s *Synonyms, schema *schema.Schema, n Node) (Node, error) {
	x := rewriting{s, schema}
	to, some, err := x.node(n)
	if !some || err != nil {
		return n, err
	}
	return to, nil
}

// rewriting rewrites nodes for a schema.
type rewriting struct {
	s      *Synonyms
	schema *schema.Schema
}

// node returns a node with synonyms, and whether it is another one.
func (x *rewriting) node(n Node) (Node, bool, error) {
	switch n := n.(type) {
	case Match:
		return x.match(n)
	case Bool:
		c := changes{x: x}
		n.Must = c.run(n.Must)
		if n.AtLeast > 1 {
			n.Should = c.each(n.Should)
		} else {
			n.Should = c.run(n.Should)
		}
		n.MustNot, n.Filter = c.each(n.MustNot), c.each(n.Filter)
		return n, c.some, c.err
	case And:
		c := changes{x: x}
		n = c.run(n)
		return n, c.some, c.err
	case Or:
		c := changes{x: x}
		n = c.run(n)
		return n, c.some, c.err
	case Best:
		c := changes{x: x}
		n.Of = c.each(n.Of)
		return n, c.some, c.err
	case Const:
		kid, some, err := x.node(n.Node)
		n.Node = kid
		return n, some, err
	case Not:
		kid, some, err := x.node(n.Node)
		n.Node = kid
		return n, some, err
	}
	return n, false, nil
}

// changes are those of the nodes of lists.
type changes struct {
	x    *rewriting
	some bool
	err  error // the first one
}

// each returns nodes with synonyms: the list itself if there are none.
func (c *changes) each(all []Node) []Node {
	own := all
	for i, n := range all {
		to := c.one(n)
		if to == nil {
			continue
		}
		if &own[0] == &all[0] {
			own = slices.Clone(all)
		}
		own[i] = to
	}
	return own
}

// one returns what a node becomes, or nil if it stays as it is.
func (c *changes) one(n Node) Node {
	to, some, err := c.x.node(n)
	if err != nil && c.err == nil {
		c.err = err
	}
	if !some {
		return nil
	}
	c.some = true
	return to
}

// run is each for nodes of which those next to each other may be one text.
func (c *changes) run(all []Node) []Node {
	var to []Node // unless nil, what all become
	for i := 0; i < len(all); {
		n := 1
		if m, ok := all[i].(Match); ok {
			for i+n < len(all) && goesOn(&m, all[i+n]) {
				n++
			}
		}
		if n > 1 {
			if them := c.x.join(all[i : i+n]); them != nil {
				if c.some = true; to == nil {
					to = slices.Clone(all[:i])
				}
				for _, x := range them {
					if x.node == nil {
						x.node = c.kept(x.was)
					}
					to = append(to, x.node)
				}
				i += n
				continue
			}
		}
		for _, n := range all[i : i+n] {
			if x := c.one(n); x != nil && to == nil {
				to = append(slices.Clone(all[:i]), x)
			} else if x != nil {
				to = append(to, x)
			} else if to != nil {
				to = append(to, n)
			}
			i++
		}
	}
	if to == nil {
		return all
	}
	return to
}

// kept returns what a node becomes, or itself.
func (c *changes) kept(n Node) Node {
	if to := c.one(n); to != nil {
		return to
	}
	return n
}

// goesOn reports whether the text of a node goes on that of m.
func goesOn(m *Match, n Node) bool {
	o, ok := n.(Match)
	return ok && o.Field == m.Field && slices.Equal(o.Fields, m.Fields) && o.Mode == m.Mode && o.Boost == m.Boost && o.Typos == m.Typos
}

// replaced is a node of a list that several others are, or what another one was.
type replaced struct{ node, was Node }

// join returns what several nodes become, each a Match like the first but for its text: those that a rule has together are one. It returns
// nil if there are none.
func (x *rewriting) join(nodes []Node) (to []replaced) {
	m := nodes[0].(Match)
	all, ok := x.fields(&m)
	if !ok || m.Mode >= ModeAndOr || slices.ContainsFunc(all, func(f searched) bool { return f.rules == nil }) {
		return nil
	}
	var text strings.Builder
	ends := make([]int, len(nodes))
	for i, n := range nodes {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(n.(Match).Text)
		ends[i] = text.Len()
	}
	many := make([]int, len(nodes)) // how many nodes those from here are one with
	for i := range all {
		f := &all[i]
		if f.steps = stepsOf(f.rules.f, text.String()); !f.within(ends) {
			return nil
		}
		f.found = f.rules.find(f.steps, func(from, to int) bool { return f.whole(ends, from, to) })
		for _, x := range f.found {
			first, last := numberAt(ends, f.steps[x.from].start), numberAt(ends, f.steps[x.to-1].start)
			many[first] = max(many[first], last-first+1)
		}
	}
	if slices.Max(many) < 2 {
		return nil
	}
	for i := 0; i < len(nodes); {
		n := 1
		for j := i; j < i+n; j++ { // those of fields may overlap
			n = max(n, j-i+many[j])
		}
		if n < 2 {
			to = append(to, replaced{was: nodes[i]})
		} else {
			start := 0
			if i > 0 {
				start = ends[i-1] + 1
			}
			to = append(to, replaced{node: together(&cluster{start: start, end: ends[i+n-1]}, all, text.String(), nodes[i:i+n])})
		}
		i += n
	}
	return to
}

// together returns what nodes become that are a cluster of a text.
func together(c *cluster, all []searched, text string, nodes []Node) Node {
	var own Bool
	boost := 0.0
	for _, n := range nodes {
		m := n.(Match)
		boost, m.Boost = m.Boost, 0
		own.Must = append(own.Must, m)
	}
	n := c.node(all, text, own)
	if boost == 0 {
		return n
	}
	return Bool{Should: []Node{n}, Boost: boost}
}

// numberAt returns which node a place of the text is in.
func numberAt(ends []int, at int) int {
	return sort.Search(len(ends), func(i int) bool { return at < ends[i] })
}

// within reports whether each step is within one node.
func (f *searched) within(ends []int) bool {
	return !slices.ContainsFunc(f.steps, func(s step) bool {
		i := numberAt(ends, s.start)
		return i == len(ends) || s.end > ends[i]
	})
}

// whole reports whether steps are all of several nodes.
func (f *searched) whole(ends []int, from, to int) bool {
	first, last := numberAt(ends, f.steps[from].start), numberAt(ends, f.steps[to-1].start)
	return first < last && (from == 0 || numberAt(ends, f.steps[from-1].start) < first) &&
		(to == len(f.steps) || numberAt(ends, f.steps[to].start) > last)
}
