package bleve

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/pinion-index/pinion/schema"
)

// Options say how a mapping is translated. The zero value means the defaults.
type Options struct {
	// Analyzers say which analyzers of Pinion take the places of bleve's, by bleve's names. They come
	// before those that Translate finds.
	Analyzers map[string]Analyzer
	// Dynamic are the fields that documents have beside those of the mapping, as Survey finds them.
	Dynamic []Dynamic
}

// Analyzer is one of package analysis, by its name and options.
type Analyzer struct{ Name, Options string }

// Type is a type of bleve's fields.
type Type string

// The types of fields that become fields of a schema.
const (
	Text     Type = "text"
	Number   Type = "number"
	DateTime Type = "datetime"
	Boolean  Type = "boolean"
)

// Field is a field of a Translation.
type Field struct {
	Source    string `json:"source"` // bleve's name: the path in the document, with dots
	Type      Type   `json:"type"`
	Name      string `json:"name"`               // that of the field in the schema
	Analyzer  string `json:"analyzer,omitempty"` // bleve's name
	Indexed   bool   `json:"indexed"`            // queries find it in bleve
	Composite bool   `json:"composite"`          // it is part of _all
	Dynamic   bool   `json:"dynamic,omitempty"`  // the mapping does not name it

	cut cutter // for text
}

// keyword says whether f is text that is one term.
func (f *Field) keyword() bool { return f.Type == Text && f.cut.keyword }

// Loss is something that the schema cannot carry, or carries in another way.
type Loss struct {
	Field   string `json:"field,omitempty"` // bleve's name, "" for the mapping as a whole
	Dropped bool   `json:"dropped"`         // nothing of it is in the schema
	What    string `json:"what"`
}

func (l Loss) String() string {
	if l.Field == "" {
		return l.What
	}
	return l.Field + ": " + l.What
}

// Translation is what a mapping becomes. It is safe for concurrent use, as the mapping is.
type Translation struct {
	// Schema has the fields, those of the mapping in the order of their names first.
	Schema *schema.Schema
	// Fields are those of Schema, in the same order.
	Fields []Field
	// Losses are in the order of the fields.
	Losses []Loss

	mapping   *mapping.IndexMappingImpl
	options   *Options
	composite bool              // there is a field _all
	bySource  map[string][]int  // the numbers of fields
	lost      map[string]string // why a field of the mapping is not there
	names     map[string]bool
}

// Translate returns what a mapping becomes. Fields of bleve that have the same name and different types become fields
// of different names, and losses name everything that is dropped or changed. The error is for a mapping that is
// not of bleve's own type, one without fields (such as a dynamic one of which Options.Dynamic says nothing) and one
// with more fields than a schema can have.
func Translate(m mapping.IndexMapping, o Options) (*Translation, error) {
	own, ok := m.(*mapping.IndexMappingImpl)
	if !ok {
		return nil, fmt.Errorf("a mapping of type %T, not one of bleve's", m)
	}
	t := &Translation{Schema: &schema.Schema{}, mapping: own, options: &o,
		bySource: map[string][]int{}, lost: map[string]string{}, names: map[string]bool{}}
	t.walk()
	t.addDynamic(o.Dynamic)
	if len(t.Fields) == 0 {
		return nil, fmt.Errorf("the mapping has no field that a schema can have; a dynamic one needs the fields of an index")
	}
	if err := t.Schema.Check(); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Translation) lose(field string, dropped bool, format string, args ...any) {
	t.Losses = append(t.Losses, Loss{field, dropped, fmt.Sprintf(format, args...)})
}

// drop records that a field of the mapping is not in the schema.
func (t *Translation) drop(source, format string, args ...any) {
	if _, ok := t.lost[source]; !ok {
		t.lost[source] = fmt.Sprintf(format, args...)
		t.lose(source, true, format, args...)
	}
}

// find returns the number of the field of a source and type.
func (t *Translation) find(source string, typ Type) (int, bool) {
	for _, i := range t.bySource[source] {
		if t.Fields[i].Type == typ {
			return i, true
		}
	}
	return 0, false
}

// add adds a field, whose other properties f has, under a name that the schema allows.
func (t *Translation) add(f Field, s schema.Field) {
	s.Name = t.name(&f)
	f.Name = s.Name
	if f.Name != f.Source {
		t.lose(f.Source, false, "its values of type %s are in field %s", f.Type, f.Name)
	}
	t.names[f.Name] = true
	t.bySource[f.Source] = append(t.bySource[f.Source], len(t.Fields))
	t.Fields = append(t.Fields, f)
	t.Schema.Fields = append(t.Schema.Fields, s)
}

// allowed returns a name without what names of fields do not have.
func allowed(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, name)
	return strings.TrimLeft(name, "_")
}

// name returns a name for f that is allowed and free: its own, then with its type, then with a number behind it.
func (t *Translation) name(f *Field) string {
	name := cmp.Or(allowed(f.Source), "field")
	with := func(suffix string) string {
		cut := name
		for len(cut)+len(suffix) > schema.MaxName {
			_, size := utf8.DecodeLastRuneInString(cut)
			cut = cut[:len(cut)-size]
		}
		return cut + suffix
	}
	if n := with(""); !t.names[n] {
		return n
	}
	n := with("." + string(f.Type))
	for i := 2; t.names[n]; i++ {
		n = with("." + string(f.Type) + strconv.Itoa(i))
	}
	return n
}
