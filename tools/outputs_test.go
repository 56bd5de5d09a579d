package tools_test

import (
	"bytes"
	"crypto/sha256"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/store"
)

// root returns a new tree of the command of that name.
func root(t *testing.T, name string) *cobra.Command {
	for _, c := range commands() {
		if c.Name() == name {
			return c
		}
	}
	t.Fatalf("no command %s", name)
	return nil
}

// eachCommand calls f for every command that runs.
func eachCommand(f func(c *cobra.Command)) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		f(c)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	for _, c := range commands() {
		walk(c)
	}
}

// execute runs a command line in the test's process and returns its exit code.
func execute(t *testing.T, args ...string) (code int, stdout, stderr string) {
	c := root(t, args[0])
	var out, errs bytes.Buffer
	c.SetOut(&out)
	c.SetErr(&errs)
	c.SetArgs(args[1:])
	err := cli.Execute(t.Context(), c)
	return cli.ExitCode(err), out.String(), errs.String()
}

// TestOutputsRefused checks that no flag that names an output overwrites a file of an
// index or an input, by any of its names.
func TestOutputsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "docs.tsv", "1\tone two\n2\ttwo three\n")
	write(t, "q.tsv", "1\ttwo\n")
	for _, dir := range []string{"a.idx", "b.idx"} {
		if code, _, msg := execute(t, "idxbuild", "--out", dir, "--store-text", "docs.tsv"); code != 0 {
			t.Fatal(msg)
		}
	}
	segments, err := filepath.Glob("a.idx/segment-*")
	if err != nil || len(segments) == 0 {
		t.Fatalf("no segments: %v", err)
	}
	segment := segments[0]
	other := filepath.Join("b.idx", filepath.Base(segment))
	for name, of := range map[string]string{"sym": "a.idx/write.lock", "dir": "a.idx", "chain": "sym"} {
		if err := os.Symlink(of, name); err != nil {
			t.Skip(err)
		}
	}
	for name, of := range map[string]string{"hard": segment, "q-hard": "q.tsv"} {
		if err := os.Link(of, name); err != nil {
			t.Skip(err)
		}
	}
	write(t, "a.idx/"+store.QuarantineName+"/evidence", "damaged")
	manifests, _ := filepath.Glob("a.idx/manifest-*")

	with := map[string][]string{
		"idxquery --run":                  {"--index", "a.idx", "--queries", "q.tsv"},
		"idxinspect export --out":         {"a.idx"},
		"idxinspect report --out":         {"--queries", "q.tsv", "a.idx"},
		"idxbench query --times":          {"--index", "a.idx", "--queries", "q.tsv"},
		"idxbench intersect --times":      {"--index", "a.idx", "--queries", "q.tsv"},
		"idxbench synth --queries":        {"--out", "new.idx"},
		"idxbench synth --long-queries":   {"--out", "new.idx"},
		"idxbench vectors --queries":      {"--out", "new.idx"},
		"idxbench vectors --long-queries": {"--out", "new.idx"},
		"idxbench records --out":          {"logs"},
		"idxbench records --queries":      {"logs", "--out", "new.jsonl"},
		"idxbench records --schema":       {"logs", "--out", "new.jsonl"},
	}
	before := contents(t)
	eachCommand(func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !cli.IsOutput(f) {
				return
			}
			name := c.CommandPath() + " --" + f.Name
			args, ok := with[name]
			if !ok {
				t.Errorf("%s: add it to this test", name)
				return
			}
			delete(with, name)
			outputs := []string{segment, other, "./" + segment, "dir/" + filepath.Base(segment), "sym", "chain", manifests[0],
				"a.idx/segment-000000000099.pin", "a.idx/SEGMENT-000000000099.PIN", "a.idx/" + filepath.Base(segment) + ".tmp", "a.idx/write.lock",
				"a.idx/" + store.QuarantineName, "a.idx/" + store.QuarantineName + "/evidence", "new.idx/segment-000000000001.pin"}
			if slices.Contains(args, "a.idx") {
				outputs = append(outputs, "hard")
			}
			if slices.Contains(args, "q.tsv") {
				outputs = append(outputs, "q.tsv", "q-hard", "./q.tsv", "dir/../q.tsv")
			}
			for _, out := range outputs {
				line := append(strings.Fields(c.CommandPath()), append([]string{"--" + f.Name, out}, args...)...)
				if code, _, msg := execute(t, line...); code != cli.ExitUsage {
					t.Errorf("%s: exit code %d, %s", strings.Join(line, " "), code, msg)
				}
			}
		})
	})
	for name := range with {
		t.Errorf("%s is no output", name)
	}
	if after := contents(t); !slices.Equal(before, after) {
		t.Errorf("files changed:\n%q\n%q", before, after)
	}
}

// TestOutputsAllowed checks outputs beside those that are refused.
func TestOutputsAllowed(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "docs.tsv", "1\tone two\n2\ttwo three\n")
	write(t, "q.tsv", "1\ttwo\n")
	write(t, "two", "a file called like a query\n")
	write(t, "old.run", "an earlier run\n")
	if code, _, msg := execute(t, "idxbuild", "--out", "a.idx", "docs.tsv"); code != 0 {
		t.Fatal(msg)
	}
	for _, args := range [][]string{
		{"idxquery", "--index", "a.idx", "--run", "old.run", "--queries", "q.tsv"},
		{"idxquery", "--index", "a.idx", "--run", "two", "two"},
		{"idxquery", "--index", "a.idx", "--run", os.DevNull, "two"},
		{"idxquery", "--index", "a.idx", "--run", "a.idx/segment.run", "two"},
		{"idxinspect", "export", "--out", "a.ciff", "a.idx"},
	} {
		if code, _, msg := execute(t, args...); code != 0 {
			t.Errorf("%q: exit code %d, %s", args, code, msg)
		}
	}
	if b, _ := os.ReadFile("old.run"); !strings.HasPrefix(string(b), "1 Q0 ") {
		t.Errorf("the run is %q", b)
	}
}

// TestFlagsOfFiles checks that every flag that names a file is known as one of an input or
// of an output.
func TestFlagsOfFiles(t *testing.T) {
	inputs := map[string]bool{"queries": true, "synonyms": true, "ids": true, "preload": true, "delete": true, "schema": true, "run": true, "qrels": true}
	eachCommand(func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			value, _ := pflag.UnquoteUsage(f)
			if strings.HasPrefix(value, "FILE") && !cli.IsOutput(f) && !inputs[f.Name] {
				t.Errorf("%s --%s is neither an output, which cli.Output adds, nor a known input", c.CommandPath(), f.Name)
			}
			if strings.HasPrefix(value, "FILE") && strings.HasPrefix(f.Usage, "write") && !cli.IsOutput(f) {
				t.Errorf("%s --%s writes a file and is not added by cli.Output", c.CommandPath(), f.Name)
			}
		})
	})
}

// TestWritesThroughCLI checks that the commands write files with cli.WriteFile alone.
func TestWritesThroughCLI(t *testing.T) {
	err := filepath.WalkDir("../internal/tools", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := s.X.(*ast.Ident)
			if ok && pkg.Name == "os" && slices.Contains([]string{"Create", "OpenFile", "WriteFile", "Rename", "Truncate"}, s.Sel.Name) {
				t.Errorf("%s calls os.%s", path, s.Sel.Name)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, name, text string) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// contents lists the files of the working directory with checksums.
func contents(t *testing.T) (list []string) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		sum := sha256.Sum256(b)
		list = append(list, path+" "+string(sum[:]))
		if d.Type()&fs.ModeSymlink != 0 {
			return nil // one may name a directory
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
