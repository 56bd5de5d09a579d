package docs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// folder writes files and returns their folder.
func folder(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read returns the files of a site.
func read(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		relative, _ := filepath.Rel(dir, name)
		files[filepath.ToSlash(relative)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// roses returns the files of testdata/roses.txt, each below a line with its name.
func roses(t *testing.T) map[string]string {
	text, err := os.ReadFile(filepath.Join("testdata", "roses.txt"))
	if err != nil {
		t.Fatal(err)
	}
	files, name := map[string]string{}, ""
	for line := range strings.Lines(string(text)) {
		if n, ok := strings.CutPrefix(line, "-- "); ok {
			name = strings.TrimSuffix(n, " --\n")
			continue
		}
		files[name] += line
	}
	return files
}

func TestBuild(t *testing.T) {
	dir, out := folder(t, roses(t)), filepath.Join(t.TempDir(), "out")
	o := Options{Exclude: []string{"drafts"}, Search: "_search"}
	r, err := Build(t.Context(), dir, out, o)
	if err != nil {
		t.Fatal(err, r)
	}
	files := read(t, out)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{"_docs/docs.css", "_docs/docs.js", "_docs/files.txt", "_docs/icon.svg", "alone/index.html", "docs/a b.html", "docs/c.html",
		"docs/index.html", "docs/more/d.html", "docs/more/index.html", "docs/rose.png", "index.html"}
	if !slices.Equal(names, want) {
		t.Errorf("files %q, want %q", names, want)
	}
	if outside := []Link{{Page: "README.md", Line: 3, To: "main.go#L3"}}; r.Pages != 7 || r.Images != 1 || !reflect.DeepEqual(r.Outside, outside) || r.Written != len(want) {
		t.Errorf("%+v", r)
	}
	for name, parts := range map[string][]string{
		"index.html": {
			`<html lang="en">`, `<title>Roses</title>`, `<pinion-search></pinion-search>`,
			`<a href="docs/index.html">the guide</a>`, `<a href="docs/a%20b.html#2-how-its-done">A title</a>`, `<span>code</span>`, `<a href="docs/index.html">docs</a>`,
			`<a href="docs/c.html">root</a>`, `<a href="https://example.org/x.md">there</a>`, `<img src="docs/rose.png" alt="A rose"/>`,
			`<a href="https://example.org/badge.svg">badge</a> <a href="https://example.org/2.svg">example.org</a>`, `<a rel="next" href="docs/index.html">`,
		},
		"docs/a b.html": {
			`<title>A title · Roses</title>`, `<h2 id="2-how-its-done">`, `<h2 id="2-how-its-done-1">`, `<p><a href="#2-how-its-done-1">self</a> <a href="#1-one">one</a></p>`,
			`<li><a href="#1-one">1. One</a></li>`, `<script type="module" src="../_search/search.js">`, `<a class="site" href="../index.html">Roses</a>`,
			`<a href="a%20b.html" aria-current="page">Short</a>`, `<a rel="prev" href="c.html">`, `<a rel="next" href="../alone/index.html">`,
			"<details open>\n<summary>Cutting</summary>",
		},
		"docs/more/d.html": {`<h1 id="d">D</h1>`, `<title>D · Roses</title>`, `<h2 id="e">`},
		"docs/c.html":      {`<h1>Third</h1>`, `<a href="a%20b.html">A title</a>`},
		"docs/index.html":  {`<div class="table"><table>`, `<a href="c.html">Third</a>`, `<a href="../index.html#roses">up</a>`},
	} {
		for _, part := range parts {
			if !strings.Contains(files[name], part) {
				t.Errorf("%s is without %s\n%s", name, part, files[name])
			}
		}
	}
	if strings.Contains(files["docs/a b.html"], "alert") || strings.Contains(files["docs/a b.html"], "onclick") {
		t.Error("a script was kept")
	}

	again := filepath.Join(dir, "site") // in the folder itself, and again over what is there
	for range 2 {
		if r, err = Build(t.Context(), dir, again, o); err != nil {
			t.Fatal(err, r)
		}
	}
	if !reflect.DeepEqual(read(t, again), files) || r.Same != len(files) || r.Written != 0 {
		t.Errorf("another run gives other files: %+v", r)
	}
	o.Exclude, o.Source = append(o.Exclude, "docs/more"), "https://example.org/tree/"
	if r, err = Build(t.Context(), dir, again, o); err != nil || r.Removed != 2 {
		t.Errorf("%v, %+v", err, r)
	}
	if now := read(t, again); now["docs/more/d.html"] != "" || !strings.Contains(now["index.html"], `<a href="https://example.org/tree/main.go#L3">code</a>`) {
		t.Errorf("%q", now["index.html"])
	}
}

func TestNavigation(t *testing.T) {
	dir := folder(t, roses(t))
	for guide, want := range map[string]string{
		"":                "[ Roses Guide] [Growing Third] [Cutting Short] [Others Alone] [docs/more More D]",
		"alone/README.md": "[ Roses Alone] [docs Guide A title Third] [docs/more More D]",
	} {
		s := &site{options: Options{Navigation: guide, Exclude: []string{"drafts"}}}
		var err error
		if s.root, err = os.OpenRoot(dir); err != nil {
			t.Fatal(err)
		}
		defer s.root.Close()
		if err := s.collect(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if s.groups, err = s.navigation(); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, g := range s.groups {
			titles := []string{g.title}
			for _, e := range g.entries {
				titles = append(titles, e.title)
			}
			got = append(got, fmt.Sprint(titles))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("by %q: %s, want %s", guide, got, want)
		}
	}
}

func TestBroken(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.md": "# A\n\n[one](b.md#none) and [two](none.md)\n\n![three](none.png)\n[four](../x.md) [five](b.md)\n[six](%zz)\n",
		"b.md": "# B\n",
	})
	out := filepath.Join(t.TempDir(), "out")
	r, err := Build(t.Context(), dir, out, Options{})
	if !errors.Is(err, ErrBroken) {
		t.Fatal(err)
	}
	var got []string
	for _, l := range r.Broken {
		got = append(got, l.String())
	}
	want := []string{"a.md:3: b.md#none: no such heading in b.md", "a.md:3: none.md: no such file", "a.md:6: ../x.md: leads out of the folder",
		"a.md: %25zz: no such file", "a.md:5: none.png: no such file"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
	if _, err = Build(t.Context(), dir, out, Options{Broken: true}); err != nil {
		t.Fatal(err)
	}
	files := read(t, out)
	if !strings.Contains(files["a.html"], `<span>one</span> and <span>two</span>`) || !strings.Contains(files["a.html"], `<span>three</span>`) {
		t.Error(files["a.html"])
	}
	if !strings.Contains(files["index.html"], `content="0; url=a.html"`) {
		t.Error(files["index.html"])
	}
}

// What cannot be a site is refused, and files of others stay.
func TestRefused(t *testing.T) {
	others := folder(t, map[string]string{"precious.txt": "x"})
	if _, err := Build(t.Context(), folder(t, roses(t)), others, Options{Exclude: []string{"drafts"}}); !errors.Is(err, ErrInvalid) || len(read(t, others)) != 1 {
		t.Error(err)
	}
	for _, files := range []map[string]string{{}, {"a.md": "# A\n", "a.markdown": "# A\n"}} {
		if _, err := Build(t.Context(), folder(t, files), filepath.Join(t.TempDir(), "out"), Options{}); err == nil {
			t.Errorf("%v is a site", files)
		}
	}
}

func TestSlug(t *testing.T) {
	for text, want := range map[string]string{
		"What's new, in 0.7?":    "whats-new-in-07",
		"A – B / c_d":            "a--b--c_d",
		"--json":                 "--json",
		"Größe: 10 % (ungefähr)": "größe-10--ungefähr",
		"日本語 ok":                 "日本語-ok",
	} {
		if got := slug(text); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}
