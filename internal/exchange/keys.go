package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/internal/kind"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/schema"
)

// Key says into which field of a schema the values of a key go.
type Key struct {
	// Key is the key: of JSON objects, with a dot between an object's and those in it; of
	// CSV, the name of the column; of TSV, its number from 1. Formats without keys have
	// one, contents.
	Key string
	// Field is the field. Only its name must be there. What else is there is that of a new
	// field, or must be as the schema has it.
	Field schema.Field
}

// ParseKey parses "KEY=NAME:TYPE:OPTION...", of which KEY is the same as NAME if it is left
// out. TYPE, which may be left out, is keyword, integer, float, time, impacts, vector, or text or the name
// of an analyzer for text. An OPTION is the dimensions of vectors, their similarity, float16 or int8, the field's weight, the scale of impacts, column, noindex, positions of text, or
// the unit of a time.
func ParseKey(text string) (Key, error) {
	key, rest := "", text
	if i := strings.LastIndexByte(text, '='); i >= 0 {
		if key, rest = text[:i], text[i+1:]; key == "" {
			return Key{}, fmt.Errorf("%q has no key before =", text)
		}
	}
	parts := strings.Split(rest, ":")
	if slices.Contains(parts, "") {
		return Key{}, fmt.Errorf("%q is not KEY=NAME:TYPE and options, with colons between them", text)
	}
	k := Key{Key: key, Field: schema.Field{Name: parts[0]}}
	if key == "" {
		k.Key = k.Field.Name
	}
	if slices.Contains(strings.Split(k.Key, "."), "") {
		return Key{}, fmt.Errorf("%q: a key of an object is empty", text)
	}
	if len(parts) > 1 {
		var kind schema.Kind
		if err := kind.UnmarshalText([]byte(parts[1])); err == nil {
			k.Field.Kind = kind
		} else {
			k.Field.Kind, k.Field.Analyzer = schema.Text, parts[1]
		}
	}
	for i := 2; i < len(parts); i++ {
		if parts[i] == "of" && i+1 < len(parts) && k.Field.Kind == schema.Text && k.Field.Of == "" && key == "" {
			k.Field.Of = parts[i+1]
			i++
			continue
		}
		if err := k.option(parts[i]); err != nil {
			return Key{}, fmt.Errorf("%q: %w", text, err)
		}
		if slices.Contains(parts[2:i], parts[i]) {
			return Key{}, fmt.Errorf("%q: %s is there twice", text, parts[i])
		}
	}
	return k, nil
}

// option takes an option of the form that ParseKey parses.
func (k *Key) option(text string) error {
	var u schema.Unit
	if err := u.UnmarshalText([]byte(text)); err == nil {
		if !kind.Units(uint8(k.Field.Kind)) {
			return fmt.Errorf("%s is a unit of times", text)
		}
		if k.Field.Unit != 0 {
			return errors.New("there are two units")
		}
		k.Field.Unit = u
		return nil
	}
	if text == "column" {
		k.Field.Column = true
		return nil
	}
	if text == "positions" || text == "noindex" {
		return k.index(text)
	}
	if k.Field.Kind == schema.Vector {
		return k.vectorOption(text)
	}
	to, what := &k.Field.Boost, "weight"
	if k.Field.Kind == schema.Impacts {
		to, what = &k.Field.Scale, "scale"
	}
	w, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return fmt.Errorf("option %q is none of a %s, column, positions, noindex and the units microsecond, millisecond, second", text, what)
	case !(w > 0 && w <= schema.MaxParameter):
		return fmt.Errorf("a %s is a number above 0, at most %g", what, float64(schema.MaxParameter))
	case *to != 0:
		return fmt.Errorf("there are two %ss", what)
	}
	*to = w
	return nil
}

// vectorOption takes an option of a field of vectors.
func (k *Key) vectorOption(text string) error {
	if k.Field.Similarity.UnmarshalText([]byte(text)) == nil {
		return nil
	}
	for _, kept := range []schema.VectorValues{schema.Float16, schema.Int8} {
		if text == kept.String() {
			if k.Field.Values != 0 && k.Field.Values != kept {
				return fmt.Errorf("values are kept as %s or as %s", k.Field.Values, kept)
			}
			k.Field.Values = kept
			return nil
		}
	}
	if text == "clusters" {
		k.Field.Clusters = true
		return nil
	}
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n < 1 || n > schema.MaxDims:
		return fmt.Errorf("option %q is none of dimensions from 1 to %d, cosine, dot, l2, float16, int8 and clusters", text, schema.MaxDims)
	case k.Field.Dims != 0:
		return errors.New("there are two numbers of dimensions")
	}
	k.Field.Dims = n
	return nil
}

// index takes an option that says what is indexed.
func (k *Key) index(text string) error {
	if text == "positions" {
		k.Field.Positions = true
	} else {
		k.Field.Index = schema.IndexNone
	}
	switch {
	case k.Field.Positions && k.Field.Kind != schema.Text:
		return errors.New("positions are those of text")
	case k.Field.Positions && k.Field.Index == schema.IndexNone:
		return errors.New("positions are those of a field that is indexed")
	}
	return nil
}

// Unknown says what becomes of the values of keys that no field takes.
type Unknown string

// What becomes of them. UnknownIgnore, which is also what the empty Unknown means, counts
// them. UnknownStore keeps them in the field unknown, as a JSON object. UnknownRefuse
// makes a document with any a bad one.
const (
	UnknownIgnore Unknown = "ignore"
	UnknownStore  Unknown = "store"
	UnknownRefuse Unknown = "refuse"
)

// UnknownField is the name of the field that UnknownStore needs: of kind text, stored, and
// not indexed.
const UnknownField = "unknown"

// WithSchema returns the schema that f reads: base, which may be nil, with the fields that
// Keys and Unknown name and base does not have. New fields are as Keys say, text unless
// they say a kind, and have what they do not say from usual: Analyzer and Options, for
// those of which the analyzer is not named, and Stored, but for impacts. Fields that are not indexed, as integers, floats and times never
// are, and no column are always stored. It is an error if Keys say something else of a field than base.
func (f Fields) WithSchema(base *schema.Schema, usual schema.Field) (*schema.Schema, error) {
	s := &schema.Schema{}
	if base != nil {
		s = base.Clone()
	}
	old := len(s.Fields)
	for _, k := range f.Keys {
		if i := s.Number(k.Field.Name); i >= 0 {
			if err := agrees(&s.Fields[i], k); err != nil {
				return nil, err
			}
			continue
		}
		x := k.Field
		if x.Kind == 0 {
			x.Kind = schema.Text
		}
		if x.Kind == schema.Text && x.Analyzer == "" {
			x.Analyzer, x.Options = usual.Analyzer, usual.Options
		}
		x.Stored = x.Kind != schema.Impacts && x.Kind != schema.Vector && x.Of == "" && (usual.Stored || x.Indexing() == schema.IndexNone && !x.Column)
		s.Fields = append(s.Fields, x)
	}
	if f.Unknown == UnknownStore {
		switch x, ok := s.Field(UnknownField); {
		case !ok:
			s.Fields = append(s.Fields, schema.Field{Name: UnknownField, Kind: schema.Text, Index: schema.IndexNone, Stored: true})
		case x.Kind != schema.Text || !x.Stored || x.Indexing() != schema.IndexNone:
			return nil, fmt.Errorf("field %q is to hold unknown keys, but is not of kind text, stored and not indexed", UnknownField)
		}
	}
	if base != nil && old == len(s.Fields) {
		return base, nil
	}
	return s, s.Check()
}

// agrees returns nil if k says nothing of f that is not so.
func agrees(f *schema.Field, k Key) error {
	analyzer, _ := f.Analysis()
	for _, p := range []struct {
		what      string
		said      bool
		want, has any
	}{
		{"kind", k.Field.Kind != 0, k.Field.Kind, f.Kind},
		{"analyzer", k.Field.Analyzer != "", k.Field.Analyzer, analyzer},
		{"weight", k.Field.Boost != 0, k.Field.Boost, f.Factor()},
		{"scale", k.Field.Scale != 0, k.Field.Scale, f.Step()},
		{"column", k.Field.Column, k.Field.Column, f.Column},
		{"index", k.Field.Index != 0 || k.Field.Positions, record.IndexedName(&k.Field), record.IndexedName(f)},
		{"unit", k.Field.Unit != 0, k.Field.Unit, f.Unit},
		{"number of dimensions", k.Field.Dims != 0, k.Field.Dims, f.Dims},
		{"similarity", k.Field.Similarity != 0, k.Field.Similarity, f.Similarity},
		{"clusters", k.Field.Clusters, k.Field.Clusters, f.Clusters},
		{"source", k.Field.Of != "", k.Field.Of, f.Of},
		{"values", k.Field.Values != 0, k.Field.Values, f.Values},
	} {
		if p.said && p.want != p.has {
			return fmt.Errorf("field %q has the %s %v in the schema, %v for key %q", f.Name, p.what, p.has, p.want, k.Key)
		}
	}
	return nil
}

// slot is a field that takes the values of a key.
type slot struct {
	key   string
	field int // number in the schema
}

// slots returns the slots of f in s: by field, then in the order of Keys. A field that no
// key names takes the key of its own name.
func (f Fields) slots(s *schema.Schema) ([]slot, error) {
	var all []slot
	for i := range s.Fields {
		name := s.Fields[i].Name
		if s.Fields[i].Of != "" { // it has its values from another field
			continue
		}
		n := len(all)
		for _, k := range f.Keys {
			if k.Field.Name == name {
				all = append(all, slot{k.Key, i})
			}
		}
		if len(all) == n && (f.Unknown != UnknownStore || name != UnknownField) {
			all = append(all, slot{name, i})
		}
		if used := all[n:]; len(used) > 1 && s.Fields[i].HasImpacts() {
			return nil, fmt.Errorf("keys %q and %q: a document has one value in field %q, of kind impacts", used[0].key, used[1].key, name)
		} else if len(used) > 1 {
			for j := range used {
				if slices.Contains(used[:j], used[j]) {
					return nil, fmt.Errorf("key %q is given twice for field %q", used[j].key, name)
				}
			}
		}
	}
	for _, k := range f.Keys {
		if s.Number(k.Field.Name) < 0 {
			return nil, fmt.Errorf("key %q: the schema has no field %q", k.Key, k.Field.Name)
		}
	}
	if len(f.Contents) > 0 {
		return nil, errors.New("contents are of documents without fields")
	}
	return all, nil
}

// keyNode is a key, or the beginning of keys with dots.
type keyNode struct {
	id    int   // rank as the key of the id, from 1; 0: it is none
	slots []int // numbers of slots that take its values
	in    map[string]*keyNode
	// vector says that a field of impacts takes the values, which are objects of terms, not of keys; dense that fields of vectors do.
	vector, dense bool
}

// child returns the node of a key in n, or nil. The key may have dots itself.
func (n *keyNode) child(key []byte) *keyNode {
	name, rest, nested := bytes.Cut(key, []byte("."))
	c := n.in[string(name)]
	if c != nil && nested {
		return c.child(rest)
	}
	return c
}

// add returns the node of a key with dots in n, which it makes.
func (n *keyNode) add(key string) *keyNode {
	name, rest, nested := strings.Cut(key, ".")
	c := n.in[name]
	if c == nil {
		c = &keyNode{}
		if n.in == nil {
			n.in = map[string]*keyNode{}
		}
		n.in[name] = c
	}
	if nested {
		return c.add(rest)
	}
	return c
}
