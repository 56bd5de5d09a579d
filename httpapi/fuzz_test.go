package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/schema"
)

// FuzzRequest decodes bodies of searches. One that is accepted says the same when it is written and read again; others
// are errors of clients.
func FuzzRequest(x *testing.F) {
	f := fuzzing.New(x)
	for _, text := range []string{`{}`, `{"q": "rose", "k": 3, "sort": ["-ts", "tag"], "total": true}`, `{"facets": [{"field": "price", "ranges": ["<3"], "every": "2"}]}`,
		`{"static": {"field": "rank", "weight": 1e300}, "passages": {}, "fields": ["", "a"], "after": null}`, `{"q": {"q": []}}`, `[[[`, `{"k": 1e1}`, `{"offset": -0}`,
		`{"q": "title:\"red rose\"~2 price:<5", "filter": "price 1..3 or not exists(ts)", "collapse": "tag"}`, `{"\u0071": "a", "q": "b"}`,
		`{"vector": {"field": "vector", "terms": {"whale": 3, "sea": 0}}}`, `{"q": "rose", "vector": {"field": "fine", "terms": {"a": 0.5, "b": 1e300}, "scale": 0.1}}`,
		`{"fuse": {"lists": [{"q": "rose", "k": 3, "weight": 0.5}, {"vector": {"field": "vector", "terms": {"a": 1}}}, {"nearest": {"field": "v", "vector": [1, 0.5]}}], "by": "scores"}, "filter": "tag = a"}`,
		`{"fuse": {"lists": [{"text": "rose"}], "rank_constant": 0}, "rescore": {"similarity": {"field": "v", "vector": [1, 1e-50]}, "n": 7}}`,
		`{"q": "rose", "rescore": {"nearest": {"field": "v", "vector": [0, 1]}, "weight": 1e9}}`,
		`{"q": "*", "after": "` + FormatAfter(&pinion.After{Score: 1, ID: "a"}) + `"}`} {
		f.Add([]byte(text))
	}
	s := &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: schema.Text, Stored: true, Positions: true},
		{Name: "tag", Kind: schema.Keyword, Column: true}, {Name: "price", Kind: schema.Integer, Column: true},
		{Name: "rank", Kind: schema.Float, Column: true}, {Name: "ts", Kind: schema.Time, Column: true},
		{Name: "vector", Kind: schema.Impacts}, {Name: "fine", Kind: schema.Impacts, Scale: 0.1},
		{Name: "v", Kind: schema.Vector, Dims: 2, Similarity: schema.SimilarityDot}}}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := new(Request)
		err := decode(data, r)
		if err == nil {
			var again Request
			text, _ := json.Marshal(r)
			if err := decode(text, &again); err != nil {
				t.Fatalf("%s is read as %s, and that as %v", data, text, err)
			}
			if back, _ := json.Marshal(again); !bytes.Equal(text, back) {
				t.Fatalf("%s is read as %s, and that as %s", data, text, back)
			}
			_, err = r.Search(s)
		}
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Status != http.StatusBadRequest || e.Message == "") {
			t.Fatalf("%s: %v", data, err)
		}
	})
}

// FuzzURL decodes parameters.
func FuzzURL(x *testing.F) {
	f := fuzzing.New(x)
	for _, text := range []string{"q=rose&k=3&total", "facets=a&facets=b&static=c&passages", `vector={"field":"v","terms":{"a":1}}`, `fuse={"lists":[{"q":"a"}]}&rescore={"q":"b"}`, "%zz=1", "q=%ff", "k=+3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, query string) {
		params, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		var e *Error
		if err := decodeURL(params, new(Request)); err != nil && (!errors.As(err, &e) || e.Status != http.StatusBadRequest) {
			t.Fatalf("%s: %v", query, err)
		}
	})
}

// FuzzAfter reads cursors: what is one is written as it was.
func FuzzAfter(x *testing.F) {
	f := fuzzing.New(x)
	for _, a := range []pinion.After{{}, {Score: 1.5, ID: "p1"}, {ID: "o", Order: []schema.Value{schema.IntegerValue(0, 7)}}, {ID: "x", Sort: []schema.Value{{}, schema.IntegerValue(0, -3), schema.FloatValue(0, 0.1), schema.KeywordValue(0, []byte("k"))}}} {
		f.Add(FormatAfter(&a))
	}
	f.Add("AQ")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAfter(text)
		if err == nil && FormatAfter(a) != text {
			t.Fatalf("%q is read as %+v, written %q", text, a, FormatAfter(a))
		}
	})
}

// TestAfter writes and reads any cursor.
func TestAfter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bytes := rapid.SliceOf(rapid.Byte())
		a := &pinion.After{Score: rapid.Float32().Draw(t, "score"), ID: string(bytes.Draw(t, "id"))}
		values := rapid.OneOf(
			rapid.Just(schema.Value{}),
			rapid.Map(rapid.Int64(), func(n int64) schema.Value { return schema.IntegerValue(0, n) }),
			rapid.Map(rapid.Int64(), func(n int64) schema.Value { return schema.NanosValue(0, n) }),
			rapid.Map(rapid.Float64(), func(x float64) schema.Value { return schema.FloatValue(0, x) }),
			rapid.Map(bytes, func(b []byte) schema.Value { return schema.KeywordValue(0, b) }),
		)
		for range rapid.IntRange(0, 8).Draw(t, "fields") {
			a.Sort = append(a.Sort, values.Draw(t, "value"))
		}
		if rapid.Bool().Draw(t, "ordered") {
			a.Order = []schema.Value{values.Draw(t, "order")}
		}
		got, err := ParseAfter(FormatAfter(a))
		if err != nil || got.Score != a.Score || string(got.ID) != string(a.ID) || len(got.Sort) != len(a.Sort) || len(got.Order) != len(a.Order) {
			t.Fatalf("%+v is read as %+v, %v", a, got, err)
		}
		for i, v := range append(a.Sort, a.Order...) {
			g := append(got.Sort, got.Order...)[i]
			if g.Kind != v.Kind || g.Int() != v.Int() || math.Float64bits(g.Float()) != math.Float64bits(v.Float()) || string(g.Bytes()) != string(v.Bytes()) {
				t.Fatalf("%v is read as %v", v, g)
			}
		}
	})
}

// TestScores writes and reads scores as JSON numbers.
func TestScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Hit{Score: math.Float32frombits(rapid.Uint32().Draw(t, "bits"))}
		if math.IsNaN(float64(h.Score)) || math.IsInf(float64(h.Score), 0) {
			return // which no hit has
		}
		data, err := json.Marshal(h)
		var got Hit
		if err == nil {
			err = json.Unmarshal(data, &got)
		}
		if err != nil || math.Float32bits(got.Score) != math.Float32bits(h.Score) {
			t.Fatalf("%v is read as %v, %v", h.Score, got.Score, err)
		}
	})
}
