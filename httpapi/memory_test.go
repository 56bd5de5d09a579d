package httpapi_test

import (
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/schema"
)

// allocated returns how many bytes f allocates, all of them together, which is at least what it holds at a time: the least of three calls.
func allocated(f func()) (least uint64) {
	least = math.MaxUint64
	for range 3 { // the index may do something else meanwhile
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// A request that would take much memory is refused before it has taken it, however the memory comes together: one facet many times,
// facets of many fields, of buckets, over one segment or several, or texts that are longer in JSON.
func TestMemoryOfRequests(t *testing.T) {
	const docs, keywords = 20_000, 8
	sch := &schema.Schema{Fields: []schema.Field{{Name: "n", Kind: schema.Integer, Column: true}, {Name: "text", Kind: schema.Keyword, Column: true}}}
	for i := range keywords {
		sch.Fields = append(sch.Fields, schema.Field{Name: fmt.Sprint("k", i), Kind: schema.Keyword, Index: schema.IndexNone, Column: true})
	}
	for _, segments := range []int{1, 3} {
		x, err := pinion.Open(t.Context(), filepath.Join(t.TempDir(), "many.idx"), pinion.Options{Schema: sch})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		for i := range docs {
			d := pinion.Doc{ID: fmt.Sprint(i), Values: []schema.Value{schema.IntegerValue(0, int64(i)*1000)}}
			if i < 500 {
				d.Values = append(d.Values, schema.KeywordValue(1, []byte(strings.Repeat("<", 1000)+fmt.Sprint(i))))
			}
			for f := range keywords {
				d.Values = append(d.Values, schema.KeywordValue(2+f, fmt.Appendf(nil, "keyword number %d", i)))
			}
			if err := x.Add(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			if i%(docs/segments) == docs/segments-1 {
				if err := x.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		const most = 1 << 20
		s := serve(t, httpapi.OfIndex(x), httpapi.Options{MaxAnswer: most})
		var buckets, fields []string
		for i := range 64 {
			buckets = append(buckets, fmt.Sprintf(`{"field": "n", "every": "%d"}`, 1+i))
			fields = append(fields, fmt.Sprintf(`{"field": "k%d", "k": 1000000000}`, i%keywords))
		}
		same := strings.Repeat(`, {"field": "k0", "k": 1000000000}`, 64)[2:]
		for what, body := range map[string]string{
			"one facet many times": `{"q": "*", "k": 1, "facets": [` + same + `]}`,
			"facets of fields":     `{"q": "*", "k": 1, "facets": [` + strings.Join(fields, ", ") + `]}`,
			"facets of buckets":    `{"q": "*", "k": 1, "facets": [` + strings.Join(buckets, ", ") + `]}`,
			"longer in JSON":       `{"q": "text:*", "k": 500, "fields": ["text"]}`,
			"facet longer in JSON": `{"q": "*", "k": 1, "facets": [{"field": "text", "k": 1000}]}`,
		} {
			ask(s, "/v1/search", `{"q": "*"}`) // what is kept for later requests is not of this one
			n := allocated(func() {
				if w := ask(s, "/v1/search", body); w.Code != http.StatusRequestEntityTooLarge {
					t.Errorf("%d segments, %s: %d, %d bytes", segments, what, w.Code, w.Body.Len())
				}
			})
			if n > 16*most {
				t.Errorf("%d segments, %s: %d bytes allocated, for an answer of up to %d", segments, what, n, most)
			}
			t.Logf("%d segments, %s: %d bytes", segments, what, n)
		}
		// The best of many keywords cost no more than they are.
		n := allocated(func() {
			if w := ask(s, "/v1/search", `{"q": "*", "k": 1, "facets": [{"field": "k0", "k": 3}]}`); w.Code != 200 || !strings.Contains(w.Body.String(), `{"value":"keyword number 1","count":1}`) {
				t.Errorf("%d segments: %d, %.300s", segments, w.Code, w.Body)
			}
		})
		t.Logf("%d segments, best: %d bytes", segments, n)
		if n > 4*docs+most/2 {
			t.Errorf("%d segments: %d bytes allocated for three counts", segments, n)
		}
		if s.Held() != 0 {
			t.Errorf("%d bytes are held", s.Held())
		}
		// Counters are held while they count: a request that alone needs more than all may is refused for good.
		small := serve(t, httpapi.OfIndex(x), httpapi.Options{MaxHeld: 2 * docs})
		w := ask(small, "/v1/search", `{"q": "*", "k": 1, "facets": [{"field": "k0", "k": 4}]}`)
		if e := errorOf(t, w.Body.Bytes()); w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(e.Message, "more than 40000 bytes of memory") || small.Held() != 0 {
			t.Errorf("%d %+v, %d held", w.Code, e, small.Held())
		}
	}
}
