// Package examples holds short programs that use the library. Its tests compile
// and run them.
package examples

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// program builds an example and returns a function that runs it.
func program(t *testing.T, name string) func(args ...string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), name+".exe")
	if out, err := exec.Command("go", "build", "-o", bin, "./"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func(args ...string) string {
		t.Helper()
		cmd := exec.Command(bin, args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, &stderr)
		}
		return string(out)
	}
}

func TestPrograms(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new.idx")
	for _, p := range []struct {
		name string
		args []string
		want string
	}{
		{"write", []string{dir}, "merged 2 segments, dropped 1 document\n" +
			"0 b \"no rose without a thorn\"\n1 c \"a thorn in the flesh\"\n2 a \"a rose by any other name\"\n"},
		{"list", []string{dir, "rose", "thorn"}, "b: rose 1, thorn 1\n"},
		{"list", []string{dir, "rose", "tulip"}, ""},
		// N 3, lengths 5, 5 and 6, both terms in two documents: idf 0.4700.
		{"query", []string{dir, "rose thorn"}, "0.9513 b\n0.4756 c\n0.4591 a\n"},
	} {
		if got := program(t, p.name)(p.args...); got != p.want {
			t.Errorf("%s %q prints\n%s\nwant\n%s", p.name, p.args[1:], got, p.want)
		}
	}
}

// TestUsage checks that programs without arguments say which they want.
func TestUsage(t *testing.T) {
	for _, name := range []string{"browser", "list", "query", "write"} {
		bin := filepath.Join(t.TempDir(), name+".exe")
		if out, err := exec.Command("go", "build", "-o", bin, "./"+name).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		cmd := exec.Command(bin)
		out, _ := cmd.CombinedOutput()
		if !bytes.HasPrefix(out, []byte("usage: "+name+" DIR")) || cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("%s: exit code %d, %s", name, cmd.ProcessState.ExitCode(), out)
		}
	}
}

// TestREADME holds what README.md says against the repository: the programs that
// it runs are there, and its Go parses.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`go run \./([\w/-]+)`).FindAllSubmatch(readme, -1) {
		if _, err := os.Stat(filepath.Join("..", string(m[1]), "main.go")); err != nil {
			t.Errorf("%s: %v", m[0], err)
		}
	}
	for _, m := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(readme, -1) {
		_, errFile := parser.ParseFile(token.NewFileSet(), "README.md", fmt.Sprintf("package p\n%s", m[1]), 0)
		_, errBody := parser.ParseFile(token.NewFileSet(), "README.md", fmt.Sprintf("package p\nfunc f() {\n%s\n}", m[1]), 0)
		if errFile != nil && errBody != nil {
			t.Errorf("%v in\n%s", errBody, m[1])
		}
	}
}
