package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
)

// Flags and arguments that are wrong are bad usage, and nothing is written.
func TestMisuse(t *testing.T) {
	site := t.TempDir()
	if err := os.WriteFile(filepath.Join(site, "index.html"), []byte("<title>One</title><main>rose</main>"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"build"}, cli.ExitUsage, "SITE is missing"},
		{[]string{"build", site, "more"}, cli.ExitUsage, "unexpected argument"},
		{[]string{"build", site, "--out", "../x"}, cli.ExitUsage, "a folder below that of the site"},
		{[]string{"build", site, "--encoding", "klingon"}, cli.ExitUsage, "unknown encoding"},
		{[]string{"build", site, "--exclude", "["}, cli.ExitUsage, "syntax error in pattern"},
		{[]string{"build", site, "--language", "4"}, cli.ExitUsage, `"4" is no language, as de and pt-BR are`},
		{[]string{"build", filepath.Join(site, "none")}, cli.ExitFailed, "none"},
		{[]string{"search", site}, cli.ExitUsage, "WORD... is missing"},
		{[]string{"search", site, "rose"}, cli.ExitOpen, ""},
		{[]string{"search", site, "rose", "--k", "0"}, cli.ExitUsage, "--k"},
	} {
		var said bytes.Buffer
		cmd := command()
		cmd.SetArgs(x.args)
		cmd.SetOut(&said)
		cmd.SetErr(&said)
		err := cli.Execute(t.Context(), cmd)
		if cli.ExitCode(err) != x.code || !strings.Contains(said.String(), x.want) {
			t.Errorf("%v: %v (%d, want %d)\n%s", x.args, err, cli.ExitCode(err), x.code, said.String())
		}
	}
	if all, err := os.ReadDir(site); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}
