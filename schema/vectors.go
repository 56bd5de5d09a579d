package schema

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// MaxDims is the greatest number of dimensions of a field of vectors.
const MaxDims = 4096

// Similarity says how near two vectors are, and so what a document's score is: format/FORMAT.md, section 8.4, has it.
type Similarity uint8

// The similarities.
const (
	SimilarityCosine Similarity = iota // the cosine of the angle between them
	SimilarityDot                      // their product
	SimilarityL2                       // the less their distance, the nearer
)

var similarityNames = []string{"cosine", "dot", "l2"}

// String returns the name of s, as in JSON.
func (s Similarity) String() string { return name(similarityNames, uint8(s), "Similarity") }

// MarshalText returns the name of s.
func (s Similarity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText sets s to the Similarity of a name that String returns. The error matches ErrInvalid.
func (s *Similarity) UnmarshalText(text []byte) error {
	n, err := parse(similarityNames, string(text), "similarity")
	if err == nil {
		*s = Similarity(n)
	}
	return err
}

// VectorValues says how the values of vectors are kept.
type VectorValues uint8

// How the values of vectors are kept.
const (
	Float32 VectorValues = iota // as they are, in 4 bytes each
	Float16                     // each rounded to the nearest float16, of two as near to the even one, in 2 bytes
	Int8                        // the vector rounded to a code of a byte for each, which is all that is kept
)

var valuesNames = []string{"float32", "float16", "int8"}

// String returns the name of v, as in JSON.
func (v VectorValues) String() string { return name(valuesNames, uint8(v), "VectorValues") }

// MarshalText returns the name of v.
func (v VectorValues) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText sets v to the VectorValues of a name that String returns. The error matches ErrInvalid.
func (v *VectorValues) UnmarshalText(text []byte) error {
	n, err := parse(valuesNames, string(text), "values")
	if err == nil {
		*v = VectorValues(n)
	}
	return err
}

// What float16 does not keep: magnitudes from over16 on round to infinity, and those up to under16 to 0.
const (
	over16  = 65520
	under16 = 0x1p-25
)

// checkKept returns why a document cannot have v, which CheckVector accepts, in a field that keeps values otherwise than as float32.
func (f *Field) checkKept(v []float32) error {
	switch f.Values {
	case Float32:
		return nil
	case Int8: // what codes stand for is within a quarter of the length
		switch length := math.Sqrt(squares(v)); {
		case length > MaxNorm/2:
			return f.invalid("a vector of length %g, above %g, in a field of int8", length, float64(MaxNorm)/2)
		case f.Similarity == SimilarityCosine && length < 2*MinNorm:
			return f.invalid("a vector of length %g, below %g, in a field of int8", length, 2*float64(MinNorm))
		}
		return nil
	}
	zero := true
	for i, x := range v {
		if x >= over16 || x <= -over16 {
			return f.invalid("value %d of a vector is %v, which float16 does not reach", i, x)
		}
		zero = zero && x <= under16 && x >= -under16
	}
	if zero && f.Similarity == SimilarityCosine {
		return f.invalid("a vector of values that are all 0 as float16, which has no direction")
	}
	return nil
}

// Lengths of vectors (the root of the sum of the squares of their values): the greatest of any, and the least of those that are compared
// by cosine. Within them no score overflows.
const (
	MaxNorm = 0x1p60
	MinNorm = 0x1p-40
)

// VectorValue returns a value of kind vector, which copies the vector. CheckValue refuses one that does not have the dimensions of the
// field, a value that is not finite, and a length that cannot be compared: above MaxNorm or, by cosine, below MinNorm, as 0 is. Values
// that a field keeps as Float16 are rounded when they are added, and refused if they become infinite, or by cosine all 0; lengths in a field of
// Int8 are up to MaxNorm/2 and, by cosine, at least 2*MinNorm. A
// document may have several vectors in a field, of which the nearest counts.
func VectorValue[F FieldRef](field F, vector []float32) Value {
	v := in(field, Vector)
	v.num, v.text = uint64(len(vector)), asString(slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(vector))), 4*len(vector))))
	return v
}

// floats returns what Vector copies.
func (v Value) floats() []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.StringData(v.text))), v.num)
}

// Vector returns a copy of a vector. It is nil for other kinds.
func (v Value) Vector() []float32 {
	if v.Kind != Vector {
		return nil
	}
	return append(make([]float32, 0, v.num), v.floats()...)
}

// VectorBytes returns the values of a vector, each a float32 in four bytes, little-endian, which must not be modified. It is nil for
// other kinds.
func (v Value) VectorBytes() []byte {
	if v.Kind != Vector {
		return nil
	}
	return unsafe.Slice(unsafe.StringData(v.text), len(v.text))
}

// vectorText returns a vector in a form to read, which is JSON too.
func (v Value) vectorText() string {
	b := []byte{'['}
	for i, x := range v.Vector() {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return string(append(b, ']'))
}

// CheckVector returns why vectors of f, a field of vectors, cannot be v: a document's, or a query's. The error names the field and
// matches ErrInvalid.
func (f *Field) CheckVector(v []float32) error {
	if len(v) != f.Dims {
		return f.invalid("a vector of %d dimensions, in a field of %d", len(v), f.Dims)
	}
	sum := squares(v)
	if sum != sum || math.IsInf(sum, 0) { // of finite values it is finite
		i := slices.IndexFunc(v, func(x float32) bool { return x != x || math.IsInf(float64(x), 0) })
		return f.invalid("value %d of a vector is %v, which is not finite", i, v[i])
	}
	switch length := math.Sqrt(sum); {
	case length > MaxNorm:
		return f.invalid("a vector of length %g, above %g", length, float64(MaxNorm))
	case f.Similarity == SimilarityCosine && length == 0:
		return f.invalid("a vector of zeros, which has no direction")
	case f.Similarity == SimilarityCosine && length < MinNorm:
		return f.invalid("a vector of length %g, below %g", length, float64(MinNorm))
	}
	return nil
}

// squares returns the sum of the squares of v, in four lanes, which need not wait for one another.
func squares(v []float32) float64 {
	var lanes [4]float64
	for ; len(v) >= 4; v = v[4:] {
		a, b, c, d := float64(v[0]), float64(v[1]), float64(v[2]), float64(v[3])
		lanes[0] += float64(a * a)
		lanes[1] += float64(b * b)
		lanes[2] += float64(c * c)
		lanes[3] += float64(d * d)
	}
	for _, x := range v {
		lanes[0] += float64(float64(x) * float64(x))
	}
	return lanes[0] + lanes[1] + lanes[2] + lanes[3]
}

// checkVectors checks what only fields of kind vector have, or lack.
func (f *Field) checkVectors() error {
	switch {
	case f.Kind != Vector && (f.Dims != 0 || f.Similarity != 0 || f.Values != 0 || f.Model != "" || f.Clusters):
		return f.invalid("only fields of kind vector have dimensions, a similarity, values, a model and clusters")
	case f.Kind != Vector:
		return nil
	case f.Dims < 1 || f.Dims > MaxDims:
		return f.invalid("it has %d dimensions; a vector has 1 to %d", f.Dims, MaxDims)
	case f.Similarity > SimilarityL2:
		return f.invalid("similarity %d is unknown", f.Similarity)
	case f.Values > Int8:
		return f.invalid("values %d are unknown", f.Values)
	case len(f.Model) > MaxName || !utf8.ValidString(f.Model):
		return f.invalid("model %.20q...: its name has up to %d bytes of UTF-8", f.Model, MaxName)
	case f.Indexing() != IndexNone:
		return f.invalid("a field of kind vector has no index %v: it has no terms", f.Index)
	case f.Column || f.Stored:
		return f.invalid("a field of kind vector is neither stored nor a column: its vectors are kept by themselves")
	}
	return nil
}

// appendVectors is AppendValues for a field of vectors: a slice of numbers is one, a slice of such slices several.
func (f *Field) appendVectors(dst []Value, field int, r reflect.Value, within bool) ([]Value, error) {
	if !r.IsValid() {
		return dst, f.misfit(nil)
	}
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		return dst, f.misfit(r.Interface())
	}
	if x, ok := r.Interface().([]float32); ok {
		return append(dst, VectorValue(field, x)), nil
	}
	if r.Len() == 0 {
		return dst, f.misfit(r.Interface())
	}
	if first := element(r, 0); !within && (first.Kind() == reflect.Slice || first.Kind() == reflect.Array) {
		for i := range r.Len() {
			var err error
			if dst, err = f.appendVectors(dst, field, element(r, i), true); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}
	number, vector := Field{Kind: Float}, make([]float32, r.Len())
	for i := range vector {
		of := element(r, i)
		if !of.IsValid() {
			return dst, f.misfit(r.Interface())
		}
		x, ok := number.scalar(0, of)
		if !ok {
			return dst, f.misfit(r.Interface())
		}
		vector[i] = float32(x.Float())
	}
	return append(dst, VectorValue(field, vector)), nil
}

// element returns element i of a slice, and what it points to.
func element(r reflect.Value, i int) reflect.Value {
	x := r.Index(i)
	for x.IsValid() && (x.Kind() == reflect.Interface || x.Kind() == reflect.Pointer) {
		x = x.Elem()
	}
	return x
}

// sameVectors returns what of fields of vectors is not alike, or "".
func (f *Field) sameVectors(o *Field) (what string, own, old any) {
	switch {
	case f.Dims != o.Dims:
		return "dims", f.Dims, o.Dims
	case f.Similarity != o.Similarity:
		return "similarity", f.Similarity, o.Similarity
	case f.Values != o.Values:
		return "values", f.Values, o.Values
	case f.Model != o.Model:
		return "model", cmp.Or(f.Model, "not named"), cmp.Or(o.Model, "not named")
	}
	return "", nil, nil
}
