package idxbuild

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/analysis"
)

// gaps is an analyzer of words, of which one that begins with + is so many places behind the one before.
type gaps struct{}

func (gaps) Name() string    { return "gaps" }
func (gaps) Options() string { return "" }

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

// A document that the writer refuses after it has taken it is one bad document, like those that cannot be read: it is named and counted,
// and --on-error skip passes over it.
func TestRefusedLate(t *testing.T) {
	if registered != nil {
		t.Fatal(registered)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	far := func(id string) string { return `{"id": "` + id + `", "text": "a +2147483640 b c d e f g h i"}` + "\n" }
	run := func(out string, args ...string) (*Report, string, error) {
		var stderr bytes.Buffer
		r, err := Build(t.Context(), &stderr, append([]string{"--out", filepath.Join(dir, out), "--field", "text:gaps:positions"}, args...))
		return r, stderr.String(), err
	}
	some := write("some.jsonl", `{"id": "one", "text": "a b"}`+"\n"+far("far")+`{"id": "two", "text": "b c"}`+"\n")
	_, _, err := run("fail.idx", some)
	if err == nil || !strings.Contains(err.Error(), `"far"`) || !strings.Contains(err.Error(), "nothing was added; --on-error skip passes over bad documents") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "fail.idx")); !os.IsNotExist(err) {
		t.Errorf("an index is left: %v", err)
	}
	r, stderr, err := run("skip.idx", "--on-error", "skip", some)
	if err != nil || r.Added != 2 || r.Skipped != 1 || r.Live != 2 || r.Replaced != 0 || strings.Count(stderr, `skipped: `) != 1 || !strings.Contains(stderr, `"far"`) {
		t.Errorf("%v, %+v, %s", err, r, stderr)
	}
	if r, _, err = run("skip.idx", "--on-error", "skip", some); err != nil || r.Added != 2 || r.Replaced != 2 || r.Live != 2 {
		t.Errorf("again: %v, %+v", err, r)
	}
	if _, _, err = run("all.idx", "--on-error", "skip", write("all.jsonl", far("x")+far("y"))); err == nil || !strings.Contains(err.Error(), "every document was skipped") {
		t.Errorf("all are bad: %v", err)
	}
	var many strings.Builder
	many.WriteString(`{"id": "one", "text": "a b"}` + "\n")
	for i := range 2 * maxShown {
		many.WriteString(far(fmt.Sprint("far", i)))
	}
	r, stderr, err = run("many.idx", "--on-error", "skip", write("many.jsonl", many.String()))
	if err != nil || r.Added != 1 || r.Skipped != 2*maxShown || strings.Count(stderr, "skipped: ") != maxShown+1 || !strings.Contains(stderr, "more, which are not shown") {
		t.Errorf("%v, %+v, %s", err, r, stderr)
	}
}
