package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pinion-index/pinion/internal/kind"
	"github.com/pinion-index/pinion/schema"
)

// taker makes the values of fields of the values of keys, a record at a time.
type taker struct {
	schema  *schema.Schema
	slots   []slot
	root    keyNode
	unknown Unknown
	store   int      // number of the field for unknown keys
	names   []string // of the ids
	ignored ignored

	got    [][]schema.Value // by slot
	values []schema.Value
	rest   []entry  // unknown keys to be stored or counted
	many   ignored  // those that rest had no room for
	zeros  uint64   // weights of impacts that are 0 in steps of the scale, and left out
	zeroed uint64   // those of all records before
	id     []byte   // nil: none so far
	rank   int      // of id
	buf    []byte   // of values
	path   []byte   // of the object that is read, with a dot at its end
	depth  int      // arrays around it
	keys   [][]byte // of the record, for an error
}

// entry is an unknown key with its value in JSON.
type entry struct{ key, value []byte }

// taker returns the one for f and s. Without autoID, the id is one of usual if f has none.
func (f Fields) taker(s *schema.Schema, autoID bool, usual ...string) (*taker, error) {
	slots, err := f.slots(s)
	if err != nil {
		return nil, err
	}
	t := &taker{schema: s, slots: slots, unknown: f.Unknown, store: s.Number(UnknownField), ignored: ignored{}, got: make([][]schema.Value, len(slots))}
	if f.Unknown == UnknownStore && t.store < 0 {
		return nil, fmt.Errorf("the schema has no field %q for unknown keys", UnknownField)
	}
	for i, x := range slots {
		n := t.root.add(x.key)
		n.slots = append(n.slots, i)
		n.vector = n.vector || s.Fields[x.field].HasImpacts()
		n.dense = n.dense || s.Fields[x.field].Kind == schema.Vector
	}
	for _, x := range slots {
		if n := t.root.child([]byte(x.key)); n.vector && len(n.in) > 0 {
			return nil, fmt.Errorf("key %q goes into a field of impacts, whose terms are no keys of other fields", x.key)
		}
		if n := t.root.child([]byte(x.key)); n.dense && slices.ContainsFunc(n.slots, func(i int) bool { return s.Fields[slots[i].field].Kind != schema.Vector }) {
			return nil, fmt.Errorf("key %q goes into a field of vectors, whose arrays no other field takes", x.key)
		}
	}
	if t.names = usual; f.ID != "" {
		t.names = []string{f.ID}
	}
	if autoID {
		t.names = nil
	}
	for i, name := range t.names {
		t.root.add(name).id = i + 1
	}
	return t, nil
}

// begin makes t ready for the next record.
func (t *taker) begin() {
	for i := range t.got {
		t.got[i] = t.got[i][:0]
	}
	t.values, t.rest, t.buf, t.path, t.keys = t.values[:0], t.rest[:0], t.buf[:0], t.path[:0], t.keys[:0]
	t.id, t.rank, t.depth, t.zeros = nil, 0, 0, 0
	clear(t.many)
}

// end returns the record. Its bytes are valid until the next begin.
func (t *taker) end() (id []byte, values []schema.Value, err error) {
	if t.id == nil && len(t.names) > 0 {
		names := make([]string, len(t.keys))
		for i, k := range t.keys {
			names[i] = string(k)
		}
		return nil, nil, thereAre(missing(t.names[0]), names)
	}
	for _, v := range t.got {
		t.values = append(t.values, v...)
	}
	t.zeroed += t.zeros
	switch {
	case len(t.rest) == 0:
	case t.unknown == UnknownStore:
		t.values = append(t.values, schema.TextValue(t.store, t.object()))
	default:
		for _, name := range slices.Sorted(maps.Keys(t.many)) {
			t.ignored.count([]byte(name), t.many[name])
		}
		t.countRest(t.ignored)
	}
	return t.id, t.values, nil
}

// manyUnknown is how many unknown keys of one record are counted at its end.
const manyUnknown = 1 << 10

// unknownKey takes a key that no field takes.
func (t *taker) unknownKey(e entry) error {
	switch {
	case t.unknown == UnknownRefuse:
		return fmt.Errorf("key %q: no field takes it", e.key)
	case t.unknown != UnknownStore && len(t.rest) == manyUnknown:
		if t.many == nil {
			t.many = ignored{}
		}
		t.countRest(t.many)
		t.rest = t.rest[:0]
	}
	t.rest = append(t.rest, e)
	return nil
}

func (t *taker) countRest(to ignored) {
	for _, e := range t.rest {
		to.count(e.key, 1)
	}
}

// object returns the unknown keys as a JSON object, in order. A key that comes more than
// once, in the objects of an array, has an array.
func (t *taker) object() []byte {
	slices.SortStableFunc(t.rest, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	start := len(t.buf)
	b := append(t.buf, '{')
	for i := 0; i < len(t.rest); {
		n := i + 1
		for n < len(t.rest) && bytes.Equal(t.rest[n].key, t.rest[i].key) {
			n++
		}
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, t.rest[i].key) // what is not valid UTF-8 becomes U+FFFD
		b = append(b, ':')
		if n-i > 1 {
			b = append(b, '[')
		}
		for j, e := range t.rest[i:n] {
			if j > 0 {
				b = append(b, ',')
			}
			b = append(b, e.value...)
		}
		if n-i > 1 {
			b = append(b, ']')
		}
		i = n
	}
	t.buf = append(b, '}')
	return t.buf[start:]
}

// errKind is the error for a value that a field cannot take.
var errKind = errors.New("is of the wrong kind")

// wrong says what a value is, and what the field of a slot takes.
func (t *taker) wrong(key []byte, slot int, what string) error {
	f := &t.schema.Fields[t.slots[slot].field]
	takes, more := otherTakes[f.Kind], ""
	if n := kind.Of(uint8(f.Kind)); n != nil {
		takes = n.Takes
	}
	if f.Unit != schema.UnitNanosecond {
		more = fmt.Sprintf(", and numbers of %ss since 1970", f.Unit)
	}
	return fmt.Errorf("key %q: %s %w for field %q, which takes %s%s", key, what, errKind, f.Name, takes, more)
}

// otherTakes says what fields take that are no numbers.
var otherTakes = map[schema.Kind]string{schema.Text: "text", schema.Keyword: "keywords", schema.Impacts: `objects such as {"term": 12}`,
	schema.Vector: "arrays of numbers"}

// Forms of values.
const (
	inText   = iota // of CSV, without a kind of their own
	inString        // of JSON
	inNumber
	inBool
)

// take adds b, a value without quotes, to a slot.
func (t *taker) take(key []byte, slot int, b []byte, form int) error {
	number := t.slots[slot].field
	f := &t.schema.Fields[number]
	before := len(t.got[slot])
	ok := true
	switch {
	case f.Kind == schema.Vector && form <= inString:
		all, err := appendDense(t.got[slot], number, b)
		if err != nil {
			return fmt.Errorf("key %q: %w", key, err)
		}
		t.got[slot] = all
	case form <= inString && f.Kind == schema.Text:
		t.got[slot] = append(t.got[slot], schema.TextValue(number, b))
	case form <= inString && f.Kind == schema.Keyword:
		t.got[slot] = append(t.got[slot], schema.KeywordValue(number, b))
	default:
		all, err := t.schema.AppendValues(t.got[slot], number, goValue(f.Kind, b, form))
		if ok = err == nil; ok {
			t.got[slot] = all
		}
	}
	if !ok {
		what := fmt.Sprintf("the value %.80s", b)
		if form <= inString {
			what = fmt.Sprintf("the value %.80q", b)
		}
		return t.wrong(key, slot, what)
	}
	for _, v := range t.got[slot][before:] {
		if err := t.schema.CheckValue(v); err != nil {
			return fmt.Errorf("key %q: %w", key, err)
		}
	}
	return nil
}

// goValue returns b, a value without quotes, as one of Go that schema.Schema.AppendValues takes in a field of some kind.
func goValue(k schema.Kind, b []byte, form int) any {
	n := kind.Of(uint8(k))
	number := n != nil
	if number && n.OfText != nil && form == inText { // a text may be one without being written as a number
		_, err := strconv.ParseInt(string(b), 10, 64)
		number = err == nil
	}
	switch {
	case form == inBool:
		return string(b) == "true"
	case form == inNumber, form == inText && number:
		return json.Number(b)
	}
	return string(b)
}

// cell takes the value of a column of CSV or TSV; an empty one is none.
func (t *taker) cell(key, b []byte) error {
	n := t.root.child(key)
	switch {
	case n != nil && n.id > 0:
		t.id = b
	case n != nil && len(n.slots) > 0:
	case t.unknown != UnknownStore:
		return t.unknownKey(entry{key: key})
	case len(b) > 0:
		start := len(t.buf)
		t.buf, _ = jsontext.AppendQuote(t.buf, b)
		return t.unknownKey(entry{key, t.buf[start:len(t.buf):len(t.buf)]})
	default:
		return nil
	}
	for _, s := range n.slots {
		if len(b) > 0 {
			if err := t.take(key, s, b, inText); err != nil {
				return err
			}
		}
	}
	return nil
}
