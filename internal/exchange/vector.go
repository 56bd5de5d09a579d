package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pinion-index/pinion/schema"
)

// WeightedTerm is a term of a sparse vector with its weight, as an encoder writes it.
type WeightedTerm struct {
	Term   []byte
	Weight float64
}

// AppendVector appends the terms of a vector in their order: of a JSON object of weights, such as {"term": 12, "other":
// 0.5}, or of words that white space separates, each of which weighs 1 as often as it comes. The error is for what begins as
// an object and is none of weights; any number is a weight.
func AppendVector(dst []WeightedTerm, text []byte) ([]WeightedTerm, error) {
	if !utf8.Valid(text) {
		return dst, fmt.Errorf("invalid UTF-8 at byte %d of the vector", invalidUTF8(text)+1)
	}
	v := jsontext.Value(bytes.TrimSpace(text))
	if len(v) == 0 || v[0] != '{' {
		for word := range bytes.FieldsSeq(v) {
			dst = append(dst, WeightedTerm{word, 1})
		}
		return dst, nil
	}
	if !v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return dst, errors.New(`a JSON object of weights is wanted, such as {"term": 12}`)
	}
	return appendTerms(dst, v, func(v jsontext.Value) []byte {
		b, _ := jsontext.AppendUnquote(nil, v) // the error is about U+FFFD
		return b
	})
}

// appendTerms is AppendVector of an object that is valid JSON; text returns a string without quotes.
func appendTerms(dst []WeightedTerm, object jsontext.Value, text func(jsontext.Value) []byte) ([]WeightedTerm, error) {
	b := blanks(blanks(object)[1:])
	for b[0] != '}' {
		n := stringLen(b)
		term := text(jsontext.Value(b[:n]))
		b = blanks(blanks(b[n:])[1:])
		n = bytes.IndexAny(b, ",} \t\r\n")
		if b[0] != '-' && (b[0] < '0' || b[0] > '9') {
			return dst, fmt.Errorf("the weight of the term %.40q is not a number", term)
		}
		w, err := strconv.ParseFloat(string(b[:n]), 64)
		if err != nil && !math.IsInf(w, 0) {
			return dst, fmt.Errorf("the weight of the term %.40q: %w", term, err)
		}
		dst = append(dst, WeightedTerm{term, w})
		if b = blanks(b[n:]); b[0] == ',' {
			b = blanks(b[1:])
		}
	}
	return dst, nil
}

// blanks returns b without the white space of JSON at its beginning.
func blanks(b []byte) []byte {
	for b[0] == ' ' || b[0] == '\t' || b[0] == '\r' || b[0] == '\n' {
		b = b[1:]
	}
	return b
}

// stringLen returns the length of the JSON string at the beginning of b.
func stringLen(b []byte) int {
	for n := 1; ; n++ {
		switch b[n] {
		case '"':
			return n + 1
		case '\\':
			n++
		}
	}
}

// takeVector takes a JSON object for a slot of a field of impacts.
func (o *objects) takeVector(key []byte, slot int, v jsontext.Value) (err error) {
	number := o.slots[slot].field
	f := &o.schema.Fields[number]
	if len(o.got[slot]) > 0 {
		return fmt.Errorf("key %q: a second object for field %q; a document has one vector", key, f.Name)
	}
	if o.vector, err = appendTerms(o.vector[:0], v, o.text); err != nil {
		return fmt.Errorf("key %q: %w", key, err)
	}
	o.impacts = o.impacts[:0]
	for _, t := range o.vector {
		w, err := f.Quantize(t.Weight)
		if f.Scale == 0 && t.Weight != math.Trunc(t.Weight) && err == nil {
			err = fmt.Errorf("the weight %v has a fraction, and field %q has no scale: weights become integers in steps of it", t.Weight, f.Name)
		}
		switch {
		case err != nil:
			return fmt.Errorf("key %q: term %.40q: %w", key, t.Term, err)
		case w == 0:
			o.zeros++
		default:
			o.impacts = append(o.impacts, schema.Impact{Term: unsafe.String(unsafe.SliceData(t.Term), len(t.Term)), Weight: w}) // ImpactsValue copies it
		}
	}
	value := schema.ImpactsValue(number, o.impacts)
	if err := o.schema.CheckValue(value); err != nil {
		return fmt.Errorf("key %q: %w", key, err)
	}
	o.got[slot] = append(o.got[slot], value)
	return nil
}
