package filter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/pinion-index/pinion/schema"
)

// Compiled is a filter of an index, checked and simplified. It is safe for concurrent use.
type Compiled struct {
	root node
	key  string
}

// op says what a node is.
type op byte

const (
	opNone   op = iota // no document
	opAll              // all documents
	opIn               // a value among keys, or among words
	opRange            // a value from lo to hi, or from min to max
	opExists           // a value
	opIDs              // an id among words
	opAnd
	opOr
	opNot
)

// node is a part of a filter.
type node struct {
	op                 op
	field              uint32 // its id
	kind               schema.Kind
	keys               []int64  // ascending
	words              [][]byte // ascending
	lo, hi             int64
	min, max           []byte // of keywords; nil is no bound
	aboveMin, belowMax bool
	kids               []node
	code               string // of a kid: its encoding, by which kids are sorted
}

// Compile returns f for an index with schema s. The error matches ErrInvalid.
func Compile(s *schema.Schema, f Filter) (*Compiled, error) {
	c := compiler{schema: s}
	root, err := c.compile(f, 0)
	return compiled(root, err)
}

// CompileEqual is Compile for an In of one value.
func CompileEqual(s *schema.Schema, name string, v schema.Value) (*Compiled, error) {
	n, field, err := inOf(s, name)
	if err == nil {
		err = n.add(field, v)
	}
	return compiled(n, err)
}

// CompileRange is Compile for a Range alone. It keeps nothing of f.
func CompileRange(s *schema.Schema, f *Range) (*Compiled, error) {
	c := compiler{schema: s}
	root, err := c.span(f)
	return compiled(root, err)
}

func compiled(root node, err error) (*Compiled, error) {
	if err != nil {
		return nil, err
	}
	var room [128]byte
	return &Compiled{root: root, key: string(root.append(room[:0]))}, nil
}

// Key returns what tells c from the filters of an index that are passed by other documents. It does not depend on the
// order in which things are said, nor on the names of fields.
func (c *Compiled) Key() string { return c.key }

// None reports whether no document passes c, whatever an index holds.
func (c *Compiled) None() bool { return c.root.op == opNone }

// All reports whether all documents pass c.
func (c *Compiled) All() bool { return c.root.op == opAll }

// Span returns the bounds of the keys of a field's values, if c is passed by the documents with a value from lo to hi there, which is no
// keyword.
func (c *Compiled) Span() (field uint32, lo, hi int64, ok bool) {
	n := &c.root
	return n.field, n.lo, n.hi, n.op == opRange && n.kind != schema.Keyword
}

type compiler struct {
	schema *schema.Schema
	n      int
}

func (c *compiler) compile(f Filter, depth int) (node, error) {
	if c.n++; c.n > MaxFilters {
		return node{}, invalid(nil, "more than %d filters", MaxFilters)
	}
	if depth > MaxDepth {
		return node{}, invalid(nil, "more than %d filters within one another", MaxDepth)
	}
	switch f := f.(type) {
	case In:
		return c.in(&f)
	case Range:
		return c.span(&f)
	case Exists:
		field, err := column(c.schema, f.Field)
		if err != nil {
			return node{}, err
		}
		return node{op: opExists, field: field.ID}, nil
	case IDs:
		if len(f.IDs) == 0 {
			return node{op: opNone}, nil
		}
		return node{op: opIDs, words: sorted(slices.Clone(f.IDs))}, nil
	case And:
		return c.combine(opAnd, f, depth)
	case Or:
		return c.combine(opOr, f, depth)
	case Not:
		kid, err := c.compile(f.Filter, depth+1)
		if err != nil {
			return node{}, err
		}
		switch kid.op {
		case opNone, opAll:
			return node{op: opNone + opAll - kid.op}, nil
		case opNot:
			return kid.kids[0], nil
		}
		return node{op: opNot, kids: []node{kid}}, nil
	case nil:
		return node{}, invalid(nil, "a filter is nil")
	}
	return node{}, invalid(nil, "a filter of type %T is for searches only", f)
}

// combine compiles an And or Or.
func (c *compiler) combine(o op, all []Filter, depth int) (node, error) {
	unit, zero := opAll, opNone // what adds nothing to the others, and what they add nothing to
	if o == opOr {
		unit, zero = zero, unit
	}
	n, decided := node{op: o}, false
	for _, f := range all {
		kid, err := c.compile(f, depth+1)
		switch {
		case err != nil:
			return node{}, err
		case kid.op == zero:
			decided = true
		case kid.op == o:
			n.kids = append(n.kids, kid.kids...)
		case kid.op != unit:
			n.kids = append(n.kids, kid)
		}
	}
	if decided {
		return node{op: zero}, nil
	}
	for i := range n.kids {
		n.kids[i].code = string(n.kids[i].append(nil))
	}
	sort.Slice(n.kids, func(i, j int) bool { return n.kids[i].code < n.kids[j].code }) // slices.SortFunc would add 28 kB to programs
	n.kids = slices.CompactFunc(n.kids, func(a, b node) bool { return a.code == b.code })
	switch len(n.kids) {
	case 0:
		return node{op: unit}, nil
	case 1:
		return n.kids[0], nil
	}
	return n, nil
}

func (c *compiler) in(f *In) (node, error) {
	n, field, err := inOf(c.schema, f.Field)
	if err != nil {
		return node{}, err
	}
	for _, v := range f.Values {
		if err := n.add(field, v); err != nil {
			return node{}, err
		}
	}
	if len(f.Values) == 0 {
		return node{op: opNone}, nil
	}
	slices.Sort(n.keys)
	n.keys, n.words = slices.Compact(n.keys), sorted(n.words)
	return n, nil
}

// inOf returns an In of a field, without values.
func inOf(s *schema.Schema, name string) (n node, field *schema.Field, err error) {
	if field, err = column(s, name); err != nil {
		return n, nil, err
	}
	return node{op: opIn, field: field.ID, kind: field.Kind}, field, nil
}

// add adds a value to an In of a field.
func (n *node) add(field *schema.Field, v schema.Value) error {
	if err := checkValue(field, v); err != nil {
		return err
	}
	if field.Kind == schema.Keyword {
		n.words = append(n.words, v.Bytes())
	} else {
		n.keys = append(n.keys, v.Key(field.Unit))
	}
	return nil
}

// sorted sorts words and drops those that are equal to others.
func sorted(words [][]byte) [][]byte {
	slices.SortFunc(words, bytes.Compare)
	return slices.CompactFunc(words, bytes.Equal)
}

func (c *compiler) span(f *Range) (node, error) {
	field, err := column(c.schema, f.Field)
	if err != nil {
		return node{}, err
	}
	n := node{op: opRange, field: field.ID, kind: field.Kind, lo: math.MinInt64, hi: math.MaxInt64}
	low, high := f.Min.Kind != 0, f.Max.Kind != 0
	for _, b := range []struct {
		is bool
		v  schema.Value
	}{{low, f.Min}, {high, f.Max}} {
		if b.is {
			if err := checkValue(field, b.v); err != nil {
				return node{}, err
			}
		}
	}
	if !low && !high {
		return node{op: opExists, field: field.ID}, nil
	}
	if field.Kind == schema.Keyword {
		return n.between(f, low, high), nil
	}
	none := node{op: opNone}
	if low {
		if n.lo = f.Min.Key(field.Unit); f.AboveMin {
			if n.lo == math.MaxInt64 {
				return none, nil
			}
			n.lo++
		}
	}
	if high {
		if n.hi = f.Max.Key(field.Unit); f.BelowMax {
			if n.hi == math.MinInt64 {
				return none, nil
			}
			n.hi--
		}
	}
	if n.lo > n.hi {
		return none, nil
	}
	return n, nil
}

// between is span for keywords.
func (n node) between(f *Range, low, high bool) node {
	if low {
		n.min, n.aboveMin = append([]byte{}, f.Min.Bytes()...), f.AboveMin
	}
	if high {
		n.max, n.belowMax = append([]byte{}, f.Max.Bytes()...), f.BelowMax
	}
	if low && high {
		if c := bytes.Compare(n.min, n.max); c > 0 || c == 0 && (n.aboveMin || n.belowMax) {
			return node{op: opNone}
		}
	}
	return n
}

// append appends the encoding of n: equal ones mean the same.
func (n *node) append(dst []byte) []byte {
	dst = binary.AppendUvarint(append(dst, byte(n.op)), uint64(n.field))
	switch n.op {
	case opIn, opIDs:
		dst = binary.AppendUvarint(dst, uint64(max(len(n.keys), len(n.words))))
		for _, k := range n.keys {
			dst = binary.BigEndian.AppendUint64(dst, uint64(k))
		}
		for _, w := range n.words {
			dst = appendWord(dst, w)
		}
	case opRange:
		if n.kind != schema.Keyword {
			dst = binary.BigEndian.AppendUint64(dst, uint64(n.lo))
			return binary.BigEndian.AppendUint64(dst, uint64(n.hi))
		}
		bits := byte(0)
		for i, is := range []bool{n.min != nil, n.max != nil, n.aboveMin, n.belowMax} {
			if is {
				bits |= 1 << i
			}
		}
		dst = appendWord(appendWord(append(dst, bits), n.min), n.max)
	case opAnd, opOr, opNot:
		dst = binary.AppendUvarint(dst, uint64(len(n.kids)))
		for i := range n.kids {
			dst = n.kids[i].append(dst)
		}
	}
	return dst
}

func appendWord(dst, word []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(word))), word...)
}

// column returns the field of a name, which must be a column.
func column(s *schema.Schema, name string) (*schema.Field, error) {
	var columns []string
	if s != nil {
		for i := range s.Fields {
			f := &s.Fields[i]
			if f.Column && f.Name == name {
				return f, nil
			}
			if f.Column {
				columns = append(columns, f.Name)
			}
		}
	}
	which := "the index has no columns"
	if len(columns) > 0 {
		which = "the columns are " + strings.Join(columns, ", ")
	}
	if f, ok := s.Field(name); ok && name != "" {
		return nil, invalid(f, "it is no column, which filters need; %s", which)
	}
	return nil, invalid(nil, "there is no field %q; %s", name, which)
}

// Column returns the number of the field of a name, which must be a column. The error matches ErrInvalid.
func Column(s *schema.Schema, name string) (int, error) {
	if _, err := column(s, name); err != nil {
		return -1, err
	}
	return s.Number(name), nil
}

// Refused returns an error of package schema about a value as one that matches ErrInvalid.
func Refused(err error) error {
	return invalid(nil, "%s", strings.TrimPrefix(err.Error(), fmt.Sprintf("schema: %v: ", schema.ErrInvalid)))
}

// checkValue returns why v cannot be compared with the values of a field.
func checkValue(f *schema.Field, v schema.Value) error {
	switch {
	case v.Kind == 0:
		return invalid(f, "a value without a kind")
	case v.Kind != f.Kind:
		return invalid(f, "the value %.40q of kind %v in a field of kind %v", v, v.Kind, f.Kind)
	}
	own := schema.Schema{Fields: []schema.Field{*f}}
	v.Field = 0
	if err := own.CheckValue(v); err != nil {
		return invalid(f, "%s", strings.TrimPrefix(err.Error(), fmt.Sprintf("schema: %v: field %q: ", schema.ErrInvalid, f.Name)))
	}
	return nil
}

// invalidError is why a filter is invalid.
type invalidError struct{ reason string }

func (e *invalidError) Error() string        { return "filter: " + e.reason }
func (e *invalidError) Is(target error) bool { return errors.Is(ErrInvalid, target) }

// invalid returns an error, about a field unless that is nil.
func invalid(f *schema.Field, format string, args ...any) error {
	reason := fmt.Sprintf(format, args...)
	if f != nil {
		reason = fmt.Sprintf("field %q: %s", f.Name, reason)
	}
	return &invalidError{reason}
}

// reason returns what an error says without the name of the package.
func reason(err error) string { return strings.TrimPrefix(err.Error(), "filter: ") }
