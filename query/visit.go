package query

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pinion-index/pinion/schema"
)

// Clone returns a copy of a node that shares no memory with it that its owner may change.
func Clone(n Node) Node { return (&visitor{copies: true}).node(n) }

// AppendKey appends what tells a node from all others to dst, such as for a cache. Nodes with equal keys are the same. Of a node
// with values that may change no two keys are equal.
func AppendKey(dst []byte, n Node) []byte {
	v := visitor{key: dst, keys: true}
	v.node(n)
	return v.key
}

// Within yields the nodes directly within n that its documents match, all or some of them: not those of Filter, MustNot and Not.
func Within(n Node) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n == nil {
			return
		}
		v := visitor{copies: true, within: []Node{}}
		n.visit(&v)
		for _, x := range v.within {
			if !yield(x) {
				return
			}
		}
	}
}

// visitor is told what a node consists of, in one order: to make a key, a copy, or a list of the nodes within. Methods that return
// something return it with memory of its own, if a copy is made.
type visitor struct {
	keys   bool
	key    []byte
	copies bool // a node sets copy to its copy
	copy   Node
	within []Node                                      // unless nil, those that are matched; what is copied shares them
	embed  func(field, text string) ([]float32, error) // unless nil, makes vectors of texts
	err    error                                       // the first one of embed
	typos  bool                                        // copies of a Match have Typos
}

// WithTypos returns a copy of a node in which each Match has Typos that is not in a Filter, MustNot or Not.
func WithTypos(n Node) Node {
	v := visitor{copies: true, typos: true}
	return v.node(n)
}

// node visits a node, which may be nil.
func (v *visitor) node(n Node) Node {
	switch v.copy = nil; {
	case n != nil:
		n.visit(v)
	case v.keys:
		v.key = appendUnknown(v.key)
	}
	return v.copy
}

// kind begins a node. No two types have the same name.
func (v *visitor) kind(name string) { v.text(name) }

func (v *visitor) text(s string) {
	if v.keys {
		v.key = append(binary.AppendUvarint(v.key, uint64(len(s))), s...)
	}
}

func (v *visitor) number(x float64) {
	if v.keys {
		v.key = binary.LittleEndian.AppendUint64(v.key, math.Float64bits(x))
	}
}

func (v *visitor) integer(x int) {
	if v.keys {
		v.key = binary.AppendVarint(v.key, int64(x))
	}
}

func (v *visitor) flag(x bool) {
	if x {
		v.integer(1)
	} else {
		v.integer(0)
	}
}

// leaf is what most nodes without others within have.
func (v *visitor) leaf(name, field, text string, boost float64) {
	v.kind(name)
	v.text(field)
	v.text(text)
	v.number(boost)
}

func (v *visitor) texts(all []string) []string {
	v.integer(len(all))
	if v.keys {
		for _, s := range all {
			v.text(s)
		}
		return all
	}
	return slices.Clone(all)
}

// nodes visits nodes that a document need not match, or must not.
func (v *visitor) nodes(all []Node) []Node {
	v.integer(len(all))
	switch {
	case v.keys:
		for _, n := range all {
			v.node(n)
		}
		return all
	case v.within != nil:
		return all
	}
	own := slices.Clone(all)
	for i, n := range own {
		own[i] = v.node(n)
	}
	return own
}

// matched visits nodes that the documents match.
func (v *visitor) matched(all []Node) []Node {
	if v.within != nil {
		v.within = append(v.within, all...)
	}
	return v.nodes(all)
}

// value visits a value of Go that is compared with those of documents.
func (v *visitor) value(x any) any {
	if v.keys {
		v.key = appendGo(v.key, x)
		return x
	}
	switch x := x.(type) {
	case []byte:
		return bytes.Clone(x)
	case schema.Value:
		if x.Kind == schema.Keyword {
			return schema.KeywordValue(x.Field, bytes.Clone(x.Bytes()))
		}
	}
	return x
}

// unknown counts what has no form in keys.
var unknown atomic.Uint64

// appendUnknown appends what equals nothing else.
func appendUnknown(dst []byte) []byte {
	return binary.AppendUvarint(append(dst, 0xff), unknown.Add(1))
}

// appendGo appends a value: what tells it from all others only of those that do not change.
func appendGo(dst []byte, x any) []byte {
	v := visitor{key: dst, keys: true}
	switch x := x.(type) {
	case nil:
		v.integer(0)
	case schema.Value:
		v.integer(1)
		v.integer(int(x.Kind))
		v.number(x.Float())
		v.key = binary.AppendVarint(v.key, x.Int())
		v.text(string(x.Bytes()))
	case string, bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64, time.Time:
		v.integer(2)
		v.text(fmt.Sprintf("%T %[1]v", x))
	default:
		return appendUnknown(dst)
	}
	return v.key
}
