package idxbench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// The queries of a log search all fields of text of an index with a schema, by every algorithm. Ways to intersect are not
// measured there.
func TestFields(t *testing.T) {
	dir := t.TempDir()
	index, log := filepath.Join(dir, "index"), filepath.Join(dir, "log.tsv")
	w, err := writer.Open(t.Context(), index, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Boost: 2}, {Name: "body", Kind: schema.Text, Lengths: schema.LengthsByte}, {Name: "tag", Kind: schema.Keyword}}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		err = errors.Join(err, w.Add(t.Context(), writer.Doc{ID: fmt.Append(nil, i), Values: []schema.Value{
			schema.TextValue(0, fmt.Appendf(nil, "salt %d", i%5)), schema.TextValue(1, fmt.Appendf(nil, "sea %d", i%7)), schema.KeywordValue(2, []byte("salt"))}}))
	}
	err = errors.Join(err, w.Commit(t.Context()), w.Close(), os.WriteFile(log, []byte("1\tsalt sea\n2\tnothing\n3\t4\n"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	out, err := (&queryFlags{index: index, queries: log, k: 100, repeats: 1, every: 1, modes: []string{"or"}, algos: []string{"all"}, own: query.DefaultParams()}).run(t.Context(), new(bytes.Buffer))
	if err != nil || len(out.Rows) < 3 || out.Queries != 3 {
		t.Fatalf("%v, %+v", err, out)
	}
	for _, r := range out.Rows {
		if r.Hits != 30+9 { // of 6 titles and 4 bodies, one document has both
			t.Errorf("%s: %d hits", r.Algorithm, r.Hits)
		}
	}
	var stderr bytes.Buffer
	cmd := Command()
	cmd.SetOut(&stderr)
	cmd.SetErr(&stderr)
	cmd.SetArgs([]string{"gpu", "--index", index, "--queries", log, "--strategy", "probe"})
	if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "documents of one text") {
		t.Errorf("ways to intersect: %v", err)
	}
}
