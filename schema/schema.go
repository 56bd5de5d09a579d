package schema

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Limits of a schema.
const (
	MaxFields    = 1024    // fields of a schema
	MaxName      = 255     // bytes of a field's name or of its analyzer's
	MaxOptions   = 1 << 16 // bytes of an analyzer's options
	MaxParameter = 1e6     // a field's k1 or weight
)

// ErrInvalid is matched by the errors for a schema or a value that is not as it must be.
// They name the field. What a later version may allow matches errors.ErrUnsupported too.
var ErrInvalid = errors.New("invalid schema")

// Schema describes the documents of an index. A nil *Schema is the implicit schema: one
// field of text, named "".
type Schema struct {
	// Fields are the fields, in any order. A Value gives its field by number here.
	Fields []Field
	// NextID is greater than the ids of all fields that the index has had, so that those of
	// dropped fields are not used again. It is 0 in a schema that no index has adopted.
	NextID uint32
}

// Field describes one field.
type Field struct {
	// ID identifies the field in the index for ever. The writer assigns it, from 1; it is 0
	// in a field that the index does not have yet.
	ID uint32
	// Name has 1 to MaxName bytes of UTF-8 without control characters and does not begin
	// with an underscore.
	Name string
	// Kind is the kind of the values.
	Kind Kind
	// Analyzer and Options are those of package analysis that cut text into terms; by
	// default those of "standard".
	Analyzer, Options string
	// Index says what is indexed.
	Index Index
	// Stored says whether the values can be read back.
	Stored bool
	// Column says whether the values are kept by document, for filters, ranges, sorting and
	// facets. Text has no column. The values of a document are a set there: in ascending
	// order, equal ones once.
	Column bool
	// Unit is what times are rounded down to and count in.
	Unit Unit
	// Lengths says how exactly the lengths of texts are kept.
	Lengths Lengths
	// K1 and B are parameters of BM25 for this field; 0 is the default of the query, and
	// query.Zero means 0.
	K1, B float64
	// Weight multiplies the scores of the field's terms; 0 means 1.
	Weight float64
	// Scale is what a weight of 1 in a field of impacts stands for, from 1/MaxParameter to
	// MaxParameter; 0 means 1. Other fields have none.
	Scale float64
}

// Check returns what is wrong with s. The error names the field and matches ErrInvalid.
// The implicit schema is right.
func (s *Schema) Check() error {
	if s == nil {
		return nil
	}
	switch {
	case len(s.Fields) == 0:
		return invalid("it has no fields")
	case len(s.Fields) > MaxFields:
		return invalid("it has %d fields; at most %d are possible", len(s.Fields), MaxFields)
	}
	names, ids := make(map[string]struct{}, len(s.Fields)), make(map[uint32]struct{}, len(s.Fields))
	for i := range s.Fields {
		f := &s.Fields[i]
		if err := f.Check(); err != nil {
			return err
		}
		if _, twice := names[f.Name]; twice {
			return f.invalid("there are two fields of this name")
		}
		names[f.Name] = struct{}{}
		if f.ID == 0 {
			continue
		}
		if _, twice := ids[f.ID]; twice {
			return f.invalid("another field has its id, %d", f.ID)
		}
		ids[f.ID] = struct{}{}
		if f.ID >= s.NextID {
			return f.invalid("its id %d is not below the next one, %d", f.ID, s.NextID)
		}
	}
	return nil
}

// Check returns what is wrong with f by itself. The error names the field and matches
// ErrInvalid.
func (f *Field) Check() error {
	if err := checkName(f.Name); err != nil {
		return err
	}
	if f.Kind == 0 || f.Kind > KindImpacts {
		return f.invalid("it has no kind")
	}
	for _, check := range []func() error{f.checkIndex, f.checkAnalyzer, f.checkScores, f.checkImpacts} {
		if err := check(); err != nil {
			return err
		}
	}
	switch {
	case f.Column && f.Kind == KindText:
		return f.invalid("a field of kind text cannot be a column; one of kind keyword can")
	case f.Unit > UnitSecond:
		return f.invalid("unit %d is unknown", f.Unit)
	case f.Unit != UnitNanosecond && f.Kind != KindTime:
		return f.invalid("unit %v: only fields of kind time have a unit", f.Unit)
	case f.Indexing() == IndexNone && !f.Stored && !f.Column:
		return f.invalid("it is neither indexed nor stored, and no column")
	}
	return nil
}

func checkName(name string) error {
	switch {
	case name == "":
		return invalid("a field has no name")
	case len(name) > MaxName:
		return invalid("field %.20q...: its name has %d bytes; at most %d are possible", name, len(name), MaxName)
	case !utf8.ValidString(name):
		return invalid("field %q: its name is not UTF-8", name)
	case name[0] == '_':
		return invalid("field %q: names that begin with an underscore are reserved", name)
	}
	for _, r := range name {
		if unicode.IsControl(r) {
			return invalid("field %q: its name has a control character", name)
		}
	}
	return nil
}

func (f *Field) checkIndex() error {
	numeric := f.Kind == KindInteger || f.Kind == KindFloat || f.Kind == KindTime
	switch {
	case f.Index > IndexPositions:
		return f.invalid("index %d is unknown", f.Index)
	case numeric && f.Indexing() != IndexNone:
		return f.unsupported("a field of kind %v cannot be indexed yet; it can be stored and a column", f.Kind)
	case f.Kind == KindKeyword && f.Index > IndexDocs:
		return f.invalid("a field of kind keyword has no %v; index docs is possible", f.Index)
	case f.Kind == KindImpacts && f.Indexing() != IndexFreqs:
		return f.invalid("a field of kind impacts has index freqs")
	case f.Lengths > LengthsByte:
		return f.invalid("lengths %d are unknown", f.Lengths)
	case f.Lengths != LengthsExact && !f.HasLengths():
		return f.invalid("lengths %v: only text with index freqs has lengths", f.Lengths)
	}
	return nil
}

func (f *Field) checkAnalyzer() error {
	switch {
	case f.Kind != KindText && (f.Analyzer != "" || f.Options != ""):
		return f.invalid("a field of kind %v has no analyzer", f.Kind)
	case len(f.Analyzer) > MaxName || !utf8.ValidString(f.Analyzer):
		return f.invalid("analyzer %.20q...: its name has up to %d bytes of UTF-8", f.Analyzer, MaxName)
	case len(f.Options) > MaxOptions || !utf8.ValidString(f.Options):
		return f.invalid("options %.20q...: they have up to %d bytes of UTF-8", f.Options, MaxOptions)
	}
	return nil
}

func (f *Field) checkScores() error {
	within := func(v, most float64) bool { return v >= 0 && v <= most && !math.Signbit(v) } // false for NaN
	switch {
	case !within(f.K1, MaxParameter):
		return f.invalid("k1 %v: it is from 0 to %v", f.K1, MaxParameter)
	case !within(f.B, 1):
		return f.invalid("b %v: it is from 0 to 1", f.B)
	case !within(f.Weight, MaxParameter) || f.Weight > 0 && f.Weight < 1/MaxParameter:
		return f.invalid("weight %v: it is from %v to %v", f.Weight, 1/MaxParameter, MaxParameter)
	case f.Indexing() == IndexNone && (f.K1 != 0 || f.B != 0 || f.Weight != 0):
		return f.invalid("k1, b and weight are for fields that are indexed")
	case f.B != 0 && !f.HasLengths():
		return f.invalid("b %v: only text with index freqs has lengths", f.B)
	}
	return nil
}

// checkImpacts checks what only fields of kind impacts have, or lack.
func (f *Field) checkImpacts() error {
	switch {
	case f.Kind != KindImpacts && f.Scale != 0:
		return f.invalid("scale %v: only fields of kind impacts have a scale", f.Scale)
	case f.Kind != KindImpacts:
		return nil
	case !(f.Scale >= 0 && f.Scale <= MaxParameter) || math.Signbit(f.Scale) || f.Scale > 0 && f.Scale < 1/MaxParameter:
		return f.invalid("scale %v: it is from %v to %v", f.Scale, 1/MaxParameter, MaxParameter)
	case f.K1 != 0 || f.Weight != 0:
		return f.invalid("a field of kind impacts has neither k1 nor weight; it has a scale")
	case f.Column:
		return f.invalid("a field of kind impacts cannot be a column")
	case f.Stored:
		return f.unsupported("values of kind impacts cannot be stored yet")
	}
	return nil
}

// Field returns the field of a name. The implicit schema has one, which is named "".
func (s *Schema) Field(name string) (*Field, bool) {
	if s == nil {
		return implicit(), name == ""
	}
	if i := s.Number(name); i >= 0 {
		return &s.Fields[i], true
	}
	return nil, false
}

// implicit returns the field of the implicit schema, whose analyzer is the index's.
func implicit() *Field { return &Field{Kind: KindText, Index: IndexFreqs} }

// Number returns the index in s.Fields of the field of a name, or -1.
func (s *Schema) Number(name string) int {
	if s == nil {
		return -1
	}
	return slices.IndexFunc(s.Fields, func(f Field) bool { return f.Name == name })
}

// ByID returns the field of an id.
func (s *Schema) ByID(id uint32) (*Field, bool) {
	if s == nil {
		return implicit(), id == 0
	}
	for i := range s.Fields {
		if s.Fields[i].ID == id && id != 0 {
			return &s.Fields[i], true
		}
	}
	return nil, false
}

// Clone returns a copy of s that shares nothing with it.
func (s *Schema) Clone() *Schema {
	if s == nil {
		return nil
	}
	return &Schema{Fields: slices.Clone(s.Fields), NextID: s.NextID}
}

// Indexing returns what is indexed of f: f.Index, or what IndexDefault means for its kind.
func (f *Field) Indexing() Index {
	switch {
	case f.Index != IndexDefault:
		return f.Index
	case f.Kind == KindText || f.Kind == KindImpacts:
		return IndexFreqs
	case f.Kind == KindKeyword:
		return IndexDocs
	}
	return IndexNone
}

// HasPositions says whether the index knows where in a document's text in f terms are.
func (f *Field) HasPositions() bool { return f.Kind == KindText && f.Index == IndexPositions }

// HasLengths says whether documents have a length in f: whether it is text with how often
// its terms occur.
func (f *Field) HasLengths() bool {
	return f.Kind == KindText && f.Indexing() >= IndexFreqs
}

// Analysis returns the name and options of the analyzer, which is "standard" by default.
// They are empty for what is not text.
func (f *Field) Analysis() (name, options string) {
	if f.Kind == KindText && f.Analyzer == "" {
		return "standard", f.Options
	}
	return f.Analyzer, f.Options
}

// Boost returns the weight of f, which is 1 by default.
func (f *Field) Boost() float64 {
	if f.Weight == 0 {
		return 1
	}
	return f.Weight
}

// Step returns what a weight of 1 in a field of impacts stands for: Scale, which is 1 by default.
func (f *Field) Step() float64 {
	if f.Scale == 0 {
		return 1
	}
	return f.Scale
}

// HasImpacts says whether f is of kind impacts: whether documents have weights of its terms.
func (f *Field) HasImpacts() bool { return f.Kind == KindImpacts }

// HasImpacts says whether a field of s is of kind impacts.
func (s *Schema) HasImpacts() bool {
	return s != nil && slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Kind == KindImpacts })
}

func invalid(text string, args ...any) error {
	return fmt.Errorf("schema: %w: "+text, append([]any{ErrInvalid}, args...)...)
}

func (f *Field) invalid(text string, args ...any) error {
	return invalid("field %q: "+text, append([]any{f.Name}, args...)...)
}

func (f *Field) unsupported(text string, args ...any) error {
	return unsupported{f.invalid(text, args...)}
}

// unsupported is an error of what a later version may allow.
type unsupported struct{ error }

func (u unsupported) Unwrap() error        { return u.error }
func (u unsupported) Is(target error) bool { return target == errors.ErrUnsupported }

// maxID is the greatest NextID: no field is added to a schema that has reached it.
const maxID = math.MaxUint32
