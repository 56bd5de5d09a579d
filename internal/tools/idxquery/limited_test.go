package idxquery

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/writer"
)

// A word with edits that stands for too many terms is answered, and standard error and JSON say what of it counts.
func TestLimited(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	w, err := writer.Open(t.Context(), dir, writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for _, a := range "abcdefghijklmnopqrstuvwxyz0123456789" {
		for _, b := range "abcdefghijklmnopqrstuvwxyz0123456789" {
			text = fmt.Appendf(text, " w%c%cd", a, b) // 1,296, all within two edits of word
		}
	}
	if err := w.Add(t.Context(), writer.Text([]byte("d"), text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const said = `fuzzy "word" stands for more than 1,024 terms: only the closest count`
	for _, args := range [][]string{{"word~2"}, {"--json", "word~2"}, {"word~"}} {
		var out, stderr bytes.Buffer
		cmd := Command()
		cmd.SetArgs(append([]string{dir, "--syntax"}, args...))
		cmd.SetOut(&out)
		cmd.SetErr(&stderr)
		if err := cli.Execute(context.Background(), cmd); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		if got, want := strings.Contains(stderr.String(), said), args[len(args)-1] == "word~2"; got != want {
			t.Errorf("%v: standard error is %q", args, stderr.String())
		}
		if args[0] == "--json" && !strings.Contains(out.String(), `"limited": [`) {
			t.Errorf("%v: %s", args, out.String())
		}
	}
}
