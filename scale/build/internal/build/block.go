package build

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/klauspost/compress/s2"

	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/schema"
)

// A block is some documents of one partition from one input: the number of the input, which block of these it is, and
// the documents, compressed. A document is its id and its text, or a record of its values by the numbers of their fields.
// Numbers are varints, and what is of bytes begins with its length.

// errMalformed is an error of a block that a runner has delivered otherwise than it was sent.
var errMalformed = errors.New("build: a malformed block of documents")

// place is where a block lies among those of its partition.
type place struct{ input, number uint64 }

// before reports whether documents at p come before those at q.
func (p place) before(q place) bool {
	return p.input < q.input || p.input == q.input && p.number < q.number
}

// newBlock returns a block. It is compressed for the sake of the runner, which copies and sends it. scratch is a buffer, which is
// returned to be used again.
func newBlock(p place, docs, scratch []byte) (block, again []byte) {
	packed := s2.Encode(scratch[:cap(scratch)], docs)
	block = make([]byte, 0, 2*binary.MaxVarintLen64+len(packed))
	block = binary.AppendUvarint(binary.AppendUvarint(block, p.input), p.number)
	return append(block, packed...), packed
}

// cutPlace returns the place of a block and its documents, still compressed.
func cutPlace(b []byte) (p place, docs []byte, err error) {
	if p.input, b, err = cutNumber(b); err == nil {
		p.number, b, err = cutNumber(b)
	}
	return p, b, err
}

func cutNumber(b []byte) (v uint64, rest []byte, err error) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, errMalformed
	}
	return v, b[n:], nil
}

func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

func cutBytes(b []byte) (v, rest []byte, err error) {
	n, b, err := cutNumber(b)
	if err != nil || n > uint64(len(b)) {
		return nil, nil, errMalformed
	}
	return b[:n:n], b[n:], nil
}

// appendDocument appends a document without a schema.
func appendDocument(dst, id, text []byte) []byte {
	return appendBytes(appendBytes(dst, id), text)
}

// appendRecord appends the record of the values of a document.
func appendRecord(dst []byte, values []schema.Value) []byte {
	for _, v := range values {
		switch v.Kind { // of which records have no values, as they are not stored
		case schema.Impacts:
			v = schema.TextValue(v.Field, appendImpacts(nil, v))
		case schema.Vector:
			v = schema.TextValue(v.Field, v.VectorBytes())
		}
		dst = record.Append(dst, uint32(v.Field), v)
	}
	return dst
}

// appendImpacts appends the terms of a value of impacts and their weights.
func appendImpacts(dst []byte, v schema.Value) []byte {
	for term, weight := range v.Impacts() {
		dst = append(append(binary.AppendUvarint(dst, uint64(len(term))), term...), weight)
	}
	return dst
}

// impacts returns the value that appendImpacts has appended.
func impacts(field int, b []byte) (v schema.Value, err error) {
	var all []schema.Impact
	for text := string(b); len(b) > 0; { // of which all terms are parts
		var term []byte
		if term, b, err = cutBytes(b); err != nil || len(b) == 0 {
			return v, errMalformed
		}
		at := len(text) - len(b)
		all = append(all, schema.Impact{Term: text[at-len(term) : at], Weight: b[0]})
		b = b[1:]
	}
	return schema.ImpactsValue(field, all), nil
}

// cutDocument returns the first document of some, its id and text or record.
func cutDocument(b []byte) (id, text, rest []byte, err error) {
	if id, b, err = cutBytes(b); err == nil {
		text, b, err = cutBytes(b)
	}
	return id, text, b, err
}

// valueOf returns the value of a field of a kind that a record has.
func valueOf(v record.Stored, field int, kind schema.Kind) (schema.Value, error) {
	if kind != schema.Impacts && kind != schema.Vector {
		return v.Value(field, kind)
	}
	x, err := v.Value(field, schema.Text)
	switch {
	case err != nil:
		return x, err
	case kind == schema.Impacts:
		return impacts(field, x.Bytes())
	case len(x.Bytes())%4 > 0:
		return x, errMalformed
	}
	floats := make([]float32, len(x.Bytes())/4)
	for i := range floats {
		floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(x.Bytes()[4*i:]))
	}
	return schema.VectorValue(field, floats), nil
}

// values appends the values of a record to dst, which refer to its bytes.
func values(dst []schema.Value, s *schema.Schema, b []byte) ([]schema.Value, error) {
	for len(b) > 0 {
		v, rest, err := record.Next(b)
		if err != nil {
			return nil, err
		}
		if v.ID >= uint32(len(s.Fields)) {
			return nil, fmt.Errorf("%w: field %d of %d", errMalformed, v.ID, len(s.Fields))
		}
		x, err := valueOf(v, int(v.ID), s.Fields[v.ID].Kind)
		if err != nil {
			return nil, err
		}
		dst, b = append(dst, x), rest
	}
	return dst, nil
}
