package archtest

import (
	"bytes"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestPackageNames(t *testing.T) {
	for _, p := range packages(t) {
		if slices.Contains([]string{"util", "utils", "common", "helpers"}, path.Base(p.path)) {
			t.Errorf("%s: the name says nothing", p.path)
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
			for _, d := range f.Decls {
				checkDecl(t, d)
			}
		}
	}
}

func checkDecl(t *testing.T, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv.List[0].Type)) {
			checkDoc(t, d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				doc := s.Doc
				if doc == nil && len(d.Specs) == 1 {
					doc = d.Doc
				}
				if s.Name.IsExported() {
					checkDoc(t, s.Name, doc)
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
						complain(t, name, "has no comment")
					}
				}
			}
		}
	}
}

func exportedReceiver(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.StarExpr:
		return exportedReceiver(e.X)
	case *ast.IndexExpr:
		return exportedReceiver(e.X)
	case *ast.Ident:
		return e.IsExported()
	}
	return false
}

// checkDoc requires a comment that begins with the name.
func checkDoc(t *testing.T, name *ast.Ident, doc *ast.CommentGroup) {
	if doc == nil {
		complain(t, name, "has no comment")
		return
	}
	words := strings.FieldsFunc(doc.Text(), func(r rune) bool { return strings.ContainsRune(" \t\n,.:;()", r) })
	if len(words) > 1 && slices.Contains([]string{"A", "An", "The"}, words[0]) {
		words = words[1:]
	}
	if len(words) == 0 || words[0] != name.Name && words[0] != name.Name+"'s" {
		complain(t, name, "has a comment that does not begin with its name")
	}
}

func complain(t *testing.T, at *ast.Ident, what string) {
	var place token.Position = fset.Position(at.Pos())
	t.Errorf("%s:%d: %s %s", strings.TrimPrefix(filepath.ToSlash(place.Filename), root+"/"), place.Line, at.Name, what)
}

const maxLines = 500

var (
	sourceFile = regexp.MustCompile(`\.(go|s|c|cc|cpp|cu|h|sh)$`)
	generated  = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
)

func TestFileLengths(t *testing.T) {
	err := walk(func(name string) error {
		if !sourceFile.MatchString(name) {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		if n := bytes.Count(text, []byte("\n")); n > maxLines && !generated.Match(text) {
			t.Errorf("%s has %d lines, more than %d", name, n, maxLines)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
