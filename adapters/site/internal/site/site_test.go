package site_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/adapters/site/internal/site"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

const token = "0123456789abcdef"

var shop = &schema.Schema{Fields: []schema.Field{
	{Name: "title", Kind: schema.Text, Stored: true}, {Name: "url", Kind: schema.Keyword, Stored: true},
	{Name: "text", Kind: schema.Text, Stored: true}, {Name: "brand", Kind: schema.Keyword, Column: true},
	{Name: "price", Kind: schema.Float, Column: true},
}}

// open returns a site in a new folder, closed at the end of the test.
func open(t testing.TB, o site.Options) *site.Site {
	t.Helper()
	s, err := site.Open(t.Context(), filepath.Join(t.TempDir(), "shop"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ask sends a request, with a token as a client's or a browser's, or without one.
func ask(s *site.Site, method, path, body, as string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "localhost"
	switch as {
	case "client":
		r.Header.Set("Authorization", "Bearer "+token)
	case "browser":
		r.SetBasicAuth("", token)
	}
	w := httptest.NewRecorder()
	s.Server().ServeHTTP(w, r)
	return w
}

// want asks for what must be answered with a status and a text.
func want(t *testing.T, s *site.Site, status int, text, method, path, body string) string {
	t.Helper()
	w := ask(s, method, path, body, "client")
	if w.Code != status || !strings.Contains(w.Body.String(), text) {
		t.Errorf("%s %s %s: %d %s, want %d %s", method, path, body, w.Code, w.Body, status, text)
	}
	return w.Body.String()
}

func secured() httpapi.Options { return httpapi.Options{Tokens: []string{token}} }

// What clients can do to an index with fields is found at once.
func TestSite(t *testing.T) {
	s := open(t, site.Options{Index: pinion.Options{Schema: shop}, HTTP: secured()})
	var docs strings.Builder
	for i := range 25 {
		fmt.Fprintf(&docs, `{"id": "p%d", "title": "Rose %d", "text": "a red rose", "brand": "b%d", "price": %d, "extra": 1}`+"\n", i, i, i%2, i)
	}
	want(t, s, 200, `{"added":25,"ignored":25}`, "POST", "/v1/docs", docs.String())
	want(t, s, 200, `"total":25`, "GET", "/v1/search?q=rose&facets=brand", "")
	want(t, s, 200, `"value":"b1","count":12`, "GET", "/v1/search?q=rose&facets=brand", "")
	want(t, s, 200, `{"term":"rose","df":25}`, "GET", "/v1/suggest?field=text&prefix=ro", "")
	want(t, s, 200, `{"added":1}`, "POST", "/v1/docs", `{"id": "p3", "title": "Tulip"}`) // replaces
	want(t, s, 200, `{"count":24}`, "GET", "/v1/count?q=rose", "")
	want(t, s, 204, "", "POST", "/v1/delete", `{"ids": ["p1", "p2", "none"]}`)
	want(t, s, 200, `{"count":22}`, "GET", "/v1/count?q=rose", "")
	want(t, s, 200, `{"deleted":5}`, "POST", "/v1/delete", `{"filter": "price >= 20"}`)
	want(t, s, 200, `{"count":17}`, "GET", "/v1/count?q=rose", "")
	want(t, s, 204, "", "POST", "/v1/set", `{"set": [{"id": "p5", "fields": {"price": 90071992}}, {"id": "p6", "fields": {"price": null}}, {"id": "none", "fields": {"price": 3}}]}`)
	want(t, s, 200, `{"count":1}`, "GET", "/v1/count?q=rose&filter=price%3D90071992", "")
	want(t, s, 200, `{"count":16}`, "GET", "/v1/count?q=rose&filter=price+%3E%3D+0", "")
	want(t, s, 200, "pinion_site_documents 18\n", "GET", "/metrics", "")
	want(t, s, 200, `"ok"`, "GET", "/readyz", "")
}

// What cannot be done says why, and changes nothing.
func TestSiteRefuses(t *testing.T) {
	o := secured()
	o.MaxBody = 200
	s := open(t, site.Options{Index: pinion.Options{Schema: shop}, HTTP: o})
	for _, tt := range []struct {
		status             int
		text, method, path string
		body               string
	}{
		{400, `"field":"line 2"`, "POST", "/v1/docs", `{"id": "a"}` + "\n" + `{"id": "b", "price": "x"}`},
		{400, "is missing", "POST", "/v1/docs", `{"title": "a"}`},
		{400, "no document", "POST", "/v1/docs", "\n"},
		{400, "broken JSON", "POST", "/v1/docs", `{"id": `},
		{413, "200 bytes", "POST", "/v1/docs", strings.Repeat(`{"id": "a"}`+"\n", 20)},
		{413, "200 bytes", "POST", "/v1/delete", `{"ids": ["` + strings.Repeat("a", 300) + `"]}`},
		{400, "either ids or filter", "POST", "/v1/delete", `{}`},
		{400, "either ids or filter", "POST", "/v1/delete", `{"ids": ["a"], "filter": "price > 1"}`},
		{400, "unknown field", "POST", "/v1/delete", `{"id": "a"}`},
		{400, "not UTF-8", "POST", "/v1/delete", "{\"ids\": [\"\xff\"]}"},
		{400, "behind the object", "POST", "/v1/delete", `{"ids": ["a"]} {}`},
		{400, "prize", "POST", "/v1/delete", `{"filter": "prize > 1"}`},
		{400, "cannot be changed in place", "POST", "/v1/set", `{"set": [{"id": "a", "fields": {"title": "x"}}]}`},
		{400, "no fields", "POST", "/v1/set", `{"set": [{"id": "a"}]}`},
		{400, "nothing was changed", "POST", "/v1/set", `{"set": [{"id": "a", "fields": {"price": "x"}}]}`},
		{400, "no folder", "POST", "/v1/backup", `{"name": "a"}`},
		{404, "no such path", "GET", "/v1/docs", ""},
	} {
		want(t, s, tt.status, tt.text, tt.method, tt.path, tt.body)
	}
	want(t, s, 200, `{"count":0}`, "GET", "/v1/count?q=*", "")
}

// Only the page is for browsers, and for all only if it is public.
func TestAccess(t *testing.T) {
	private, public := open(t, site.Options{HTTP: secured()}), open(t, site.Options{HTTP: secured(), Public: true})
	for _, tt := range []struct {
		method, path    string
		browser, nobody int // on a private site
		everybody       int // on a public one
	}{
		{"GET", "/", 200, 401, 200}, {"GET", "/doc?id=none", 404, 401, 404}, {"GET", "/style.css", 200, 200, 200}, {"GET", "/healthz", 200, 200, 200},
		{"GET", "/v1/search?q=a", 401, 401, 401}, {"GET", "/v1/backup", 401, 401, 401}, {"POST", "/v1/backup", 401, 401, 401},
		{"POST", "/v1/docs", 401, 401, 401}, {"POST", "/v1/delete", 401, 401, 401}, {"POST", "/v1/set", 401, 401, 401}, {"GET", "/metrics", 401, 401, 401},
	} {
		for _, x := range []struct {
			s    *site.Site
			as   string
			want int
		}{{private, "browser", tt.browser}, {private, "", tt.nobody}, {public, "", tt.everybody}} {
			if w := ask(x.s, tt.method, tt.path, `{"ids": ["a"]}`, x.as); w.Code != x.want {
				t.Errorf("%s %s as %q: %d, want %d: %s", tt.method, tt.path, x.as, w.Code, x.want, w.Body)
			}
		}
	}
}

// Both kinds of backup are indexes of all that was answered.
func TestBackup(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(filepath.Dir(folder))
	s := open(t, site.Options{HTTP: secured(), Backups: filepath.Base(folder)})
	t.Chdir(t.TempDir()) // the folder stays where it is
	for i := range 3 {
		want(t, s, 200, "", "POST", "/v1/docs", fmt.Sprintf(`{"id": "%d", "contents": "rose"}`, i))
	}
	want(t, s, 204, "", "POST", "/v1/delete", `{"ids": ["1"]}`)
	want(t, s, 200, `"files":`, "POST", "/v1/backup", `{"name": "first"}`)
	for _, name := range []string{"first", "../x", ".x", "", "a/b", `a\\b`} {
		if w := ask(s, "POST", "/v1/backup", `{"name": "`+name+`"}`, "client"); w.Code == 200 {
			t.Errorf("backup %q: %s", name, w.Body)
		}
	}
	sent := filepath.Join(t.TempDir(), "sent")
	if err := os.Mkdir(sent, 0o777); err != nil {
		t.Fatal(err)
	}
	files := tar.NewReader(bytes.NewReader(ask(s, "GET", "/v1/backup", "", "client").Body.Bytes()))
	for {
		h, err := files.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(files)
		if err = errors.Join(err, os.WriteFile(filepath.Join(sent, h.Name), data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	want(t, s, 200, "", "POST", "/v1/docs", `{"id": "later", "contents": "rose"}`)
	for _, dir := range []string{filepath.Join(folder, "first"), sent} {
		x, err := pinion.Open(t.Context(), dir, pinion.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := x.Search(t.Context(), pinion.Request{Query: query.Match{Text: "rose"}})
		if err != nil || len(p.Hits) != 2 || string(p.Hits[0].ID) != "0" || string(p.Hits[1].ID) != "2" {
			t.Errorf("%s: %v, %v", dir, p.Hits, err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Files are added in the forms that idxbuild reads.
func TestAddFile(t *testing.T) {
	s := open(t, site.Options{HTTP: secured()})
	path := filepath.Join(t.TempDir(), "docs.csv")
	if err := os.WriteFile(path, []byte("id,text\n1,a rose\n2,a thorn\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if r, err := s.AddFile(t.Context(), path); r.Added != 2 || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := s.AddFile(t.Context(), path+"x"); r.Added != 0 || err == nil {
		t.Errorf("a file that does not exist: %+v, %v", r, err)
	}
	var a httpapi.Response
	if err := json.Unmarshal([]byte(want(t, s, 200, "", "GET", "/v1/search?q=rose&passages", "")), &a); err != nil || len(a.Hits) != 1 || a.Hits[0].Passage.Text != "a rose" {
		t.Errorf("%+v, %v", a, err)
	}
}

// An index that does not fit the options is not opened, and is closed.
func TestOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	for _, o := range []site.Options{
		{HTTP: httpapi.Options{Tokens: []string{"short"}}},
		{HTTP: httpapi.Options{MaxK: -1}},
	} {
		if s, err := site.Open(t.Context(), dir, o); err == nil {
			s.Close()
			t.Errorf("opened with %+v", o)
		}
	}
	s, err := site.Open(t.Context(), dir, site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
