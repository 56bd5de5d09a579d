package httpapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
)

// fusedHits returns hits as ids with scores, the ranks in lists, and what a Rescore gave.
func fusedHits(a httpapi.Response) string {
	var all []string
	for _, h := range a.Hits {
		text := fmt.Sprintf("%s %.3g", h.ID, h.Score)
		for _, l := range h.Lists {
			text += fmt.Sprint(" ", l.Rank)
		}
		if h.Rescored != 0 {
			text += fmt.Sprintf(" +%v", h.Rescored)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// TestFuse fuses lists and rescores hits, by a body, by a URL, in a batch and counted. Documents are d0 to d3 with the texts "text 0" to
// "text 3", tenants t0 and t1 by turns, and the vectors (1, 2), (3, -1), (0, 0) and (-5, 2).
func TestFuse(t *testing.T) {
	s := placed(t)
	const nearest = `{"nearest": {"field": "v", "vector": [1, 0]}}`
	for _, c := range []struct {
		fuse, rescore, rest, want string
		count                     int
	}{
		{fuse: `{"lists": [{"q": "2"}, ` + nearest + `], "rank_constant": 1}`, want: "d2 0.75 1 3, d1 0.5 0 1, d0 0.333 0 2, d3 0.2 0 4", count: 4},
		{fuse: `{"lists": [{"text": "1 2", "weight": 3}, {"nearest": {"field": "v", "vector": [1, 0], "k": 1}}], "rank_constant": 0}`, want: "d1 4 1 1, d2 1.5 2 0", count: 2},
		{fuse: `{"lists": [` + nearest + `, {"q": "2"}], "rank_constant": 1}`, rest: `"collapse": "tenant"`, want: "d2 0.75 3 1, d1 0.5 1 0", count: 4},
		{fuse: `{"lists": [` + nearest + `], "by": "scores"}`, want: "d1 1 1, d0 0.478 2, d2 0.217 3, d3 0 4", count: 4},
		{fuse: `{"lists": [` + strings.Replace(nearest, "}}", `}, "k": 2}`, 1) + `], "by": "scores"}`, want: "d1 1 1, d0 0 2", count: 2},
		{fuse: `{"lists": [` + nearest + `, {"q": "text"}]}`, rest: `"filter": "tenant = t0"`, want: "d0 0.0328 1 1, d2 0.0323 2 2", count: 2},
		{fuse: `{"lists": [{"q": "text"}]}`, rest: `"k": 2, "offset": 1`, want: "d1 0.0161 2, d2 0.0159 3", count: 4},
		{fuse: `{"lists": [{"q": "text"}]}`, rescore: `{"similarity": {"field": "v", "vector": [1, 0]}, "n": 2, "weight": 0.5}`, want: "d1 2.02 2 +4, d0 1.02 1 +2, d2 0.0159 3, d3 0.0156 4", count: 4},
		{rest: `"q": "*"`, rescore: `{"q": "3", "similarity": {"field": "v", "vector": [0, 1]}}`, want: "d3 5.2 +4.203973, d0 4 +3, d2 2 +1, d1 1.5 +0.5", count: 4},
		{rest: `"q": "*", "filter": "tenant = t1"`, rescore: `{"nearest": {"field": "v", "vector": [0, 1], "k": 1}}`, want: "d3 4 +3, d1 1", count: 2},
	} {
		var keys []string
		u := url.Values{}
		for _, k := range []struct{ name, text string }{{"fuse", c.fuse}, {"rescore", c.rescore}} {
			if k.text != "" {
				keys = append(keys, fmt.Sprintf("%q: %s", k.name, k.text))
				u.Set(k.name, k.text)
			}
		}
		if c.rest != "" {
			keys = append(keys, c.rest)
		}
		body := "{" + strings.Join(keys, ", ") + "}"
		if got := fusedHits(answer[httpapi.Response](t, s, "/v1/search", body)); got != c.want {
			t.Errorf("%s: %s, want %s", body, got, c.want)
		}
		whole := ask(s, "/v1/search", body).Body.String()
		if batch := ask(s, "/v1/search/batch", body).Body.String(); batch != whole {
			t.Errorf("%s in a batch: %s, want %s", body, batch, whole)
		}
		if got := ask(s, "/v1/search?"+u.Encode(), "").Body.String(); c.rest == "" && got != whole {
			t.Errorf("%s in a URL: %s, want %s", body, got, whole)
		}
		if c.rescore == "" && !strings.Contains(c.rest, "offset") && !strings.Contains(c.rest, "collapse") {
			if n := answer[httpapi.CountResponse](t, s, "/v1/count", body); int(n.Count) != c.count {
				t.Errorf("%s: %d documents, want %d", body, n.Count, c.count)
			}
		}
		total := strings.TrimSuffix(body, "}") + `, "total": true, "facets": [{"field": "tenant"}]}`
		if a := answer[httpapi.Response](t, s, "/v1/search", total); a.Total == nil || int(*a.Total) != c.count || len(a.Facets) != 1 {
			t.Errorf("%s: %v documents, want %d", total, a.Total, c.count)
		}
	}
}

// TestFusePages asks for all pages of a fused list. Only the last has no next.
func TestFusePages(t *testing.T) {
	s := placed(t)
	var got []string
	for after := ""; ; {
		a := answer[httpapi.Response](t, s, "/v1/search", fmt.Sprintf(`{"k": 2, "after": %q, "passages": {}, "fuse": {"lists": [{"q": "1 OR title:2"}, {"q": "text"}]}}`, after))
		got = append(got, fusedHits(a))
		if len(a.Words) != 1 || a.Words[0] != "title:2" || a.Hits[0].Passage == nil || len(a.Hits[0].Passage.Spans) == 0 {
			t.Errorf("%+v: words %q", a.Hits[0], a.Words)
		}
		if after = a.Next; after == "" {
			break
		}
	}
	if a := answer[httpapi.Response](t, s, "/v1/search", `{"q": "text", "rescore": {"q": "title:2"}}`); len(a.Words) != 1 || a.Words[0] != "title:2" {
		t.Errorf("words of what rescores: %q", a.Words)
	}
	if want := "d1 0.0325 1 2, d0 0.0164 0 1 / d2 0.0159 0 3, d3 0.0156 0 4"; strings.Join(got, " / ") != want {
		t.Errorf("pages are %q, want %s", got, want)
	}
}

func TestFuseRefused(t *testing.T) {
	s := placed(t)
	one := func(list string) string { return `{"fuse": {"lists": [{"q": "a"}, ` + list + `]}}` }
	for _, c := range []struct{ path, body, field, message string }{
		{"/v1/search", `{"fuse": {"lists": [{"q": "a"}]}, "q": "b"}`, "fuse", "in place of q"},
		{"/v1/search", `{"fuse": {"lists": [{"q": "a"}]}, "sort": ["tenant"]}`, "sort", "fuse"},
		{"/v1/search", `{"fuse": {"lists": [{"q": "a"}]}, "collapse": "text"}`, "collapse", "no column"},
		{"/v1/search", `{"fuse": {"lists": [{"q": "a"}]}, "static": {"field": "rank"}}`, "static", "fuse"},
		{"/v1/search", `{"fuse": {}}`, "fuse.lists", "0 lists"},
		{"/v1/search", `{"fuse": {"lists": [` + strings.Repeat(`{"q": "a"}, `, pinion.MaxFuse) + `{"q": "a"}]}}`, "fuse.lists", "17 lists"},
		{"/v1/search", `{"fuse": {"lists": [{"q": "a"}], "by": "votes"}}`, "fuse.by", `"votes"`},
		{"/v1/search", `{"fuse": {"lists": [{"q": "a"}], "rank_constant": -1}}`, "fuse.rank_constant", "-1"},
		{"/v1/search", `{"fuse": {"lists": [{"q": "a"}], "by": "scores", "rank_constant": 0}}`, "fuse.rank_constant", "none"},
		{"/v1/search", one(`{}`), "fuse.lists[1].q", "it is missing"},
		{"/v1/search", one(`{"similarity": {"field": "v", "vector": [1, 0]}}`), "fuse.lists[1].q", "it is missing"},
		{"/v1/search", one(`{"q": "a", "text": "b"}`), "fuse.lists[1].text", "either"},
		{"/v1/search", one(`{"q": "a", "k": -1}`), "fuse.lists[1].k", "-1"},
		{"/v1/search", one(`{"q": "a", "k": 1001}`), "fuse.lists[1].k", "more than 1000"},
		{"/v1/search", one(`{"q": "a", "weight": -2}`), "fuse.lists[1].weight", "-2"},
		{"/v1/search", one(`{"nearest": {"field": "v", "vector": [1]}}`), "fuse.lists[1].nearest.vector", "1 dimensions"},
		{"/v1/search", one(`{"vector": {"field": "v", "terms": {"a": 1}}}`), "fuse.lists[1].vector.field", "of impacts"},
		{"/v1/search", one(`{"query": "a"}`), "fuse.lists[1].query", "no such key, but q"},
		{"/v1/search", `{"fuse": {"lists": [{"q": "\"a"}]}, "strict": true}`, "fuse.lists[0].q", "quote"},
		{"/v1/search", `{"q": "a", "rescore": {}}`, "rescore.q", "it is missing"},
		{"/v1/search", `{"q": "a", "sort": ["tenant"], "rescore": {"q": "b"}}`, "sort", "rescore"},
		{"/v1/search", `{"q": "a", "rescore": {"q": "b", "n": 1001}}`, "rescore.n", "more than 1000"},
		{"/v1/search", `{"q": "a", "rescore": {"q": "b", "n": -1}}`, "rescore.n", "-1"},
		{"/v1/search", `{"q": "a", "rescore": {"similarity": {"field": "v", "vector": [1, 1]}, "weight": -1}}`, "rescore.weight", "-1"},
		{"/v1/search", `{"q": "a", "rescore": {"similarity": {"field": "text", "vector": [1, 1]}}}`, "rescore.similarity.field", "of vectors"},
		{"/v1/search?fuse=rose", "", "fuse", "not JSON"},
		{"/v1/search?rescore=[]", "", "rescore", "not an object"},
		{"/v1/count", `{"fuse": {"lists": []}}`, "fuse.lists", "0 lists"},
		{"/v1/count", `{"fuse": {"lists": [{"q": "a"}]}, "text": "b"}`, "fuse", "in place of q"},
	} {
		code, e := refusal(t, s, c.path, c.body)
		if code != 400 || e.Code != httpapi.CodeInvalid || e.Field != c.field || !strings.Contains(e.Message, c.message) {
			t.Errorf("%s %s: %d %+v, want %s: %s", c.path, c.body, code, e, c.field, c.message)
		}
	}
}
