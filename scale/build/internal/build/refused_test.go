package build

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/schema"
)

// gaps is an analyzer of words, of which one that begins with + is so many places behind the one before.
type gaps struct{}

func (gaps) Name() string                  { return "gaps" }
func (gaps) Options() string               { return "" }
func (gaps) Tokenizer() analysis.Tokenizer { return gaps{} }

func (gaps) Tokenize(dst *analysis.Tokens, text []byte) {
	for word := range bytes.FieldsSeq(text) {
		step := 1
		if word[0] == '+' {
			step, _ = strconv.Atoi(string(word))
		}
		dst.Add(analysis.Token{Term: word, Increment: step})
	}
}

// registered is why gaps cannot be registered.
var registered = analysis.Register("gaps", func(string) (analysis.Analyzer, error) { return gaps{}, nil })

// A document that the writer of a partition refuses after it has taken it fails the build, or is passed over as other bad ones
// are, also where it is the only one.
func TestRefusedLate(t *testing.T) {
	if registered != nil {
		t.Fatal(registered)
	}
	const far = `{"id": "far", "text": "a +2147483640 b c d e f g h i"}` + "\n"
	for _, test := range []struct {
		text string
		read int64
	}{{`{"id": "1", "text": "a b"}` + "\n" + far + `{"id": "2", "text": "c"}` + "\n", 2}, {far, 0}} {
		path := filepath.Join(t.TempDir(), "some.jsonl")
		if err := os.WriteFile(path, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		o := Options{Documents: exchange.DocumentOptions{Schema: &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Analyzer: "gaps", Positions: true}}}}}
		url := newURL(t)
		if _, err := Run(t.Context(), "prism", url, []string{path}, o); err == nil || exists(t, url) {
			t.Errorf("%v, and an index", err)
		}
		o.Skip = true
		r, err := Run(t.Context(), "prism", url, []string{path}, o)
		if err != nil || r != (Result{Read: test.read, Skipped: 1}) {
			t.Errorf("%+v, %v", r, err)
		}
	}
}
