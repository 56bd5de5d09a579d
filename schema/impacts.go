package schema

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// Impact is a term of a value of kind impacts, with its weight: 1 to 255.
type Impact struct {
	Term   string // 1 to MaxKeyword bytes
	Weight uint8
}

// ImpactsValue returns a value of kind impacts, which copies the terms. They may be in any order;
// CheckValue refuses those that come twice, and weights of 0. A document has at most one value in a
// field of impacts.
func ImpactsValue[F FieldRef](field F, impacts []Impact) Value {
	byTerm := func(a, b Impact) int { return strings.Compare(a.Term, b.Term) }
	if !slices.IsSortedFunc(impacts, byTerm) {
		impacts = slices.SortedFunc(slices.Values(impacts), byTerm)
	}
	size := 0
	for i := range impacts {
		size += 4 + len(impacts[i].Term)
	}
	b := make([]byte, 0, size)
	for i := range impacts {
		b = binary.AppendUvarint(b, uint64(len(impacts[i].Term)))
		b = append(append(b, impacts[i].Term...), impacts[i].Weight)
	}
	v := in(field, Impacts)
	v.num, v.text = uint64(len(impacts)), asString(b)
	return v
}

// Impacts yields the terms of a value of kind impacts, in bytewise order, with their weights. It yields
// nothing of other kinds.
func (v Value) Impacts() iter.Seq2[string, uint8] {
	return func(yield func(string, uint8) bool) {
		if v.Kind != Impacts {
			return
		}
		for text := v.text; len(text) > 0; {
			size, n := binary.Uvarint(unsafe.Slice(unsafe.StringData(text), len(text)))
			end := n + int(size)
			if !yield(text[n:end], text[end]) {
				return
			}
			text = text[end+1:]
		}
	}
}

// ImpactsLen returns how many terms a value of kind impacts has, and how many bytes they take. Both
// are 0 for other kinds.
func (v Value) ImpactsLen() (terms, size int) {
	if v.Kind != Impacts {
		return 0, 0
	}
	for term := range v.Impacts() {
		size += len(term)
	}
	return int(v.num), size
}

// checkImpactsOf returns why a document cannot have v in f.
func (f *Field) checkImpactsOf(v Value) error {
	last := ""
	for term, weight := range v.Impacts() {
		switch {
		case len(term) == 0 || len(term) > MaxKeyword:
			return f.invalid("a term of %d bytes; it has 1 to %d", len(term), MaxKeyword)
		case term == last: // no term is empty
			return f.invalid("the term %.40q comes twice", term)
		case weight == 0:
			return f.invalid("the term %.40q has weight 0; weights are from 1 to 255", term)
		}
		last = term
	}
	return nil
}

// Quantize returns the weight that x becomes in f, a field of kind impacts: x divided by the scale of
// the field, rounded to the nearest integer, and of two that are as near to the even one. It is 0 for
// what rounds to 0, which is not indexed. The error, which matches ErrInvalid, is for what is negative,
// not finite or above 255 steps.
func (f *Field) Quantize(x float64) (uint8, error) {
	w := math.RoundToEven(x / f.Step())
	switch {
	case !(x >= 0) || math.IsInf(x, 1): // NaN too
		return 0, f.invalid("the weight %v is not a finite number from 0 on", x)
	case w > math.MaxUint8:
		return 0, f.invalid("the weight %v is above %v, which is 255 times the scale", x, 255*f.Step())
	}
	return uint8(w), nil
}

// impactsText returns the impacts in a form to read.
func (v Value) impactsText() string {
	var b []byte
	for term, weight := range v.Impacts() {
		if len(b) > 0 {
			b = append(b, ' ')
		}
		b = append(append(b, term...), ':')
		b = strconv.AppendUint(b, uint64(weight), 10)
	}
	return string(b)
}
