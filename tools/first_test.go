package tools_test

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/serve"
	"github.com/pinion-index/pinion/writer"
)

// TestFirstBuild runs every command that reads an index on one whose first build has not
// committed. All say so; none takes it for an index without documents.
func TestFirstBuild(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "q.tsv", "1\tone\n")
	write(t, "v.json", "[1, 2]\n")
	w, err := writer.Open(t.Context(), "i.idx", writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(t.Context(), writer.Text([]byte("a"), []byte("one two"))); err != nil {
		t.Fatal(err)
	}
	const says = "i.idx: nothing has been committed yet: its first build is at work, or ended early"
	lines := map[string]string{
		"idxquery":             "--index i.idx one",
		"idxmerge":             "--in-place i.idx",
		"idxbench decode":      "--index i.idx",
		"idxbench intersect":   "--index i.idx --queries q.tsv",
		"idxbench load":        "--index i.idx --queries q.tsv",
		"idxbench nearest":     "--index i.idx --field v --queries v.json",
		"idxbench open":        "--index i.idx",
		"idxbench query":       "--index i.idx --queries q.tsv",
		"idxinspect backup":    "i.idx copy.idx",
		"idxinspect codecs":    "i.idx",
		"idxinspect diff":      "i.idx i.idx",
		"idxinspect docs":      "i.idx",
		"idxinspect explain":   "i.idx a one",
		"idxinspect export":    "--out x.ciff i.idx",
		"idxinspect gpu-plan":  "--queries q.tsv i.idx",
		"idxinspect hexdump":   "--term one i.idx",
		"idxinspect linearity": "i.idx",
		"idxinspect blocks":    "i.idx one",
		"idxinspect list":      "i.idx one",
		"idxinspect postings":  "i.idx one",
		"idxinspect positions": "i.idx one a",
		"idxinspect report":    "--out x.html i.idx",
		"idxinspect residency": "i.idx",
		"idxinspect columns":   "i.idx",
		"idxinspect sections":  "i.idx",
		"idxinspect sizes":     "i.idx",
		"idxinspect stats":     "i.idx",
		"idxinspect summary":   "i.idx",
		"idxinspect terms":     "i.idx",
	}
	// These look at files, not at what the index holds; read no index; or are tried below.
	others := "idxbuild idxbench idxinspect repair verify serve completion help build eval gpu paper synth vectors records calibrate steps"
	eachCommand(func(c *cobra.Command) {
		args, ok := lines[c.CommandPath()]
		if !ok {
			if !strings.Contains(" "+others+" ", " "+c.Name()+" ") && !strings.Contains(c.CommandPath(), "completion") {
				t.Errorf("%s: add it to this test", c.CommandPath())
			}
			return
		}
		line := c.CommandPath() + " " + args
		if code, out, msg := execute(t, strings.Fields(line)...); code != cli.ExitOpen || out != "" || !strings.Contains(msg, says) {
			t.Errorf("%s: exit code %d, %q, %q", line, code, out, msg)
		}
	})
	for _, line := range []string{"idxmerge --out o.idx i.idx", "idxmerge --salvage --out o.idx i.idx"} {
		if code, _, msg := execute(t, strings.Fields(line)...); code != cli.ExitOpen || !strings.Contains(msg, says) {
			t.Errorf("%s: exit code %d, %q", line, code, msg)
		}
	}
	for _, name := range []string{"o.idx", "copy.idx", "x.ciff", "x.html"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s was made", name)
		}
	}

	s, err := serve.New(serve.Options{Index: "i.idx", Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	page, ask := httptest.NewRecorder(), httptest.NewRequest("GET", s.Path(), nil)
	ask.Host = "localhost"
	s.ServeHTTP(page, ask)
	if !strings.Contains(page.Body.String(), says) {
		t.Errorf("serve: status %d, %s", page.Code, page.Body)
	}

	// A build that ends without a document has committed.
	write(t, "empty.tsv", "")
	if code, _, msg := execute(t, "idxbuild", "--out", "empty.idx", "--format", "tsv", "empty.tsv"); code != 0 {
		t.Error(msg)
	}
	if code, out, msg := execute(t, "idxquery", "--index", "empty.idx", "one"); code != 0 || !strings.Contains(out, "no documents match") {
		t.Errorf("no documents: exit code %d, %q, %q", code, out, msg)
	}

	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if code, out, msg := execute(t, "idxinspect", "summary", "i.idx"); code != 0 || !strings.Contains(out, "commit") {
		t.Errorf("after: exit code %d, %q, %q", code, out, msg)
	}
}
