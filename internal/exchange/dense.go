package exchange

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"strconv"

	"github.com/pinion-index/pinion/schema"
)

var errDense = errors.New("a vector is an array of numbers, or the base64 of its float32 in little-endian order")

// appendDense appends the vectors of a text: an array of numbers is one, an array of such arrays several; anything else is base64 of one, as
// embedding services have it.
func appendDense(dst []schema.Value, field int, text []byte) ([]schema.Value, error) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '[' {
		b, err := base64.StdEncoding.AppendDecode(nil, text)
		if err != nil || len(b) == 0 || len(b)%4 != 0 {
			return dst, errDense
		}
		v := make([]float32, len(b)/4)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		return append(dst, schema.VectorValue(field, v)), nil
	}
	inner := bytes.TrimSpace(text[1:])
	if len(inner) == 0 || inner[0] != '[' {
		v, rest, err := denseArray(text)
		if err != nil || len(rest) > 0 {
			return dst, errDense
		}
		return append(dst, schema.VectorValue(field, v)), nil
	}
	for {
		v, rest, err := denseArray(inner)
		if err != nil || len(rest) == 0 {
			return dst, errDense
		}
		dst = append(dst, schema.VectorValue(field, v))
		switch inner = bytes.TrimSpace(rest[1:]); {
		case rest[0] == ']' && len(inner) == 0:
			return dst, nil
		case rest[0] != ',':
			return dst, errDense
		}
	}
}

// denseArray reads an array of numbers, and returns what follows it, without white space.
func denseArray(text []byte) (v []float32, rest []byte, err error) {
	if len(text) == 0 || text[0] != '[' {
		return nil, nil, errDense
	}
	for text[0] != ']' {
		text = bytes.TrimLeft(text[1:], " \t\r\n")
		n := bytes.IndexAny(text, ",]")
		if n < 0 {
			return nil, nil, errDense
		}
		x, err := strconv.ParseFloat(string(bytes.TrimRight(text[:n], " \t\r\n")), 32)
		if err != nil && !math.IsInf(x, 0) { // which the field refuses
			return nil, nil, errDense
		}
		v, text = append(v, float32(x)), text[n:]
	}
	return v, bytes.TrimSpace(text[1:]), nil
}
