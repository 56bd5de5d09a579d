package pinion_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/testdata"
)

// BenchmarkPage measures a page of ten: ids alone, and with what is shown of them.
func BenchmarkPage(b *testing.B) {
	for _, analyzer := range []string{"simple", "english"} {
		x := open(b, analyzer, true)
		z, err := gzip.NewReader(bytes.NewReader(testdata.KJV))
		if err != nil {
			b.Fatal(err)
		}
		for lines := bufio.NewScanner(z); lines.Scan(); {
			var d struct{ ID, Contents string }
			if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
				b.Fatal(err)
			}
			x.add(b, d.ID, d.Contents)
		}
		pages, _ := x.pages(b)
		for _, c := range []struct {
			name string
			r    pinion.Request
		}{{"ids", pinion.Request{}}, {"texts", pinion.Request{Fields: []string{""}}}, {"snippets", pinion.Request{Snippet: &pinion.Snippet{}}}} {
			b.Run(analyzer+"/"+c.name, func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					c.r.Query = query.Match{Text: "the valley of the shadow of death", Mode: query.ModeOr}
					if page, err := pages.Search(b.Context(), c.r); err != nil || len(page.Hits) != 10 {
						b.Fatal(len(page.Hits), err)
					}
				}
			})
		}
		x.close()
	}
}
