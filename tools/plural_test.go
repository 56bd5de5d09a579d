package tools_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPlurals looks for sentences that count with a fixed plural, "1 segments": cli.Number
// knows the singular. The papers' pages and charts, whose numbers are known, are left out.
func TestPlurals(t *testing.T) {
	counted := regexp.MustCompile(`%[dsv] (?:batch|block|commit|core|CPU|document|file|hit|line|list|posting|quer(?:ie|y)|run|segment|section|term|thread|worker)e?s(?:[^/\w]|$)`)
	known := []string{ // never one, or not only a count
		"A page shows at most %d hits", "documents of a segment with id", "postings have tf >=", "distinct terms in",
		"segments are each under", "segments hold", "others, in",
	}
	err := filepath.WalkDir("../internal/tools", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.BasicLit)
			if ok && s.Kind == token.STRING && counted.MatchString(s.Value) &&
				!slices.ContainsFunc(known, func(k string) bool { return strings.Contains(s.Value, k) }) {
				t.Errorf("%s: %s: cli.Number counts", path, s.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOneWord looks for the word generation where commit is meant: in what commands print, and
// in pages.
func TestOneWord(t *testing.T) {
	for _, dir := range []string{"../internal/tools", "../reader", "../internal/indexdir", "../writer", "../internal/gpu", "../internal/hybrid"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.BasicLit); ok && strings.Contains(s.Value, "generation") && !strings.Contains(s.Value, "json:") {
					t.Errorf("%s: %s: the word is commit", path, s.Value)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
