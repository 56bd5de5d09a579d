package idxquery

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Queries over an index with a schema search all fields of text, or that of --field, and traces name the fields.
func TestField(t *testing.T) {
	index := t.TempDir()
	w, err := writer.Open(t.Context(), index, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, K1: 2, Stored: true}, {Name: "body", Kind: schema.Text, Stored: true}, {Name: "tag", Kind: schema.Keyword, Stored: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range [][3]string{{"salt salt", "the sea", "dead sea"}, {"light", "salt and light", "hill"}, {"sea", "a lake", "hill"}} {
		d := writer.Doc{ID: fmt.Appendf(nil, "doc%d", i), Values: []schema.Value{
			schema.TextValue(0, []byte(v[0])), schema.TextValue(1, []byte(v[1])), schema.KeywordValue(2, []byte(v[2]))}}
		if err := w.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		cmd := Command()
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		cmd.SetArgs(append([]string{index}, args...))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		err := cmd.ExecuteContext(t.Context())
		return out.String(), err
	}
	for _, c := range []struct {
		args  string
		says  []string
		lacks string
	}{
		{"salt", []string{"doc0", "doc1"}, "doc2"},
		{"--field|title|salt", []string{"doc0"}, "doc1"},
		{"--field|body|--mode|and|salt light", []string{"doc1"}, "doc0"},
		{"--mode|and|salt light", []string{"doc1"}, "doc0"},
		{"--field|tag|dead sea", []string{"doc0"}, "doc1"},
		{"--field|tag|sea", []string{"does not have tag:sea"}, "doc0"},
		{"--field|body|--trace|salt", []string{"body:salt"}, "title"},
		{"--json|--trace|salt", []string{`"field": "title"`, `"body:salt"`}, "no_terms"},
		{"--run|-|--field|title|sea", []string{"doc2"}, "doc0"},
		{"...", []string{"no terms"}, "doc0"},
		{"--field|body|salt", []string{"doc1", "salt and light"}, "hill"},
		{"--field|body|--json|salt", []string{`"text": "title: light\nbody: salt and light\ntag: hill\n"`}, "doc0"},
		{"--field|body|--threads|2|salt", []string{"doc1"}, "doc0"},
	} {
		out, err := run(strings.Split(c.args, "|")...)
		if err != nil || strings.Contains(out, c.lacks) {
			t.Errorf("%s: %v\n%s", c.args, err, out)
		}
		for _, want := range c.says {
			if !strings.Contains(out, want) {
				t.Errorf("%s does not say %q:\n%s", c.args, want, out)
			}
		}
	}
	for args, want := range map[string]string{
		"--field|author|salt":     `no field "author", but body, tag, title`,
		"--mode|and-or|salt|salt": "over the fields body, title",
	} {
		if out, err := run(strings.Split(args, "|")...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\n%s", args, err, out)
		}
	}
	// A parameter that is not given is the schema's.
	byDefault, _ := run("--field", "title", "salt")
	same, _ := run("--field", "title", "--k1", "2", "salt")
	if other, _ := run("--field", "title", "--k1", "1.2", "salt"); byDefault != same || byDefault == other {
		t.Errorf("k1 of the schema, the same, and another:\n%s%s%s", byDefault, same, other)
	}
}
