package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// emptyNames are package names that say nothing about what is inside.
var emptyNames = []string{"util", "utils", "common", "helper", "helpers", "misc"}

func TestPackageNames(t *testing.T) {
	for _, p := range packages(t) {
		for _, name := range []string{path.Base(p.path), p.name} {
			if slices.Contains(emptyNames, name) {
				t.Errorf("%s: a package named %s says nothing", p.path, name)
			}
		}
		if !slices.ContainsFunc(p.files, func(f *ast.File) bool { return f.Doc != nil }) {
			t.Errorf("%s: no package comment", p.path)
		}
	}
}

// TestDocComments requires a comment on every exported identifier of public
// packages: constants and variables may share that of their group.
func TestDocComments(t *testing.T) {
	for _, p := range packages(t) {
		if !p.public() {
			continue
		}
		for _, f := range p.files {
			for _, fault := range undocumented(f) {
				t.Error(fault)
			}
		}
	}
}

// undocumented returns what is wrong with the comments of the exported identifiers
// of f.
func undocumented(f *ast.File) (faults []string) {
	complain := func(at *ast.Ident, what string) {
		place := fset.Position(at.Pos())
		name := strings.TrimPrefix(filepath.ToSlash(place.Filename), root+"/")
		faults = append(faults, fmt.Sprintf("%s:%d: %s %s", name, place.Line, at.Name, what))
	}
	check := func(name *ast.Ident, doc *ast.CommentGroup) {
		switch {
		case !name.IsExported():
		case doc == nil:
			complain(name, "has no comment")
		case !beginsWith(doc.Text(), name.Name):
			complain(name, "has a comment that does not begin with its name")
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || exportedReceiver(d.Recv.List[0].Type) {
				check(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					doc := s.Doc
					if doc == nil && len(d.Specs) == 1 {
						doc = d.Doc
					}
					check(s.Name, doc)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if name.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
							complain(name, "has no comment")
						}
					}
				}
			}
		}
	}
	return faults
}

func exportedReceiver(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.StarExpr:
		return exportedReceiver(e.X)
	case *ast.IndexExpr:
		return exportedReceiver(e.X)
	case *ast.IndexListExpr:
		return exportedReceiver(e.X)
	case *ast.Ident:
		return e.IsExported()
	}
	return false
}

// beginsWith reports whether a comment begins with a name, after an article or not.
func beginsWith(doc, name string) bool {
	words := strings.FieldsFunc(doc, func(r rune) bool { return strings.ContainsRune(" \t\n,.:;()", r) })
	if len(words) > 1 && slices.Contains([]string{"A", "An", "The"}, words[0]) {
		words = words[1:]
	}
	return len(words) > 0 && (words[0] == name || words[0] == name+"'s")
}

func TestUndocumented(t *testing.T) {
	f, err := parser.ParseFile(fset, "x.go", `package x
type A struct{}
// B is documented, and hidden needs nothing.
type B[K, V any] struct{}
type hidden struct{}
func (*A) Bare() {}
func (B[K, V]) Bare2() {}
func (hidden) Method() {}
// Makes an A.
func NewA() {}
// The C is documented.
func C() {}
const Lone = 1
const Commented = 1 // is enough
// Several constants.
const (
	One = 1
	Two = 2
)
var x, Y = 1, 2
`, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, fault := range undocumented(f) {
		got = append(got, strings.Fields(fault)[1])
	}
	if want := []string{"A", "Bare", "Bare2", "NewA", "Lone", "Y"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

const maxLines = 500

var (
	sourceFile = regexp.MustCompile(`\.(go|s|c|cc|cpp|cu|h|sh)$`)
	generated  = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	emitted    = regexp.MustCompile(`^z\w+\.(go|s)$`)
)

// TestFiles bounds the length of files written by hand, those of other modules
// included. Generated files begin with z and with the line that says so.
func TestFiles(t *testing.T) {
	seen := 0
	err := walkModules(func(name string) error {
		if !sourceFile.MatchString(name) {
			return nil
		}
		seen++
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		head, _, _ := bytes.Cut(text, []byte("\npackage "))
		if !strings.HasSuffix(name, ".go") {
			head = text[:min(len(text), 200)]
		}
		isGenerated := generated.Match(head)
		if isGenerated != emitted.MatchString(path.Base(name)) {
			t.Errorf("%s: generated files, and no others, are called z*.go and z*.s", name)
		}
		if n := bytes.Count(text, []byte("\n")); n > maxLines && !isGenerated {
			t.Errorf("%s has %d lines, more than %d", name, n, maxLines)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 200 {
		t.Errorf("only %d files under %s", seen, root)
	}
}
