package httpapi_test

import (
	"strings"
	"testing"

	"github.com/pinion-index/pinion/httpapi"
)

// What a column adds to scores has its shape over HTTP too, and what is wrong with it its key.
func TestStatic(t *testing.T) {
	s := serve(t, httpapi.OfIndex(open(t, 30)), httpapi.Options{})
	for _, static := range []string{`{"field": "price", "saturation": 3}`, `{"field": "price", "logarithm": 1.5}`, `{"field": "price", "decay": "2", "from": "5"}`, `{"field": "rank", "decay": "0.5"}`,
		`{"field": "rank", "weight": 2, "multiply": true}`, `{"field": "ts", "decay": "48h", "from": "2026-01-10", "multiply": true}`,
		`{"field": "ts", "weight": 4, "decay": "48h", "from": "2026-01-10"}`} {
		if w := ask(s, "/v1/search", `{"q": "*", "static": `+static+`}`); w.Code != 200 || !strings.Contains(w.Body.String(), `"score":`) {
			t.Errorf("%s: %d %s", static, w.Code, w.Body)
		}
	}
	for static, key := range map[string]string{
		`{"field": "price", "decay": "2h"}`: "static.decay", `{"field": "price", "decay": "-2"}`: "static.decay", `{"field": "ts", "decay": "2", "from": "2026-01-10"}`: "static.decay",
		`{"field": "price", "from": "2"}`: "static.from", `{"field": "price", "decay": "1", "from": "x"}`: "static.from", `{"field": "price", "weight": -1, "saturation": 1}`: "static.weight",
		`{"field": "price", "saturation": -1}`: "", `{"field": "price", "saturation": 1, "logarithm": 1}`: "",
	} {
		if code, e := refusal(t, s, "/v1/search", `{"q": "*", "static": `+static+`}`); code != 400 || e.Field != key {
			t.Errorf("%s: %d %+v, want %q", static, code, e, key)
		}
	}
}
