package idxinspect

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Terms of an index with a schema, and of one of its files, are those of a field.
func TestField(t *testing.T) {
	dir := t.TempDir()
	w, err := writer.Open(t.Context(), dir, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Stored: true}, {Name: "tag", Kind: schema.Keyword}}}})
	if err != nil {
		t.Fatal(err)
	}
	add := w.Add(t.Context(), writer.Doc{ID: []byte("1"), Values: []schema.Value{
		schema.TextValue(0, []byte("one two")), schema.KeywordValue(1, []byte("one"))}})
	if err := errors.Join(add, w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	file, _ := filepath.Glob(filepath.Join(dir, "segment-*"))
	for _, tt := range []struct {
		args string
		want string // of the output, or of the error
		ok   bool
	}{
		{"terms --field title INDEX", "one", true},
		{"terms --field title --from p INDEX", "two", true},
		{"terms --field tag INDEX", "one", true},
		{"list --field tag INDEX one", "1 posting", true},
		{"postings --field title INDEX two", " 2", true},
		{"blocks --field title INDEX two", "singleton", true},
		{"stats INDEX", "df", true},
		{"docs INDEX", " 2", true},
		{"docs INDEX 1", "title: one two", true},
		{"summary INDEX", "      1       0        0      1     21", true},
		{"sizes --codec bp128 --field title INDEX two", "kept in the dictionary", false},
		{"sizes --codec all INDEX", "3 shorter ones", true},
		{"stats --field title INDEX", "2 terms, 2 lists", true},
		{"stats --field tag INDEX", "1 term, 1 list", true},
		{"stats --field nope INDEX", "no field nope", false},
		{"diff INDEX INDEX", "hold the same", true},
		{"diff --by id INDEX INDEX", "hold the same", true},
		{"report --out - INDEX", "title: one", true},
		{"terms INDEX", "--field: title, tag", false},
		{"list INDEX one", "--field", false},
		{"list --field nope INDEX one", "no field nope", false},
		{"list --field tag INDEX two", "no term two", false},
	} {
		for _, path := range []string{dir, file[0]} {
			if path != dir && strings.HasPrefix(tt.args, "terms INDEX") {
				tt.want = "--field: tag, title" // in the order of the file
			}
			cmd := Command()
			var out bytes.Buffer
			cmd.SetOut(&out)
			cmd.SetErr(&out)
			cmd.SilenceUsage = true
			cmd.SetArgs(strings.Fields(strings.ReplaceAll(tt.args, "INDEX", path)))
			err := cmd.ExecuteContext(t.Context())
			got := out.String()
			if err != nil {
				got = err.Error()
			}
			if (err == nil) != tt.ok || !strings.Contains(got, tt.want) {
				t.Errorf("%s: %q, %v", tt.args, got, err)
			}
		}
	}
}
