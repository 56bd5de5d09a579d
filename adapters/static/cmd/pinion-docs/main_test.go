package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"

	"github.com/pinion-index/pinion/adapters/static/internal/docs"
	"github.com/pinion-index/pinion/adapters/static/internal/static"
)

// The site of this repository has no broken links, and its search answers the questions.
func TestRepository(t *testing.T) {
	repository := filepath.Join("..", "..", "..", "..")
	if _, err := os.Stat(filepath.Join(repository, "docs", "README.md")); err != nil {
		t.Skip("the module is not in its repository")
	}
	out := filepath.Join(t.TempDir(), "site")
	r, err := docs.Build(t.Context(), repository, out, docs.Options{Search: static.DefaultOut})
	if err != nil {
		t.Fatal(err, r)
	}
	if _, err := static.Build(t.Context(), out, static.Options{}); err != nil {
		t.Fatal(err)
	}
	code, said := run(t, "ask", out, filepath.Join("testdata", "questions.tsv"))
	if code != 0 || strings.Count(said, "\n") != 13 {
		t.Errorf("%d\n%s", code, said)
	}
	code, said = run(t, "ask", "--k", "1", out, questions(t, "gpu memory\tdocs/gpu.html\nsynonyms\tREADME.html\n"))
	if code != cli.ExitFailed || !strings.HasPrefix(said, "1  gpu memory: docs/gpu.html#") || !strings.Contains(said, "\n-  synonyms: docs/") ||
		!strings.Contains(said, ", not README.html\n") || !strings.Contains(said, "1 of 2 questions not answered among the first 1") {
		t.Errorf("%d\n%s", code, said)
	}
}

// Flags and arguments that are wrong are bad usage, and broken links are named.
func TestMisuse(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "README.md"), []byte("# One\n\n[two](two.md)\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(folder, "out")
	for _, x := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"build", folder}, cli.ExitUsage, "--out is missing"},
		{[]string{"build", "--out", out}, cli.ExitUsage, "FOLDER is missing"},
		{[]string{"build", "--out", out, "--exclude", "[", folder}, cli.ExitUsage, "syntax error in pattern"},
		{[]string{"build", "--out", out, "--nav", "none.md", folder}, cli.ExitUsage, "there is no page none.md"},
		{[]string{"build", "--out", out, folder}, cli.ExitFailed, "1 broken link:\n  README.md:3: two.md: no such file\n"},
		{[]string{"ask", folder, questions(t, "rose\n")}, cli.ExitFailed, "line 1 has no tab"},
		{[]string{"ask", folder, questions(t, "rose\tREADME.html\n")}, cli.ExitOpen, ""},
	} {
		if code, said := run(t, x.args...); code != x.code || !strings.Contains(said, x.want) {
			t.Errorf("%v: %d, want %d\n%s", x.args, code, x.code, said)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}

// questions writes questions to a file and returns its name.
func questions(t *testing.T, text string) string {
	name := filepath.Join(t.TempDir(), "questions.tsv")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// run runs the command and returns its exit status and what it says.
func run(t *testing.T, args ...string) (code int, said string) {
	var b bytes.Buffer
	cmd := command()
	cmd.SetArgs(args)
	cmd.SetOut(&b)
	cmd.SetErr(&b)
	err := cli.Execute(t.Context(), cmd)
	return cli.ExitCode(err), b.String()
}
