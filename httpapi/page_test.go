package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// asked is a request as a client writes it, and as package pinion takes it, made of the same choices.
type asked struct {
	json map[string]any
	page pinion.Request
}

func drawAsked(t *rapid.T) asked {
	a := asked{json: map[string]any{}}
	chosen := rapid.SliceOfN(rapid.SampledFrom(words), 1, 3).Draw(t, "words")
	switch rapid.IntRange(0, 3).Draw(t, "query") {
	case 0:
		a.json["text"], a.page.Query = strings.Join(chosen, " "), query.Match{Text: strings.Join(chosen, " ")}
	case 1:
		var must []query.Node
		for _, w := range chosen {
			must = append(must, query.Match{Text: w})
		}
		a.json["q"], a.page.Query = "+"+strings.Join(chosen, " +"), query.Bool{Must: must}
	case 2:
		a.json["q"], a.page.Query = "title:"+chosen[0]+"^2.5", query.Match{Field: "title", Text: chosen[0], Boost: 2.5}
	case 3:
		a.json["q"], a.page.Query = "*", query.All{}
	}
	some := func(name string) bool { return rapid.Bool().Draw(t, name) }
	if some("filter") {
		n := rapid.Int64Range(0, 9).Draw(t, "price")
		a.json["filter"] = fmt.Sprintf("price < %d", n)
		a.page.Query = query.Bool{Must: []query.Node{a.page.Query}, Filter: []query.Node{query.Range{Field: "price", Max: schema.IntegerValue(3, n), BelowMax: true}}}
	}
	if some("sort") {
		desc := some("desc")
		a.json["sort"] = []string{map[bool]string{true: "-price", false: "price"}[desc], "rank"}
		a.page.Sort = []pinion.Sort{{Field: "price", Desc: desc}, {Field: "rank"}}
	} else if some("static") {
		a.json["static"], a.page.Static = map[string]any{"field": "rank", "weight": 0.25}, &pinion.Static{Field: "rank", Boost: 0.25}
	}
	if some("facets") {
		a.json["facets"] = []any{map[string]any{"field": "tag", "k": 2}, map[string]any{"field": "price", "ranges": []string{"<3", "3..5"}}}
		a.page.Facets = []pinion.Facet{{Field: "tag", Limit: 2}, {Field: "price", Ranges: []pinion.Range{
			{Max: schema.IntegerValue(3, 3)}, {Min: schema.IntegerValue(3, 3), Max: schema.IntegerValue(3, 5), WithMax: true}}}}
	}
	if some("collapse") {
		a.json["collapse"], a.page.Collapse = "ts", "ts"
		if some("group") {
			a.json["group"], a.page.Group = map[string]any{"k": 2, "sort": []string{"-price"}}, &pinion.Group{Limit: 2, Sort: []pinion.Sort{{Field: "price", Desc: true}}}
		}
	}
	if some("total") {
		a.json["total"], a.page.Total = true, true
	}
	if some("fields") {
		a.json["fields"], a.page.Fields = []string{"price", "title"}, []string{"price", "title"}
	}
	if some("passages") {
		a.json["passages"], a.page.Snippet = map[string]any{"length": 15}, &pinion.Snippet{Length: 15}
	}
	if k := rapid.IntRange(0, 30).Draw(t, "k"); k > 0 {
		a.json["k"], a.page.Limit = k, k
	}
	return a
}

// TestPages compares pages over HTTP, two after each other, with those of the index: scores to the bit, and all else.
func TestPages(t *testing.T) {
	x := open(t, 120)
	s := httptest.NewServer(serve(t, httpapi.OfIndex(x), httpapi.Options{}))
	defer s.Close()
	rapid.Check(t, func(t *rapid.T) {
		a := drawAsked(t)
		for range 2 {
			want, err := x.Search(t.Context(), a.page)
			if err != nil {
				t.Fatalf("%+v: %v", a.page, err)
			}
			body, err := json.Marshal(a.json)
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Client().Post(s.URL+"/v1/search", "application/json", bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			var got httpapi.Response
			d := json.NewDecoder(r.Body)
			d.UseNumber()
			err = d.Decode(&got)
			r.Body.Close()
			if err != nil || r.StatusCode != 200 {
				t.Fatalf("%s: %d, %v", body, r.StatusCode, err)
			}
			if wrong := differs(&got, &want, &a.page); wrong != "" {
				t.Fatalf("%s: %s", body, wrong)
			}
			if got.Next == "" {
				return
			}
			a.json["after"], a.page.After = got.Next, want.Next()
		}
	})
}

// differs says where an answer is not a page.
func differs(got *httpapi.Response, want *pinion.Page, r *pinion.Request) string {
	if (got.Next == "") != (want.Next() == nil) || len(got.Hits) != len(want.Hits) {
		return fmt.Sprintf("%d hits, next %q, want %d, %v", len(got.Hits), got.Next, len(want.Hits), want.Next())
	}
	if counted := r.Total || len(r.Facets) > 0; counted != (got.Total != nil) || counted && *got.Total != want.Total {
		return fmt.Sprintf("a total of %v, want %d", got.Total, want.Total)
	}
	for i := range got.Hits {
		g, w := &got.Hits[i], &want.Hits[i]
		if g.Score != w.Score || g.Doc != w.Doc || string(g.ID) != string(w.ID) || fmt.Sprint(g.Sort) != fmt.Sprint(inJSON(w.Sort)) {
			return fmt.Sprintf("hit %d is %+v, want %+v", i, g, w)
		}
		if (g.Group == nil) != (w.Group == nil) {
			return fmt.Sprintf("hit %d has the group %v, want %v", i, g.Group, w.Group)
		}
		if g.Group != nil {
			of := r.GroupOf(w.Group.Value)
			got, want := httpapi.Response{Hits: g.Group.Hits, Total: &g.Group.Total}, pinion.Page{Hits: w.Group.Hits, Total: w.Group.Total}
			if wrong := differs(&got, &want, &of); wrong != "" {
				return fmt.Sprintf("in the group of hit %d: %s", i, wrong)
			}
			if at, ok := w.Group.Value.(time.Time); ok && g.Group.Value != at.Format(time.RFC3339Nano) || !ok && g.Group.Value != nil {
				return fmt.Sprintf("hit %d is of the group %v, want %v", i, g.Group.Value, w.Group.Value)
			}
		}
		var shown []schema.Value
		for _, name := range r.Fields {
			for _, v := range w.Values {
				if shop.Fields[v.Field].Name == name {
					shown = append(shown, v)
				}
			}
		}
		if values := slices.Concat(g.Values["price"], g.Values["title"]); fmt.Sprint(values) != fmt.Sprint(inJSON(shown)) {
			return fmt.Sprintf("hit %d has %v, want %v", i, values, shown)
		}
		if (g.Passage == nil) != (r.Snippet == nil) {
			return fmt.Sprintf("hit %d has the passage %v", i, g.Passage)
		}
		if p := g.Passage; p != nil && (string(p.Text) != string(w.Passage().Text) || p.Before != w.Passage().Before || p.Behind != w.Passage().Behind ||
			strings.NewReplacer("[", "{", "]", "}").Replace(fmt.Sprint(p.Spans)) != strings.NewReplacer("[", "{", "]", "}").Replace(fmt.Sprint(w.Passage().Spans))) {
			return fmt.Sprintf("hit %d has the passage %v, want %q %v", i, g.Passage, w.Passage().Text, w.Passage().Spans)
		}
	}
	if len(got.Facets) != len(want.Facets) {
		return fmt.Sprintf("%d facets, want %d", len(got.Facets), len(want.Facets))
	}
	for i, f := range want.Facets {
		if got.Facets[i].Missing != f.Missing || len(got.Facets[i].Counts) != len(f.Counts) {
			return fmt.Sprintf("facet %d is %v, want %v", i, got.Facets[i], f)
		}
		for j, c := range f.Counts {
			if g := got.Facets[i].Counts[j]; g.Count != c.Count || r.Facets[i].Ranges == nil && fmt.Sprint(g.Value) != c.Value {
				return fmt.Sprintf("count %d of facet %d is %v, want %v", j, i, g, c)
			}
		}
	}
	return ""
}

// inJSON returns values as a client has them.
func inJSON(values []schema.Value) (all []any) {
	for _, v := range values {
		switch v.Kind {
		case 0:
			all = append(all, nil)
		case schema.Integer:
			all = append(all, v.Int())
		case schema.Float:
			text, _ := json.Marshal(v.Float())
			all = append(all, json.Number(text))
		case schema.Time:
			all = append(all, v.String())
		default:
			all = append(all, string(v.Bytes()))
		}
	}
	return all
}
