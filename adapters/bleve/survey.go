package bleve

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"
)

// Dynamic is a field that documents have without being told by the mapping.
type Dynamic struct {
	Source string
	Type   Type
}

// Source is an index of bleve's: a bleve.Index.
type Source interface {
	Advanced() (index.Index, error)
	DocCount() (uint64, error) // an error if it is closed
	Mapping() mapping.IndexMapping
}

// types are those of stored values, by what bleve encodes them as.
var types = map[byte]Type{'t': Text, 'n': Number, 'd': DateTime, 'b': Boolean, 'g': "geopoint", 's': "geoshape", 'i': "IP"}

// typeOf returns the type of a stored value.
func typeOf(f index.Field) Type {
	if t, ok := types[f.EncodedFieldType()]; ok {
		return t
	}
	return Type(fmt.Sprintf("%q", f.EncodedFieldType()))
}

// Survey returns the names and types of all stored values of an index, by name. It reads every document.
func Survey(ctx context.Context, r index.IndexReader) ([]Dynamic, error) {
	found := map[Dynamic]bool{}
	err := documents(ctx, r, func(_ string, d index.Document) error {
		d.VisitFields(func(f index.Field) {
			found[Dynamic{f.Name(), typeOf(f)}] = true
		})
		return nil
	}, nil)
	order := []Type{Text, Number, DateTime, Boolean}
	return slices.SortedFunc(maps.Keys(found), func(a, b Dynamic) int {
		if c := strings.Compare(a.Source, b.Source); c != 0 {
			return c
		}
		return slices.Index(order, a.Type) - slices.Index(order, b.Type)
	}), err
}

// TranslateIndex returns what the mapping of an index becomes. If the mapping is dynamic, it reads every document to
// see which fields there are (Survey), unless o.Dynamic says so.
func TranslateIndex(ctx context.Context, src Source, o Options) (*Translation, error) {
	r, err := open(src)
	if err != nil {
		return nil, err
	}
	t, err := translateIndex(ctx, src.Mapping(), r, o)
	return t, closing(err, r)
}

func translateIndex(ctx context.Context, m mapping.IndexMapping, r index.IndexReader, o Options) (t *Translation, err error) {
	if own, ok := m.(*mapping.IndexMappingImpl); ok && o.Dynamic == nil && isDynamic(own) {
		if o.Dynamic, err = Survey(ctx, r); err != nil {
			return nil, err
		}
	}
	return Translate(m, o)
}

// isDynamic says whether a document may have fields that m does not name.
func isDynamic(m *mapping.IndexMappingImpl) bool {
	for _, d := range m.TypeMapping {
		if dynamic(d) {
			return true
		}
	}
	return dynamic(m.DefaultMapping)
}

func dynamic(d *mapping.DocumentMapping) bool {
	if d == nil || !d.Enabled {
		return false
	}
	if d.Dynamic {
		return true
	}
	for _, p := range d.Properties {
		if dynamic(p) {
			return true
		}
	}
	return false
}

// addDynamic adds the fields that the mapping does not have.
func (t *Translation) addDynamic(found []Dynamic) {
	m := t.mapping
	for _, d := range found {
		if _, ok := t.find(d.Source, d.Type); ok || t.lost[d.Source] != "" {
			continue
		}
		x := &mapping.FieldMapping{Type: string(d.Type), Store: m.StoreDynamic, Index: m.IndexDynamic,
			DocValues: m.DocValuesDynamic, IncludeInAll: true, IncludeTermVectors: d.Type == Text}
		f := Field{Source: d.Source, Type: d.Type, Indexed: x.Index, Composite: x.Index, Dynamic: true}
		switch d.Type {
		case Text:
			f.Analyzer = m.AnalyzerNameForPath(d.Source)
		case Number, DateTime, Boolean:
		default:
			t.drop(d.Source, "fields of type %s", d.Type)
			continue
		}
		t.add(t.complete(f, x))
	}
}
