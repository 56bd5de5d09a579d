package idxquery

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// A word with edits that stands for too many terms is answered, and standard error and JSON say what of it counts.
func TestLimited(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text, Analyzer: "standard"}, {Name: "emb", Kind: schema.Vector, Dims: 2},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for _, a := range "abcdefghijklmnopqrstuvwxyz0123456789" {
		for _, b := range "abcdefghijklmnopqrstuvwxyz0123456789" {
			text = fmt.Appendf(text, " w%c%cd", a, b) // 1,296, all within two edits of word
		}
	}
	if err := w.Add(t.Context(), writer.Doc{ID: []byte("d"), Values: []schema.Value{schema.TextValue(0, text), schema.VectorValue(1, []float32{1, 0})}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const said = `fuzzy "word" stands for more than 1,024 terms: only the closest count`
	for _, args := range [][]string{{"word~2"}, {"--json", "word~2"}, {"word~"}, {"--nearest", "emb", "--vector", "[1, 0]", "word~2"},
		{"--json", "--nearest", "emb", "--vector", "[1, 0]", "--fuse", "word~2"}} {
		var out, stderr bytes.Buffer
		cmd := Command()
		cmd.SetArgs(append([]string{dir, "--syntax"}, args...))
		cmd.SetOut(&out)
		cmd.SetErr(&stderr)
		if err := cli.Execute(context.Background(), cmd); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		want := 0
		if args[len(args)-1] == "word~2" {
			want = 1
		}
		if got := strings.Count(stderr.String(), said); got != want {
			t.Errorf("%v: standard error is %q", args, stderr.String())
		}
		if args[0] == "--json" && !strings.Contains(out.String(), `"limited": [`) {
			t.Errorf("%v: %s", args, out.String())
		}
	}
}
