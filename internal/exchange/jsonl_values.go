package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pinion-index/pinion/schema"
)

// objects reads JSON objects into the fields of a schema.
type objects struct {
	*taker
	dec     jsontext.Decoder
	in      bytes.Buffer
	idEntry entry // the key that is the id
	idTaken bool  // a field takes it too
	vector  []WeightedTerm
	impacts []schema.Impact
}

// read returns the id, unless it is made up, and the values of an object, the bytes of
// which are in line or valid until the next call.
func (o *objects) read(line []byte) (id []byte, values []schema.Value, err error) {
	if !utf8.Valid(line) {
		return nil, nil, invalidLine(line)
	}
	o.begin()
	o.idEntry = entry{}
	o.in = *bytes.NewBuffer(line)
	// Half a surrogate pair counts as invalid UTF-8; in a text it is U+FFFD.
	o.dec.Reset(&o.in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if o.dec.PeekKind() != '{' {
		if err := json.Unmarshal(line, new(json.RawMessage)); err != nil {
			return nil, nil, jsonFailure(line, err)
		}
		return nil, nil, errors.New("a JSON object is wanted")
	}
	if err = o.object(&o.root); err == nil {
		if _, err = o.dec.ReadToken(); err == io.EOF {
			return o.end()
		}
		err = errors.Join(err, errBroken)
	}
	if errors.Is(err, errBroken) { // encoding/json says where
		if jerr := json.Unmarshal(line, new(json.RawMessage)); jerr != nil {
			err = jsonFailure(line, jerr)
		}
	}
	return nil, nil, err
}

// errBroken is matched by the errors about what is no JSON.
var errBroken = errors.New("broken JSON")

func broken(err error) error { return fmt.Errorf("%w: %w", errBroken, err) }

// object takes the values of the object that is next, the keys of which are in n.
func (o *objects) object(n *keyNode) error {
	if _, err := o.dec.ReadToken(); err != nil {
		return broken(err)
	}
	for o.dec.PeekKind() == '"' {
		raw, err := o.dec.ReadValue()
		if err != nil {
			return broken(err)
		}
		key := o.text(raw)
		if len(o.path) == 0 && len(o.keys) <= namedKeys {
			o.keys = append(o.keys, key)
		}
		c := n.child(key)
		if c == nil {
			err = o.skip(key)
		} else {
			err = o.value(c, key, false)
		}
		if err != nil {
			return err
		}
	}
	if _, err := o.dec.ReadToken(); err != nil {
		return broken(err)
	}
	return nil
}

// text returns a string without quotes.
func (o *objects) text(v jsontext.Value) []byte {
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1 : len(v)-1]
	}
	start := len(o.buf)
	o.buf, _ = jsontext.AppendUnquote(o.buf, v) // the error is about U+FFFD
	return o.buf[start:len(o.buf):len(o.buf)]
}

// name returns key with those of the objects around it.
func (o *objects) name(key []byte) []byte {
	if len(o.path) == 0 {
		return key
	}
	start := len(o.buf)
	o.buf = append(append(o.buf, o.path...), key...)
	return o.buf[start:len(o.buf):len(o.buf)]
}

// skip passes over the value of a key that no field takes.
func (o *objects) skip(key []byte) error {
	v, err := o.dec.ReadValue()
	if err != nil {
		return broken(err)
	}
	return o.unknownKey(entry{o.name(key), v})
}

// value takes the value that is next, of a key in n. Elements of an array are values of
// their own, but not those of an array in an array; null is none.
func (o *objects) value(n *keyNode, key []byte, element bool) error {
	switch kind := o.dec.PeekKind(); {
	case kind == '{' && len(n.in) > 0 && !n.vector:
		before := len(o.path)
		o.path = append(append(o.path, key...), '.')
		err := o.object(n)
		o.path = o.path[:before]
		return err
	case kind == '[' && !element && len(n.in)+len(n.slots) > 0 && !n.dense:
		return o.array(n, key)
	case n.id == 0 && len(n.slots) == 0:
		return o.skip(key)
	}
	v, err := o.dec.ReadValue()
	if err != nil {
		return broken(err)
	}
	if n.id > 0 && o.depth == 0 {
		if err := o.identify(n, key, v); err != nil {
			return err
		}
	}
	for _, s := range n.slots {
		if o.depth == 0 && len(o.got[s]) > 0 {
			return fmt.Errorf("key %q comes twice", o.name(key))
		}
		if err := o.scalar(key, s, v); err != nil {
			return err
		}
	}
	return nil
}

// array takes the elements of the array that is next.
func (o *objects) array(n *keyNode, key []byte) error {
	if _, err := o.dec.ReadToken(); err != nil {
		return broken(err)
	}
	o.depth++
	for k := o.dec.PeekKind(); k != ']' && k != 0; k = o.dec.PeekKind() {
		if err := o.value(n, key, true); err != nil {
			return err
		}
	}
	o.depth--
	if _, err := o.dec.ReadToken(); err != nil {
		return broken(err)
	}
	return nil
}

// identify takes v as the id, unless a key that goes before has been. What is not the id
// after all is like a key that no field takes, unless one does.
func (o *objects) identify(n *keyNode, key []byte, v jsontext.Value) error {
	other := entry{o.name(key), v}
	if o.rank == n.id {
		return fmt.Errorf("key %q comes twice", other.key)
	}
	taken := len(n.slots) > 0
	if o.rank == 0 || n.id < o.rank {
		var err error
		if v.Kind() == '"' && bytes.IndexByte(v, '\\') < 0 {
			o.id = o.text(v)
		} else if o.id, err = idOf(json.RawMessage(v)); err != nil {
			return fmt.Errorf("key %q %w", other.key, err)
		}
		o.rank = n.id
		o.idEntry, other = other, o.idEntry
		o.idTaken, taken = taken, o.idTaken
	}
	if len(other.key) > 0 && !taken {
		return o.unknownKey(other)
	}
	return nil
}

// scalar takes a value for a slot.
func (o *objects) scalar(key []byte, slot int, v jsontext.Value) error {
	form := inBool
	switch v.Kind() {
	case 'n':
		return nil
	case '"':
		return o.take(o.name(key), slot, o.text(v), inString)
	case '0':
		form = inNumber
	case '{':
		if o.schema.Fields[o.slots[slot].field].HasImpacts() {
			return o.takeVector(o.name(key), slot, v)
		}
		return o.wrong(o.name(key), slot, "an object")
	case '[':
		if o.schema.Fields[o.slots[slot].field].Kind == schema.Vector {
			return o.take(o.name(key), slot, v, inString)
		}
		return o.wrong(o.name(key), slot, "an array in an array")
	}
	return o.take(o.name(key), slot, v, form)
}
