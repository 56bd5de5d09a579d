package ocis

import (
	"fmt"
	"slices"
	"time"

	"github.com/pinion-index/pinion/query"
)

// Node is a part of a query, as the host's parser makes it: a String, Bool, Time or Group, or an Op between or before
// them.
type Node interface{ isNode() }

// String asks for a value in a field: in the name if Key is "". * and ? stand for any characters and for one.
type String struct{ Key, Value string }

// Bool asks for a flag.
type Bool struct {
	Key   string
	Value bool
}

// Time asks for times before or after one. Op is one of <, <=, > and >=. As in the host, a Time with another, or without
// one, asks for nothing.
type Time struct {
	Key, Op string
	Value   time.Time
}

// Group is a part in brackets. Its Key, if not "", is that of all Strings directly in it.
type Group struct {
	Key   string
	Nodes []Node
}

// Op is an operator: And or Or between two parts, or Not before one. And comes before Or. Without an operator between
// two parts, both are to match.
type Op string

// The operators.
const (
	And Op = "AND"
	Or  Op = "OR"
	Not Op = "NOT"
)

func (String) isNode() {}
func (Bool) isNode()   {}
func (Time) isNode()   {}
func (Group) isNode()  {}
func (Op) isNode()     {}

// maxDepth is how deep groups may be within one another.
const maxDepth = 40

// compiler makes a tree of nodes.
type compiler struct {
	wide    terms // where patterns are looked up; nil if the query does it
	content bool  // something is asked of the text
	depth   int
}

// compile returns the tree of a whole query.
func (c *compiler) compile(nodes []Node) (query.Node, error) {
	q, err := c.group("", nodes)
	if err == nil && q == nil {
		err = ErrQuery
	}
	return q, err
}

// group returns the tree of nodes, or nil if they ask for nothing. Strings without a key have this one.
func (c *compiler) group(key string, nodes []Node) (query.Node, error) {
	if c.depth++; c.depth > maxDepth {
		return nil, fmt.Errorf("%w: more than %d groups within one another", ErrQuery, maxDepth)
	}
	defer func() { c.depth-- }()
	var either []query.Node // the alternatives before the last
	var all []query.Node    // of the last alternative
	op, not := And, false
	for _, n := range nodes {
		if o, ok := n.(Op); ok {
			if o == Not {
				not = !not
			} else {
				op = o
			}
			continue
		}
		q, err := c.operand(key, n)
		if err != nil {
			return nil, err
		}
		if q != nil {
			if not {
				q = butNot(q)
			}
			if op == Or && len(all) > 0 {
				either, all = append(either, conjunction(all)), nil
			}
			all = append(all, q)
		}
		op, not = And, false
	}
	switch {
	case len(either) > 0:
		return query.Bool{Should: append(either, conjunction(all))}, nil
	case len(all) > 0:
		return conjunction(all), nil
	}
	return nil, nil
}

// conjunction is matched by what matches all of one or more nodes.
func conjunction(all []query.Node) query.Node {
	if len(all) == 1 {
		return all[0]
	}
	return query.Bool{Must: slices.Clip(all)}
}

// butNot is matched by all that does not match a node.
func butNot(q query.Node) query.Node {
	return query.Bool{Must: []query.Node{query.All{}}, MustNot: []query.Node{q}}
}

// operand returns the tree of a node that is no operator, or nil if it asks for nothing.
func (c *compiler) operand(key string, n Node) (query.Node, error) {
	switch n := n.(type) {
	case String:
		if key != "" {
			n.Key = key
		}
		return c.text(n.Key, n.Value)
	case Bool:
		return flag(n.Key, n.Value), nil
	case Time:
		return period(n), nil
	case Group:
		return c.group(n.Key, n.Nodes)
	}
	return nil, fmt.Errorf("%w: %T is no part of one", ErrQuery, n)
}
