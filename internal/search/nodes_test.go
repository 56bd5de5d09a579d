package search

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/query"
)

// everyNode has a node of each type, by the name of the type, over a field of text.
var everyNode = map[string]query.Node{
	"All":        query.All{Score: 2},
	"And":        query.And{query.Term{Text: "a"}, query.IDs{"1"}},
	"Best":       query.Best{Of: []query.Node{query.Term{Text: "a"}, query.Term{Text: "b"}}, Tie: 0.5},
	"Bool":       query.Bool{Must: []query.Node{query.Term{Text: "a"}}, Should: []query.Node{query.Term{Text: "b"}}, MustNot: []query.Node{query.Term{Text: "c"}}, Filter: []query.Node{query.All{}}, AtLeast: 1},
	"Const":      query.Const{Node: query.Term{Text: "a"}, Score: 3},
	"Docs":       query.DocsOf(slices.Values([]uint32{0, 2})),
	"Dot":        query.Dot{Terms: []query.WeightedTerm{{Term: "a", Weight: 7}}},
	"Exists":     query.Exists{Field: "n"},
	"Fuzzy":      query.Fuzzy{Text: "alpha", Edits: 1},
	"IDs":        query.IDs{"1", "2"},
	"In":         query.In{Field: "n", Values: []any{1, "x", []byte("y")}},
	"Match":      query.Match{Text: "a b", Fields: []string{"text"}},
	"Nearest":    query.Nearest{Field: "v", Vector: []float32{1, -2}, K: 3, Boost: 2},
	"Near":       query.Near{Terms: []string{"a"}},
	"Not":        query.Not{Node: query.IDs{"1"}},
	"Or":         query.Or{query.Term{Text: "a"}, query.IDs{"1"}},
	"Phrase":     query.Phrase{Terms: []string{"a"}, Slop: 1},
	"Prefix":     query.Prefix{Text: "a"},
	"Range":      query.Range{Field: "n", Min: 1},
	"Regexp":     query.Regexp{Pattern: "a+"},
	"Similarity": query.Similarity{Field: "v", Vector: []float32{1, -2}, Boost: 2},
	"Term":       query.Term{Text: "a", Boost: 2},
	"Wildcard":   query.Wildcard{Pattern: "a*"},
}

// nodesWithin has how many nodes within a node its documents match.
var nodesWithin = map[string]int{"And": 2, "Best": 2, "Bool": 2, "Const": 1, "Or": 2}

// Each type of node in package query is one that searches know, and has copies and keys of its own.
func TestEveryNode(t *testing.T) {
	s, _ := simpleSearcher(t)
	keys := map[string]string{}
	for _, name := range nodeTypes(t) {
		n, ok := everyNode[name]
		if !ok {
			t.Errorf("no query.%s in this test", name)
			continue
		}
		if got := reflect.TypeOf(n).Name(); got != name {
			t.Errorf("a %s for a %s", got, name)
		}
		if _, err := s.Search(t.Context(), Query{Node: n, K: 10}); err != nil && strings.Contains(err.Error(), "a node of type") {
			t.Errorf("query.%s: %v", name, err)
		}
		if c := query.Clone(n); !reflect.DeepEqual(c, n) {
			t.Errorf("a copy of %+v is %+v", n, c)
		}
		key := query.AppendKey([]byte("before"), n)
		if again := query.AppendKey([]byte("before"), query.Clone(n)); name != "In" && !bytes.Equal(key, again) { // In has bytes, which may change
			t.Errorf("%s has keys %q and %q", name, key, again)
		}
		if o, ok := keys[string(key)]; ok || !bytes.HasPrefix(key, []byte("before")) {
			t.Errorf("%s and %q have key %q", name, o, key)
		}
		keys[string(key)] = name
		if got := slices.Collect(query.Within(n)); len(got) != nodesWithin[name] {
			t.Errorf("within %s: %v", name, got)
		}
	}
}

// nodeTypes returns the names of the types of package query that are nodes.
func nodeTypes(t *testing.T) (names []string) {
	files, err := filepath.Glob("../../query/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files of package query", err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv != nil && d.Name.Name == "visit" {
				names = append(names, d.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	if len(names) < len(everyNode) {
		t.Fatalf("%d nodes", len(names))
	}
	return names
}
