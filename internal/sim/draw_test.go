package sim

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/oracle"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Queries have every kind of node and filter that package query declares, and every field of them and of a query is
// drawn: none has the same value in all.
func TestDrawQueries(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var docs []oracle.Doc
	var records []oracle.Record
	var ids []string
	s := &schema.Schema{Fields: []schema.Field{{Name: "a", Kind: schema.Text, Analyzer: "simple", Positions: true}, {Name: "b", Kind: schema.Text, Analyzer: "simple"},
		{Name: "word", Kind: schema.Keyword, Column: true}, {Name: "number", Kind: schema.Integer, Column: true},
		{Name: "rank", Kind: schema.Float, Column: true}, {Name: "views", Kind: schema.Float, Column: true},
		{Name: "time", Kind: schema.Time, Column: true},
		{Name: "vector", Kind: schema.Impacts}, {Name: "other", Kind: schema.Impacts, Scale: 0.5},
		{Name: "angle", Kind: schema.Vector, Dims: 3}, {Name: "place", Kind: schema.Vector, Dims: 9, Similarity: schema.SimilarityL2}}}
	values := oracle.Values{}
	for range 50 {
		docs = append(docs, oracle.Doc{Terms: drawWords(r)})
		records = append(records, oracle.Record{Terms: map[string][]string{"a": drawWords(r), "b": drawWords(r)}})
		ids = append(ids, "d")
		for i := range s.Fields[9:] {
			f := &s.Fields[9+i]
			addVectors(&records[len(records)-1], f, []any{denseOf(drawDense(r, f))})
		}
		for i, f := range s.Fields[2:7] {
			values[f.Name] = append(values[f.Name], inColumn([]any{plain(drawValue(r, i+2, &f))}))
		}
	}
	seen := fieldsSeen{}
	for _, m := range []model{newPlainModel(docs, ids, query.Params{}), newFieldModel(s, records, values, []oracle.SortKey{{Field: "number"}}, ids, query.Params{})} {
		for range 6000 {
			q, _ := drawFrom(r, m)
			seen.add(reflect.ValueOf(q))
		}
	}
	kinds := map[string]bool{"Query": true, "Position": true, "SortBy": true, "SortPosition": true, "Facet": true, "Static": true}
	files, err := filepath.Glob("../../query/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil && m.Name.Name == "visit" {
				if of, ok := m.Recv.List[0].Type.(*ast.Ident); ok {
					kinds[of.Name] = true
				}
			}
		}
	}
	if len(kinds) < 24 {
		t.Errorf("package query declares %v", kinds)
	}
	delete(seen["Query"], "Limited")     // is where something is told
	delete(seen["Query"], "Frequencies") // depends on the parts of a collection: package query's TestShards draws those
	delete(seen["Query"], "Neighbors")   // the same: TestShardsNear there
	delete(seen["Nearest"], "Text")      // is embedded before a query is executed: package pinion's tests do that
	delete(seen["Similarity"], "Text")
	delete(seen["Query"], "Approximate") // is where something is told
	delete(seen["Query"], "Chosen")      // package pinion's TestFacetStats draws it, and what it goes with
	delete(seen["Match"], "Typos")       // package pinion's TestTypos
	delete(seen["Static"], "Logarithm")  // package columns' TestCurve
	for _, f := range []string{"Stats", "Facets", "IgnoreOwn", "Keep"} {
		delete(seen["Facet"], f)
	}
	for kind := range kinds {
		if seen[kind] == nil {
			t.Errorf("query.%s is never drawn", kind)
		}
		for field, values := range seen[kind] {
			if len(values) < 2 {
				t.Errorf("query.%s.%s is the same in all queries", kind, field)
			}
		}
	}
}

// fieldsSeen are the values that were seen, by type and field.
type fieldsSeen map[string]map[string]map[any]bool

// add adds the fields of a struct and of those within.
func (seen fieldsSeen) add(v reflect.Value) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice { // a filter of others
		kind := v.Type().Name()
		if seen[kind] == nil {
			seen[kind] = map[string]map[any]bool{"": {}}
		}
		seen[kind][""][v.Len()] = true
		for i := range v.Len() {
			seen.add(v.Index(i))
		}
	}
	if v.Kind() != reflect.Struct || v.Type() == reflect.TypeFor[time.Time]() || v.Type().PkgPath() == reflect.TypeFor[schema.Value]().PkgPath() {
		return
	}
	kind := v.Type().Name()
	if seen[kind] == nil {
		seen[kind] = map[string]map[any]bool{}
	}
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if seen[kind][name] == nil {
			seen[kind][name] = map[any]bool{}
		}
		value := any(f.IsZero())
		switch f.Kind() {
		case reflect.Slice:
			value = f.Len()
			for k := range f.Len() {
				seen.add(f.Index(k))
			}
		case reflect.Interface:
			if seen.add(f); !f.IsNil() {
				value = f.Elem().Type().Name()
			}
		case reflect.Pointer:
			if value = f.Pointer(); f.Type().Elem().PkgPath() == v.Type().PkgPath() {
				seen.add(f)
			}
		case reflect.Struct:
			value = fmt.Sprint(f)
		default:
			value = f.Interface()
		}
		seen[kind][name][value] = true
	}
}
