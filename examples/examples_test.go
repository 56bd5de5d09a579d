// Package examples holds the programs of README.md's section "From Go". Its
// tests compile and run them and check that README.md shows the same text.
package examples

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

func TestREADMEShowsThePrograms(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"query", "list", "write"} {
		source, err := os.ReadFile(filepath.Join(name, "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		// What follows the imports is shown whole.
		_, body, _ := strings.Cut(string(source), "\nfunc run(")
		if !bytes.Contains(readme, []byte("func run("+body)) {
			t.Errorf("README.md does not show examples/%s/main.go from func run on", name)
		}
	}
}
