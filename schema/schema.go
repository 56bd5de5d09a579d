package schema

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/internal/errs"
	"github.com/pinion-index/pinion/internal/kind"
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
var ErrInvalid = errs.New("invalid schema")

// Schema describes the documents of an index.
type Schema struct {
	// Fields are the fields, in any order. A Value gives its field by number here. One without a name is alone: that is the
	// implicit schema.
	Fields []Field
	// Language is what texts are in, by its tag (BCP 47), such as en or pt-BR: its analyzer (analysis.ForLanguage) is that of the
	// fields of text whose Analyzer and Options are empty. An index records these in full, and no language.
	Language string
	// NextID is greater than the ids of all fields that the index has had, so that those of
	// dropped fields are not used again. It is 0 in a schema that no index has adopted.
	NextID uint32
	err    error // of For
}

// Field describes one field.
type Field struct {
	// ID identifies the field in the index for ever. The writer assigns it, from 1; it is 0
	// in a field that the index does not have yet.
	ID uint32
	// Name has 1 to MaxName bytes of UTF-8 without control characters and does not begin
	// with an underscore. That of the implicit schema's field is empty.
	Name string
	// Kind is the kind of the values.
	Kind Kind
	// Analyzer and Options are those of package analysis that cut text into terms. Empty ones mean what the
	// index has for the field, and in a new field "standard" and the defaults of the analyzer. An index records
	// them in full.
	Analyzer, Options string
	// Index says what is indexed.
	Index Index
	// Positions says that the index knows where in a text its terms stand, for phrases. Several values lie 100
	// positions apart. Index is IndexFreqs then, or IndexDefault.
	Positions bool
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
	// query.Zero means 0. They may change, as Boost may: queries are scored by those of the
	// newest commit, unless they bring their own.
	K1, B float64
	// Boost multiplies the scores of the field's terms; 0 means 1.
	Boost float64
	// Scale is what a weight of 1 in a field of impacts stands for, from 1/MaxParameter to
	// MaxParameter; 0 means 1. Other fields have none.
	Scale float64
	// Dims is how many dimensions the vectors of a field have, 1 to MaxDims, Similarity how they are compared, Values how
	// their values are kept, and Model the name of what makes them: an index refuses another. Other fields have none.
	Dims       int
	Similarity Similarity
	Values     VectorValues
	Model      string
	// Clusters says that segments group the vectors of a field into clusters, with which query.Nearest.Probe finds neighbors faster, and
	// approximately. It may change: segments that are written from then on have them or not. Other fields have none.
	Clusters bool
	// Of, unless "", names another field of text, whose values this one has too, indexed by its own analyzer: such as words as they
	// stand, beside their stems. It is text that is not stored; IndexDefault means IndexDocs, or IndexFreqs with Positions. Documents
	// do not name it, and queries search it only where they do.
	Of string
}

// Implicit returns the implicit schema, which an index has that is not given another: one field of text without a name, whose
// terms are indexed with how often they occur. Where a field is named, "text" means it too. An empty analyzer and empty options
// stand for defaults, as those of a Field. When such an index gets more fields, this one is called "text".
func Implicit(analyzer, options string, stored bool) *Schema {
	return &Schema{Fields: []Field{{Kind: Text, Index: IndexFreqs, Analyzer: analyzer, Options: options, Stored: stored}}}
}

// IsImplicit reports whether s is the implicit schema: whether it is one field without a name.
func (s *Schema) IsImplicit() bool { return len(s.Fields) == 1 && s.Fields[0].Name == "" }

// given returns s, or the implicit schema if it is nil.
func (s *Schema) given() *Schema {
	if s == nil {
		return Implicit("", "", false)
	}
	return s
}

// implicitName is the other name of the field of the implicit schema.
const implicitName = "text"

// Check returns what is wrong with s. The error names the field and matches ErrInvalid.
func (s *Schema) Check() error {
	switch {
	case s == nil:
		return nil
	case s.err != nil:
		return s.err
	case len(s.Language) > MaxName || !utf8.ValidString(s.Language):
		return invalid("language %.20q...: its tag has up to %d bytes of UTF-8", s.Language, MaxName)
	case s.IsImplicit():
		return s.Fields[0].checkImplicit()
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
	return s.checkSources()
}

// checkSources returns what is wrong with fields that have the values of others.
func (s *Schema) checkSources() error {
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Of == "" {
			continue
		}
		switch of, ok := s.Field(f.Of); {
		case !ok:
			return f.invalid("it is to have the values of field %q, which is not there", f.Of)
		case of.Kind != Text:
			return f.invalid("it is to have the values of field %q, which is of kind %v: only text has other fields", f.Of, of.Kind)
		case of.Of != "":
			return f.invalid("it is to have the values of field %q, which has those of field %q: name that one", f.Of, of.Of)
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
	if f.Kind == 0 || f.Kind > Vector && f.Kind.number() == nil {
		return f.invalid("it has no kind")
	}
	for _, check := range []func() error{f.checkIndex, f.checkAnalyzer, f.checkScores, f.checkImpacts, f.checkVectors} {
		if err := check(); err != nil {
			return err
		}
	}
	switch {
	case f.Of != "" && f.Kind != Text:
		return f.invalid("it is of kind %v: only text has the values of another field", f.Kind)
	case f.Of != "" && (f.Stored || f.Indexing() == IndexNone):
		return f.invalid("with the values of another field it is indexed, and not stored: field %q may be", f.Of)
	case f.Column && f.Kind == Text:
		return f.invalid("a field of kind text cannot be a column; one of kind keyword can")
	case f.Unit > UnitSecond:
		return f.invalid("unit %d is unknown", f.Unit)
	case f.Unit != UnitNanosecond && !kind.Units(uint8(f.Kind)):
		return f.invalid("unit %v: only fields of kind time have a unit", f.Unit)
	case f.Indexing() == IndexNone && !f.Stored && !f.Column && f.Kind != Vector:
		return f.invalid("it is neither indexed nor stored, and no column")
	}
	return nil
}

// checkImplicit returns what is wrong with the field of the implicit schema. Its analyzer is checked by who makes it.
func (f *Field) checkImplicit() error {
	if *f != (Field{Kind: Text, Index: f.Index, Analyzer: f.Analyzer, Options: f.Options, Stored: f.Stored}) || f.Indexing() != IndexFreqs {
		return invalid("a field without a name is text with index freqs; it has an analyzer, is stored or not, and all else is by default")
	}
	return nil
}

func checkName(name string) error {
	switch {
	case name == "":
		return invalid(`field "": it has no name, and only one goes without: that of an index made without fields, which is called "text" beside others`)
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
	switch {
	case f.Index > IndexFreqs:
		return f.invalid("index %d is unknown", f.Index)
	case f.Kind.number() != nil && f.Indexing() != IndexNone:
		return f.unsupported("a field of kind %v cannot be indexed yet; it can be stored and a column", f.Kind)
	case f.Kind == Keyword && f.Index > IndexDocs:
		return f.invalid("a field of kind keyword has no %v; index docs is possible", f.Index)
	case f.Positions && !f.HasLengths():
		return f.invalid("positions are those of text with index freqs")
	case f.Kind == Impacts && f.Indexing() != IndexFreqs:
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
	case f.Kind != Text && (f.Analyzer != "" || f.Options != ""):
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
	case !within(f.Boost, MaxParameter) || f.Boost > 0 && f.Boost < 1/MaxParameter:
		return f.invalid("weight %v: it is from %v to %v", f.Boost, 1/MaxParameter, MaxParameter)
	case f.Indexing() == IndexNone && (f.K1 != 0 || f.B != 0 || f.Boost != 0):
		return f.invalid("k1, b and weight are for fields that are indexed")
	case f.B != 0 && !f.HasLengths():
		return f.invalid("b %v: only text with index freqs has lengths", f.B)
	}
	return nil
}

// checkImpacts checks what only fields of kind impacts have, or lack.
func (f *Field) checkImpacts() error {
	switch {
	case f.Kind != Impacts && f.Scale != 0:
		return f.invalid("scale %v: only fields of kind impacts have a scale", f.Scale)
	case f.Kind != Impacts:
		return nil
	case !(f.Scale >= 0 && f.Scale <= MaxParameter) || math.Signbit(f.Scale) || f.Scale > 0 && f.Scale < 1/MaxParameter:
		return f.invalid("scale %v: it is from %v to %v", f.Scale, 1/MaxParameter, MaxParameter)
	case f.K1 != 0 || f.Boost != 0:
		return f.invalid("a field of kind impacts has neither k1 nor weight; it has a scale")
	case f.Column:
		return f.invalid("a field of kind impacts cannot be a column")
	case f.Stored:
		return f.unsupported("values of kind impacts cannot be stored yet")
	}
	return nil
}

// Field returns the field of a name. That of the implicit schema is "", and "text" means it too.
func (s *Schema) Field(name string) (*Field, bool) {
	s = s.given()
	if i := s.Number(name); i >= 0 {
		return &s.Fields[i], true
	}
	return nil, false
}

// Shown returns the names of the fields whose values searches can show: those that are stored, or have a column.
func (s *Schema) Shown() (names []string) {
	if s == nil {
		return nil
	}
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Stored || f.Column {
			names = append(names, f.Name)
		}
	}
	return names
}

// Number returns the index in s.Fields of the field of a name, as Field finds it, or -1.
func (s *Schema) Number(name string) int { return s.find(name, 0) }

// find is Number, which looks at field near first and at those behind it next: values come field by field.
func (s *Schema) find(name string, near int) int {
	s = s.given()
	if name == implicitName && s.IsImplicit() {
		return 0
	}
	near = max(near, 0)
	for i := near; i < len(s.Fields); i++ {
		if s.Fields[i].Name == name {
			return i
		}
	}
	for i := range min(near, len(s.Fields)) {
		if s.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// Resolve returns values with the numbers of their fields: values itself if it has no names, and otherwise a copy. The error,
// for a name that s lacks, matches ErrInvalid.
func (s *Schema) Resolve(values []Value) ([]Value, error) {
	own, near := false, 0
	for i := range values {
		v := &values[i]
		if v.Name == "" && v.Field >= 0 {
			continue
		}
		n := s.find(v.Name, near)
		if n < 0 {
			return nil, invalid("field %q: there is none of this name", v.Name)
		}
		if v.Field != n {
			if !own {
				values, own = slices.Clone(values), true
			}
			values[i].Field = n
		}
		near = n
	}
	return values, nil
}

// ByID returns the field of an id. That of the implicit schema is 0.
func (s *Schema) ByID(id uint32) (*Field, bool) {
	s = s.given()
	for i := range s.Fields {
		if s.Fields[i].ID == id && (id != 0 || s.IsImplicit()) {
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
	return &Schema{Fields: slices.Clone(s.Fields), Language: s.Language, NextID: s.NextID, err: s.err}
}

// Indexing returns what is indexed of f: f.Index, or what IndexDefault means for its kind.
func (f *Field) Indexing() Index {
	switch {
	case f.Index != IndexDefault:
		return f.Index
	case f.Of != "" && !f.Positions:
		return IndexDocs
	case f.Kind == Text || f.Kind == Impacts:
		return IndexFreqs
	case f.Kind == Keyword:
		return IndexDocs
	}
	return IndexNone
}

// ByDefault reports whether queries search f that name no field: text that is indexed, with values of its own.
func (f *Field) ByDefault() bool { return f.Kind == Text && f.Indexing() != IndexNone && f.Of == "" }

// HasLengths says whether documents have a length in f: whether it is text with how often
// its terms occur.
func (f *Field) HasLengths() bool {
	return f.Kind == Text && f.Indexing() >= IndexFreqs
}

// Analysis returns the name and options of the analyzer, which is "standard" by default.
// They are empty for what is not text.
func (f *Field) Analysis() (name, options string) {
	if f.Kind == Text && f.Analyzer == "" {
		return "standard", f.Options
	}
	return f.Analyzer, f.Options
}

// Factor returns Boost, which is 1 by default.
func (f *Field) Factor() float64 {
	if f.Boost == 0 {
		return 1
	}
	return f.Boost
}

// Step returns what a weight of 1 in a field of impacts stands for: Scale, which is 1 by default.
func (f *Field) Step() float64 {
	if f.Scale == 0 {
		return 1
	}
	return f.Scale
}

// HasImpacts says whether f is of kind impacts: whether documents have weights of its terms.
func (f *Field) HasImpacts() bool { return f.Kind == Impacts }

// HasImpacts says whether a field of s is of kind impacts.
func (s *Schema) HasImpacts() bool {
	return s != nil && slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Kind == Impacts })
}

func invalid(text string, args ...any) error {
	return fmt.Errorf("schema: %w: "+text, append([]any{ErrInvalid}, args...)...)
}

func (f *Field) invalid(text string, args ...any) error {
	return invalid("field %q: "+text, append([]any{cmp.Or(f.Name, implicitName)}, args...)...)
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
