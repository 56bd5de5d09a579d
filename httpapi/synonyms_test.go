package httpapi_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// TestSynonyms holds which set counts for which request, also after another has taken its place, and that one that is not there is refused.
func TestSynonyms(t *testing.T) {
	x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: schema.Text, Stored: true, Positions: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for id, title := range map[string]string{"usb": "usb stick", "pen": "a pendrive", "tv": "tv set", "tele": "television"} {
		if err := x.Add(t.Context(), pinion.Doc{ID: id, Fields: map[string]any{"title": title}}); err != nil {
			t.Fatal(err)
		}
	}
	parse := func(text string) *query.Synonyms {
		s, err := query.ParseSynonyms(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var usual atomic.Pointer[query.Synonyms]
	usual.Store(parse("usb stick, pendrive"))
	screens := parse("tv, television")
	server, err := httpapi.New(httpapi.OfIndex(x), httpapi.Options{Synonyms: func(name string) *query.Synonyms {
		switch name {
		case "":
			return usual.Load()
		case "screens":
			return screens
		case "none":
			return new(query.Synonyms)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(h http.Handler, route, q, set string) string {
		w := httptest.NewRecorder()
		v := url.Values{"q": {q}}
		if set != "" {
			v.Set("synonyms", set)
		}
		r := httptest.NewRequest(http.MethodGet, "http://localhost"+route+"?"+v.Encode(), nil)
		h.ServeHTTP(w, r)
		body, _ := io.ReadAll(w.Result().Body)
		return string(body)
	}
	for _, c := range []struct {
		q, set string
		hits   int
	}{{"pendrive", "", 2}, {"usb stick", "", 2}, {"pendrive", "none", 1}, {"pendrive", "screens", 1}, {"tv", "", 1}, {"tv", "screens", 2}} {
		if a := ask(server, "/v1/search", c.q, c.set); strings.Count(a, `"id"`) != c.hits {
			t.Errorf("%q with %q: %s, want %d hits", c.q, c.set, a, c.hits)
		}
		if a := ask(server, "/v1/count", c.q, c.set); a != `{"count":`+string(rune('0'+c.hits))+"}\n" {
			t.Errorf("%q with %q: %s, want %d", c.q, c.set, a, c.hits)
		}
	}
	usual.Store(parse("tv, television"))
	if a := ask(server, "/v1/count", "tv", ""); a != "{\"count\":2}\n" {
		t.Errorf("by another set: %s", a)
	}
	plain, err := httpapi.New(httpapi.OfIndex(x), httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, route := range []string{"/v1/search", "/v1/count"} {
		for _, s := range []*httpapi.Server{server, plain} {
			if a := ask(s, route, "tv", "others"); !strings.Contains(a, `"field":"synonyms"`) || !strings.Contains(a, `there is no set \"others\" of synonyms here`) {
				t.Errorf("%s: %s", route, a)
			}
		}
	}
	if _, err := (&httpapi.Request{Query: "a", Synonyms: "screens"}).Search(schema.Implicit("", "", false)); err == nil {
		t.Error("the name of a set is taken where there are none")
	}
	if _, err := httpapi.New(noSets{}, httpapi.Options{Synonyms: func(string) *query.Synonyms { return nil }}); !errors.Is(err, httpapi.ErrInvalid) {
		t.Error(err)
	}
}

type noSets struct{ httpapi.Backend }
