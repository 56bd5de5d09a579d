package httpapi_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
)

// The filter that a group of a value is asked by finds the documents whose least value it is, whatever the value, beside another filter.
func TestGroupOf(t *testing.T) {
	fields := schema.Schema{Fields: []schema.Field{{Name: "brand name", Kind: schema.Keyword, Column: true}, {Name: "n", Kind: schema.Integer, Column: true},
		{Name: "x", Kind: schema.Float, Column: true}, {Name: "at", Kind: schema.Time, Unit: schema.UnitMicrosecond, Column: true}}}
	rapid.Check(t, func(t *rapid.T) {
		x, err := pinion.OpenFS(t.Context(), memfs.New(), pinion.Options{Schema: &fields})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		name := rapid.SampledFrom([]string{"brand name", "n", "x", "at"}).Draw(t, "field")
		value := map[string]*rapid.Generator[any]{
			"brand name": rapid.Map(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a", "\xff", `\"`, "not"})), func(s string) any { return s }),
			"n":          rapid.Map(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-3, 3)), func(n int64) any { return n }),
			"x": rapid.Map(rapid.OneOf(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), rapid.Float64Range(-1, 1)), func(f float64) any {
				return f + 0 // no -0
			}),
			"at": rapid.Map(rapid.Int64Range(-9e15, 9e15), func(us int64) any { return time.UnixMicro(us).UTC() }),
		}[name]
		var least []any
		for i := range rapid.IntRange(1, 9).Draw(t, "documents") {
			values := rapid.SliceOfN(value, 1, 2).Draw(t, "values")
			least = append(least, values[0])
			if len(values) > 1 && below(values[1], values[0]) {
				least[i] = values[1]
			}
			d := pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{name: values}}
			if err := x.Add(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		r := httpapi.Request{Query: "*", Collapse: name, Filter: rapid.SampledFrom([]string{"", "ids(0) or ids(1, 2)"}).Draw(t, "filter")}
		for i, v := range least {
			want := uint64(0)
			for k, other := range least {
				if other == v && (r.Filter == "" || k < 3) {
					want++
				}
			}
			of := r.GroupOf(v)
			s, err := of.Search(&fields)
			if err != nil {
				t.Fatalf("%s: %v", of.Filter, err)
			}
			page, err := x.Search(t.Context(), s)
			if err != nil || page.Total != want || len(page.Hits) != min(int(want), pinion.DefaultGroup) {
				t.Fatalf("%s, for document %d: %d documents, %v; want %d", of.Filter, i, page.Total, err, want)
			}
		}
	})
}

func below(a, b any) bool {
	switch a := a.(type) {
	case string:
		return a < b.(string)
	case int64:
		return a < b.(int64)
	case float64:
		return a < b.(float64)
	}
	return a.(time.Time).Before(b.(time.Time))
}

func TestGroupRefused(t *testing.T) {
	s := serve(t, httpapi.OfIndex(open(t, 9)), httpapi.Options{MaxK: 30})
	for _, c := range []struct{ body, key, says string }{
		{`{"q": "*", "group": {}}`, "group", "collapse"},
		{`{"q": "*", "collapse": "ts", "group": {"k": -1}}`, "group.k", "-1 hits"},
		{`{"q": "*", "collapse": "ts", "group": {"k": 4}}`, "group.k", "more than 30"},
		{`{"q": "*", "collapse": "ts", "group": {"sort": ["nosuch"]}}`, "group.sort[0]", "no field"},
		{`{"q": "*", "collapse": "ts", "group": {"sort": ["price"]}, "rescore": {"q": "*", "n": 3}}`, "group.sort", "by scores"},
		{`{"q": "*", "collapse": "ts", "group": {"size": 1}}`, "group.size", "no such key"},
		{`{"q": "*", "after": "AwE", "offset": 1}`, "offset", "either"},
		{`{"q": "*", "after": "AwA"}`, "after", "not the next"},
		{`{"q": "*", "after": "Ax4"}`, "after", "more than 30"},
	} {
		if code, e := refusal(t, s, "/v1/search", c.body); code != 400 || e.Field != c.key || !strings.Contains(e.Message, c.says) {
			t.Errorf("%s: %d %+v, want %s: %s", c.body, code, e, c.key, c.says)
		}
	}
	w := ask(s, `/v1/search?q=*&collapse=ts&k=2&group={"k":1}`, "")
	if w.Code != 200 || strings.Count(w.Body.String(), `"group":{`) != 2 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
