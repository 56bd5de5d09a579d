package reader_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/longtest"
)

// go vet finds every copy of a Cursor.
func TestVetFindsCopiedCursor(t *testing.T) {
	longtest.Only(t) // compiles a program
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command: ", err)
	}
	const program = `package main

import "github.com/pinion-index/pinion/reader"

type walk struct{ cursor reader.Cursor }

func main() {
	var c reader.Cursor
	d := c // copy
	p := reader.NewCursor()
	pointed := *p // copy
	w := walk{c} // copy
	v := w // copy
	for _, x := range []reader.Cursor{{}} { // copy
		_ = x.Doc()
	}
	take(c) // copy
	pass(&d)
	pass(&pointed)
	pass(&v.cursor)
}

func take(c reader.Cursor) {} // copy
func (w walk) method() {} // copy
func give(c *reader.Cursor) reader.Cursor { return *c } // copy
func pass(c *reader.Cursor) {}
`
	var want []string
	for i, line := range strings.Split(program, "\n") {
		if strings.HasSuffix(line, "// copy") {
			want = append(want, fmt.Sprint(i+1))
		}
	}
	file := filepath.Join(t.TempDir(), "copies.go")
	if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, "vet", "-copylocks", file).CombinedOutput()
	if err == nil {
		t.Fatal("go vet finds nothing")
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)copies\.go:(\d+):.*reader\.(?:Cursor|noCopy)`).FindAllSubmatch(out, -1) {
		if n := string(m[1]); !slices.Contains(got, n) {
			got = append(got, n)
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("go vet finds copies in lines %s, want %s:\n%s", got, want, out)
	}
}
