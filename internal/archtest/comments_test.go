package archtest

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"slices"
	"strings"
	"testing"
)

// TestSentences bounds the sentences of package comments and of those on exported identifiers.
func TestSentences(t *testing.T) {
	n := 0
	for _, p := range packages(t) {
		for _, f := range p.files {
			for _, c := range documented(f) {
				for _, s := range spoken(c.Text()) {
					if n++; len(s) > maxWords {
						t.Errorf("%v: %d words, more than %d: %s ...", fset.Position(c.Pos()), len(s), maxWords, strings.Join(s[:9], " "))
					}
				}
			}
		}
	}
	if n < 5000 {
		t.Errorf("only %d sentences", n)
	}
}

// documented returns the package comment of f, and those on exported functions and on types, variables and their fields.
func documented(f *ast.File) (all []*ast.CommentGroup) {
	ast.Inspect(f, func(n ast.Node) bool {
		var c *ast.CommentGroup
		switch n := n.(type) {
		case *ast.File:
			c = n.Doc
		case *ast.FuncDecl:
			if n.Name.IsExported() && n.Doc != nil {
				all = append(all, n.Doc)
			}
			return false
		case *ast.GenDecl:
			c = n.Doc
		case *ast.TypeSpec:
			c = n.Doc
		case *ast.ValueSpec:
			c = n.Doc
		case *ast.Field:
			c = n.Doc
		}
		if c != nil {
			all = append(all, c)
		}
		return true
	})
	return all
}

// spoken returns the words of each sentence of a comment, code left out.
func spoken(text string) (sentences [][]string) {
	var p comment.Parser
	var each func([]comment.Block)
	each = func(blocks []comment.Block) {
		for _, b := range blocks {
			switch b := b.(type) {
			case *comment.Paragraph:
				all, _ := prose(plainText(b.Text))
				for _, s := range all {
					sentences = append(sentences, strings.Fields(s))
				}
			case *comment.List:
				for _, i := range b.Items {
					each(i.Content)
				}
			}
		}
	}
	each(p.Parse(text).Content)
	return sentences
}

func plainText(all []comment.Text) string {
	var b strings.Builder
	for _, t := range all {
		switch t := t.(type) {
		case comment.Plain:
			b.WriteString(string(t))
		case comment.Italic:
			b.WriteString(string(t))
		case *comment.Link:
			b.WriteString(plainText(t.Text))
		case *comment.DocLink:
			b.WriteString(plainText(t.Text))
		}
	}
	return b.String()
}

func TestSpoken(t *testing.T) {
	f, err := parser.ParseFile(fset, "x.go", `// Package x is one. And
// two, of A:
//
//   - an item
//
// Then code:
//
//	code code
package x

// A is three.
type A struct {
	// B is four.
	B int
}

// hidden is not read.
func hidden() {}

// C is five.
func (A) C() {}
`, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range documented(f) {
		for _, s := range spoken(c.Text()) {
			got = append(got, strings.Join(s, " "))
		}
	}
	if want := []string{"Package x is one.", "And two, of A:", "an item", "Then code:", "A is three.", "B is four.", "C is five."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
