package site_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/adapters/site/internal/site"
)

// put writes a file in a folder.
func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Files of an owner replace built-in ones, with everything escaped all the same.
func TestTemplates(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "look")
	if err := site.WriteTemplates(dir); err != nil {
		t.Fatal(err)
	}
	if err := site.WriteTemplates(dir); err == nil || !strings.Contains(err.Error(), "document.html") {
		t.Errorf("over what is there: %v", err)
	}
	if s := open(t, site.Options{HTTP: secured(), Templates: dir}); !strings.Contains(see(t, s, "/", 200), `data-suggest="suggest"`) {
		t.Error("what was written is not the built-in page")
	}
	own := t.TempDir()
	put(t, own, "footer.html", `<footer title="{{.Query}}">Ours: {{.Query}} {{len .Hits}}</footer>`)
	put(t, own, "style.css", "body { color: red }")
	put(t, own, ".git", "")
	put(t, own, "page.html~", "{{")
	s := open(t, site.Options{HTTP: secured(), Templates: own})
	want(t, s, 200, "", "POST", "/v1/docs", `{"id": "a", "contents": "rose"}`)
	has(t, "/", see(t, s, `/?q=rose+"><script>alert(1)</script>`, 200), "Ours: rose &#34;&gt;&lt;script&gt;", " 1</footer>", "!<script>", `role="search"`)
	if w := ask(s, "GET", "/style.css", "", ""); w.Body.String() != "body { color: red }" {
		t.Errorf("style: %s", w.Body)
	}
}

// What is wrong in a template is said with the file and the line, before the index is opened.
func TestTemplateErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"footer.html", "a\nb\n{{if}}", "footer.html:3: "},
		{"footer.html", "a\n{{.Nope}}", "footer.html:2: executing"},
		{"results.html", "a\n\n{{range .Hits}}\n{{.Nope}}{{end}}", "results.html:4: "},
		{"none.html", "{{.Ways.Nope}}", "none.html:1: "},
		{"document.html", "\n{{template \"nope.html\"}}", "nope.html"},
		{"start.html", "\n<a href='{{if .Total}}x{{else}}y\">{{end}}", "start.html: built-in page.html:"},
		{"page.html", "{{end}}", "page.html:1: "},
		{"heder.html", "x", "heder.html: it replaces nothing"},
	} {
		dir, index := t.TempDir(), filepath.Join(t.TempDir(), "x")
		put(t, dir, tt.name, tt.text)
		_, err := site.Open(t.Context(), index, site.Options{Templates: dir})
		if err == nil || !errors.Is(err, site.ErrTemplate) || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), dir) {
			t.Errorf("%s %q: %v", tt.name, tt.text, err)
		}
		if _, err := os.Stat(index); err == nil {
			t.Errorf("%s: an index was made", tt.name)
		}
	}
	if _, err := site.Open(t.Context(), filepath.Join(t.TempDir(), "x"), site.Options{Templates: filepath.Join(t.TempDir(), "none")}); !errors.Is(err, site.ErrTemplate) {
		t.Errorf("no folder: %v", err)
	}
}
