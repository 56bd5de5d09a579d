package answer_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/host"

	"github.com/pinion-index/pinion/adapters/static/answer"
	"github.com/pinion-index/pinion/adapters/static/internal/static"
)

// index builds a site of some hundred pages, and returns the folder of its index.
func index(t testing.TB) string {
	t.Helper()
	site := t.TempDir()
	for p := range 200 {
		var b strings.Builder
		fmt.Fprintf(&b, "<html lang=en><title>Page %d of lamps</title><main>", p)
		for s := range 5 {
			fmt.Fprintf(&b, "<h2 id=s%d>Section number%d</h2><p>word%d runs to word%d and nX%dY common.term%d", s, s, p%7, s*p%11, p, p%3)
		}
		if err := os.WriteFile(filepath.Join(site, fmt.Sprintf("p%03d.html", p)), []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err := static.Build(context.Background(), site, static.Options{Program: func(context.Context, bool) (static.Program, error) { return static.Program{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(site, static.DefaultOut)
	name, err := static.IndexOf(out, "")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(out, name)
}

func open(t testing.TB, src reader.Source) *answer.Searcher {
	t.Helper()
	index, err := reader.Open(t.Context(), src, reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := answer.Open(index)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestPlaces holds the answers behind a web server, as a browser has them, against those of the folder, and against the best section of
// each page that the engine finds without this package.
func TestPlaces(t *testing.T) {
	dir := index(t)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	files, err := host.OpenCommit(t.Context(), server.URL, 1)
	if err != nil {
		t.Fatal(err)
	}
	local, far := open(t, reader.FromFS(os.DirFS(dir))), open(t, files)
	for _, text := range []string{"word3", "word3 word5 ", "lamps runn", "running lamp ", `"word3 runs"`, "n3y", "nX12Y ", "term2 section", "number4 absent ", "absent ", "common.te", "x"} {
		want, err := local.Search(t.Context(), text, 10)
		if err != nil {
			t.Fatal(err)
		}
		got, err := far.Search(t.Context(), text, 10)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v (%v), want %v", text, got, err, want)
		}
		if found := len(want.Hits); (found == 0) != (text == "absent " || text == "x" || text == "n3y") || want.Any != strings.Contains(text, "r4 absent") {
			t.Errorf("%q: %+v", text, want)
		}
	}
	all(t, dir, local)
}

// all compares all hits for two words with the best of each page among those of a searcher of package query.
func all(t *testing.T, dir string, s *answer.Searcher) {
	x, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snapshot, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	q, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	r, err := q.Search(t.Context(), search.Query{Node: query.Match{Text: "word3 word5", Mode: query.ModeAnd}, K: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	seen := map[string]bool{}
	for _, h := range r.Hits {
		id, err := snapshot.AppendID(nil, h.Doc)
		if err != nil {
			t.Fatal(err)
		}
		if page, _, _ := strings.Cut(string(id), "#"); !seen[page] {
			seen[page] = true
			want = append(want, fmt.Sprintf("%s %x", id, h.Score))
		}
	}
	a, err := s.Search(t.Context(), "word3 word5 ", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range a.Hits {
		got = append(got, fmt.Sprintf("%s %x", h.URL, h.Score))
	}
	if len(want) < 10 || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestShown looks at what is shown of a hit.
func TestShown(t *testing.T) {
	s := open(t, reader.FromFS(os.DirFS(index(t))))
	a, err := s.Search(t.Context(), "lamp number2 runs 17 ", 1)
	if err != nil || len(a.Hits) != 1 {
		t.Fatal(a, err)
	}
	h := a.Hits[0]
	h.Score = 0
	want := answer.Hit{
		URL: "p017.html#s2", Title: []string{"Page ", "17", " of ", "lamps", ""}, Heading: []string{"Section ", "number2", ""},
		Text: []string{"word3 ", "runs", " to word1 and nX17Y common.term2"},
	}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("%+v, want %+v", h, want)
	}
}

// FuzzSearch types anything.
func FuzzSearch(f *testing.F) {
	s := open(f, reader.FromFS(os.DirFS(index(f))))
	for _, text := range []string{"", "word3 runs", `"word3 runs" "`, "common.", "a.b.c.d", "*?~^:()[]{}", "\xff", strings.Repeat("a b ", 300)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := s.Search(t.Context(), text, 3)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, h := range a.Hits {
			if h.URL == "" || len(h.Title)%2 != 1 || len(h.Text)%2 != 1 {
				t.Errorf("%q: %+v", text, h)
			}
		}
	})
}
