package static

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/adapters/static/answer"
	"github.com/pinion-index/pinion/adapters/static/words"
)

// copySite copies testdata/site to a new folder.
func copySite(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/site")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func build(t *testing.T, dir string, o Options) *Report {
	t.Helper()
	r, err := Build(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// content returns the files below a folder with their checksums.
func content(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		files = append(files, fmt.Sprintf("%s %x", filepath.ToSlash(rel), sha256.Sum256(b)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestReport(t *testing.T) {
	dir := copySite(t)
	put(t, filepath.Join(dir, "tags", "x.html"), "x")
	var files int
	r := build(t, dir, Options{Exclude: []string{"tags"}, Progress: func(n int) { files = n }})
	if len(r.Languages) != 2 || r.Languages[0].Language != "de" || r.Languages[0].Pages != 1 || r.Languages[0].Sections != 2 ||
		r.Languages[1].Language != "en" || r.Languages[1].Pages != 3 || r.Languages[1].Sections != 9 || files != 8 {
		t.Errorf("%d files, %+v", files, r.Languages)
	}
	want := []Skipped{{"404.html", NotFound}, {"empty.html", NoText}, {"internal.html", NoIndex}, {"old/index.html", Redirect}}
	if !slices.Equal(r.Skipped, want) {
		t.Errorf("skipped %v, want %v", r.Skipped, want)
	}
	if r := build(t, dir, Options{Language: "fr", Exclude: []string{"tags/*.html"}}); len(r.Languages) != 1 || r.Languages[0].Pages != 4 || len(r.Skipped) != 5 || r.Removed == 0 {
		t.Errorf("%+v", r)
	}
	put(t, filepath.Join(dir, "marked.html"), "<p data-pinion-body>x")
	if r := build(t, dir, Options{}); len(r.Languages) != 1 || r.Languages[0].Language != "" || r.Languages[0].Pages != 1 {
		t.Errorf("%+v", r)
	}
}

// TestSameBytes builds twice, elsewhere, and again in place.
func TestSameBytes(t *testing.T) {
	a, b := copySite(t), copySite(t)
	build(t, a, Options{})
	before := runtime.GOMAXPROCS(1)
	first := build(t, b, Options{})
	runtime.GOMAXPROCS(before)
	if got, want := content(t, a), content(t, b); !slices.Equal(got, want) {
		t.Errorf("one build gives\n%s\nthe other\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	script, err := os.ReadFile(filepath.Join(a, DefaultOut, "search.js"))
	if err != nil || bytes.Contains(script, []byte("/* search.json */")) || !bytes.Contains(script, []byte(`"languages":`)) || bytes.Contains(script, []byte("import {")) {
		t.Errorf("search.js does not know what search.json says (%v)", err)
	}
	if r := build(t, b, Options{}); r.Written != 0 || r.Removed != 0 || r.Same != first.Written+first.Same {
		t.Errorf("the second run: %+v, after %+v", r, first)
	}
	// Another page changes the index of its language, of no other, and what names it: search.json and search.js.
	put(t, filepath.Join(b, "new.html"), "<html lang=en><main>new")
	put(t, filepath.Join(b, DefaultOut, "mine.txt"), "mine")
	if r := build(t, b, Options{}); r.Written != 6 || r.Removed != 1 {
		t.Errorf("with a new page: %+v", r)
	}
	put(t, filepath.Join(b, "new.html"), "")
	build(t, b, Options{})
	if err := os.Remove(filepath.Join(b, DefaultOut, "mine.txt")); err != nil {
		t.Error("a file of somebody else is gone:", err)
	}
	if err := os.Remove(filepath.Join(b, "new.html")); err != nil {
		t.Fatal(err)
	}
	if got, want := content(t, b), content(t, a); !slices.Equal(got, want) {
		t.Errorf("after a page came and went:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestInside holds that nothing outside the site is read or written.
func TestInside(t *testing.T) {
	outside := t.TempDir()
	put(t, filepath.Join(outside, "secret.html"), "<main>secret")
	dir := copySite(t)
	for link, to := range map[string]string{"page.html": filepath.Join(outside, "secret.html"), "folder": outside} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	if r := build(t, dir, Options{}); r.Languages[1].Pages != 3 || !slices.Contains(r.Skipped, Skipped{"folder", Link}) || !slices.Contains(r.Skipped, Skipped{"page.html", Link}) {
		t.Errorf("%+v", r)
	}
	for _, out := range []string{"../x", "..", "/x", ".", "a/../.."} {
		if _, err := Build(t.Context(), dir, Options{Out: out}); err == nil {
			t.Errorf("the output goes to %s", out)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), dir, Options{Out: "out/search"}); err == nil {
		t.Error("the output goes where a link leads")
	}
	if files := content(t, outside); len(files) != 1 {
		t.Errorf("outside are %v", files)
	}
}

func TestNothing(t *testing.T) {
	if _, err := Build(t.Context(), t.TempDir(), Options{}); err == nil {
		t.Error("a folder without pages has an index")
	}
	if _, err := Build(t.Context(), filepath.Join(t.TempDir(), "no"), Options{}); err == nil {
		t.Error("no folder has an index")
	}
	if _, err := Build(t.Context(), copySite(t), Options{Exclude: []string{"["}}); err == nil {
		t.Error("a pattern that is none is taken")
	}
}

func TestAddress(t *testing.T) {
	for _, tt := range []struct{ name, canonical, want string }{
		{"index.html", "", "./"},
		{"a/index.html", "https://x/a/", "a/"},
		{"a/b.html", "", "a/b.html"},
		{"a/b.html", "https://x/a/b.html", "a/b.html"},
		{"a/b.html", "https://x/sub/a/b", "a/b"},
		{"a/b.html", "https://x/a/b/", "a/b.html"},
		{"a/b.html", "https://x/%zz", "a/b.html"},
		{"javascript:alert(1).html", "", "javascript%3Aalert%281%29.html"},
		{"ä b?c#d.htm", "", "%C3%A4%20b%3Fc%23d.htm"},
	} {
		if got := address(tt.name, tt.canonical); got != tt.want {
			t.Errorf("%s with %s: %s, want %s", tt.name, tt.canonical, got, tt.want)
		}
	}
}

// TestSearch searches what was built, and verifies it.
func TestSearch(t *testing.T) {
	dir := filepath.Join(copySite(t), "sub")
	if err := os.CopyFS(dir, os.DirFS("../../testdata/site")); err != nil {
		t.Fatal(err)
	}
	build(t, dir, Options{})
	out := filepath.Join(dir, DefaultOut)
	for _, tt := range []struct{ language, query, want string }{
		{"", "wires", "guide/#sockets-and-wires reference ./#safety"},
		{"", "wire", "guide/#sockets-and-wires reference ./#safety"},
		{"", "blue to brown", "guide/#mounting"},
		{"", `"brown to blue"`, ""},
		{"", "configurat", "reference#configuration"},
		{"", "toml ", "reference#configuration"},
		{"", "secret", ""},
		{"", "buy", ""},
		{"", "menu ", ""},
		{"de", "lampe öffn", "de/#sicherheit"},
		{"de", "Handbücher ", "de/"},
	} {
		index, err := IndexOf(out, tt.language)
		if err != nil {
			t.Fatal(err)
		}
		a := ask(t, filepath.Join(out, index), tt.query)
		var urls []string
		for _, h := range a.Hits {
			urls = append(urls, h.URL)
		}
		if got := strings.Join(urls, " "); !a.Any && got != tt.want {
			t.Errorf("%q: %s, want %s", tt.query, got, tt.want)
		}
	}
	if _, err := IndexOf(out, "fr"); err == nil {
		t.Error("there is an index of pages in French")
	}
	if got := words.Primary("de-CH"); got != "de" {
		t.Error(got)
	}
}

func ask(t *testing.T, dir, query string) answer.Answer {
	t.Helper()
	s, err := answer.Open(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a, err := s.Search(query, 10)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestEncodings reads pages that begin with a byte order mark, declare another encoding, or are not what they say.
func TestEncodings(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "bom.html"), "\ufeff<!doctype html>\r\n<html lang=\"en\">\r\n<head><meta charset=\"utf-8\"><title>Guide</title></head>\r\n<body><main><h1>Install</h1><p>bomword</p></main></body></html>\r\n")
	put(t, filepath.Join(dir, "latin.html"), "<html lang=en><meta charset=iso-8859-1><title>Latin</title><p>M\xfcller\xdf")
	put(t, filepath.Join(dir, "wide.html"), "\xff\xfe<\x00p\x00>\x00\xfc\x00b\x00e\x00r\x00")
	put(t, filepath.Join(dir, "none.html"), "<html lang=en><p>caf\xe9")
	put(t, filepath.Join(dir, "wrong.html"), "<html lang=en><meta charset=shift_jis><p>\x93\xfa\xff")
	find := func(query string) string {
		t.Helper()
		index, err := IndexOf(filepath.Join(dir, DefaultOut), "")
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, h := range ask(t, filepath.Join(dir, DefaultOut, index), query).Hits {
			found = append(found, h.URL)
		}
		return strings.Join(found, " ")
	}
	r := build(t, dir, Options{})
	if !slices.Equal(r.Undecoded, []string{"none.html", "wrong.html"}) {
		t.Errorf("not decoded: %q", r.Undecoded)
	}
	for query, want := range map[string]string{"guide": "bom.html", "bomword": "bom.html", "Müllerß": "latin.html", "über": "wide.html", "日": "wrong.html"} {
		if got := find(query); got != want {
			t.Errorf("%s: %q, want %s", query, got, want)
		}
	}
	if p, err := os.ReadFile(filepath.Join(dir, DefaultOut, "search.json")); err != nil || bytes.Contains(p, []byte(`"": {`)) {
		t.Errorf("a language without pages: %s, %v", p, err)
	}
	if r = build(t, dir, Options{Encoding: "windows-1252"}); !slices.Equal(r.Undecoded, []string{"wrong.html"}) || find("café") != "none.html" || find("Müllerß") != "latin.html" {
		t.Errorf("with an encoding: %q", r.Undecoded)
	}
	if _, err := Build(t.Context(), dir, Options{Encoding: "latin-one"}); err == nil {
		t.Error("an unknown encoding is accepted")
	}
}

// TestWithoutLanguage joins pages that do not say their language with those of the language that most have.
func TestWithoutLanguage(t *testing.T) {
	for _, tt := range []struct {
		pages  []string // their languages
		main   string
		joined int
		of     map[string]int // pages by language
	}{
		{[]string{"en", "", "en-US", "de"}, "en", 1, map[string]int{"en": 3, "de": 1}},
		{[]string{"", "", "", "de", "en"}, "de", 3, map[string]int{"de": 4, "en": 1}},
		{[]string{"", ""}, "", 0, map[string]int{"": 2}},
		{[]string{"fr", "?!"}, "fr", 1, map[string]int{"fr": 2}},
	} {
		dir := t.TempDir()
		for i, l := range tt.pages {
			put(t, filepath.Join(dir, fmt.Sprint(i, ".html")), fmt.Sprintf("<html lang=%q><p>word", l))
		}
		got := map[string]int{}
		for _, l := range build(t, dir, Options{}).Languages {
			if got[l.Language] = l.Pages; l.Joined != 0 && l.Language != tt.main || l.Joined != tt.joined && l.Language == tt.main {
				t.Errorf("%q: %+v", tt.pages, l)
			}
		}
		if !maps.Equal(got, tt.of) {
			t.Errorf("%q: %v, want %v", tt.pages, got, tt.of)
		}
	}
}
