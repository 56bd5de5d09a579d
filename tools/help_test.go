package tools_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/idxbench"
	"github.com/pinion-index/pinion/internal/tools/idxbuild"
	"github.com/pinion-index/pinion/internal/tools/idxinspect"
	"github.com/pinion-index/pinion/internal/tools/idxmerge"
	"github.com/pinion-index/pinion/internal/tools/idxquery"
)

func commands() []*cobra.Command {
	return []*cobra.Command{idxbench.Command(), idxbuild.Command(), idxinspect.Command(), idxmerge.Command(), idxquery.Command()}
}

// TestHelp checks that the help of every command has two examples and fits 80 columns.
func TestHelp(t *testing.T) {
	for _, root := range commands() {
		checkHelp(t, root, nil)
	}
}

func checkHelp(t *testing.T, root *cobra.Command, path []string) {
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs(append(path, "--help"))
	name := strings.Join(append([]string{root.Name()}, path...), " ")
	if err := cli.Execute(t.Context(), root); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > 80 {
			t.Errorf("%s: %d columns: %s", name, utf8.RuneCountInString(line), line)
		}
	}
	cmd, _, err := root.Find(path)
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	for line := range strings.Lines(cmd.Example) {
		if strings.Contains(line, name+" ") {
			examples++
		}
	}
	if examples < 2 && cmd.Name() != "help" {
		t.Errorf("%s: %d examples, two are wanted", name, examples)
	}
	for _, sub := range cmd.Commands() {
		if sub.Name() == "completion" || sub.Hidden {
			continue // cobra's own, or only says what took its place
		}
		checkHelp(t, root, append(path[:len(path):len(path)], sub.Name()))
	}
}

// TestManPages checks that there is a page for every command.
func TestManPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	for _, root := range commands() {
		if err := cli.ManPages(root, dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"idxbuild", "idxquery", "idxmerge", "idxbench-decode", "idxinspect", "idxinspect-verify"} {
		page, err := os.ReadFile(filepath.Join(dir, name+".1"))
		if err != nil || !bytes.Contains(page, []byte(".SH EXAMPLE")) {
			t.Errorf("%s: %v, %d bytes", name, err, len(page))
		}
	}
}
