package bleve_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	bq "github.com/blevesearch/bleve/v2/search/query"

	frombleve "github.com/pinion-index/pinion/adapters/bleve"
	"github.com/pinion-index/pinion/schema"
)

// fieldOf returns a field mapping after a change.
func fieldOf(f *mapping.FieldMapping, change func(f *mapping.FieldMapping)) *mapping.FieldMapping {
	change(f)
	return f
}

// translated says what a mapping becomes: its schema in JSON, a field a line, and its losses.
func translated(t *testing.T, m mapping.IndexMapping, o frombleve.Options) string {
	t.Helper()
	x, err := frombleve.Translate(m, o)
	do(t, err)
	var b strings.Builder
	for _, f := range x.Schema.Fields {
		one, err := json.Marshal(&schema.Schema{Fields: []schema.Field{f}})
		do(t, err)
		b.Write(one[len(`{"fields":[`) : len(one)-len(`]}`)])
		b.WriteByte('\n')
	}
	for _, l := range x.Losses {
		if b.WriteString(l.String()); l.Dropped {
			b.WriteString(" (dropped)")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestTranslate(t *testing.T) {
	static := func(set func(m *mapping.IndexMappingImpl, d *mapping.DocumentMapping)) *mapping.IndexMappingImpl {
		m := bleve.NewIndexMapping()
		m.DefaultMapping = bleve.NewDocumentStaticMapping()
		set(m, m.DefaultMapping)
		return m
	}
	text := bleve.NewTextFieldMapping
	for _, c := range []struct {
		name string
		m    mapping.IndexMapping
		o    frombleve.Options
		want string
	}{
		{"types", static(func(_ *mapping.IndexMappingImpl, d *mapping.DocumentMapping) {
			d.AddFieldMappingsAt("at", bleve.NewDateTimeFieldMapping())
			d.AddFieldMappingsAt("n", fieldOf(bleve.NewNumericFieldMapping(), func(f *mapping.FieldMapping) { f.Store = false }))
			d.AddFieldMappingsAt("ok", bleve.NewBooleanFieldMapping())
			d.AddFieldMappingsAt("tag", bleve.NewKeywordFieldMapping())
			d.AddFieldMappingsAt("where", bleve.NewGeoPointFieldMapping(), bleve.NewIPFieldMapping())
		}), frombleve.Options{}, `{"name":"at","kind":"time","stored":true,"column":true}
{"name":"n","kind":"float","column":true}
{"name":"ok","kind":"keyword","index":"docs","stored":true,"column":true}
{"name":"tag","kind":"keyword","index":"docs","stored":true,"column":true}
where: fields of type geopoint (dropped)
`},
		{"text", static(func(_ *mapping.IndexMappingImpl, d *mapping.DocumentMapping) {
			with := func(name string, change func(f *mapping.FieldMapping)) {
				d.AddFieldMappingsAt(name, fieldOf(text(), change))
			}
			with("a", func(f *mapping.FieldMapping) {})
			with("b", func(f *mapping.FieldMapping) { f.IncludeTermVectors, f.Analyzer = false, "simple" })
			with("c", func(f *mapping.FieldMapping) { f.IncludeTermVectors, f.SkipFreqNorm, f.Analyzer = false, true, "en" })
			with("d", func(f *mapping.FieldMapping) { f.Index, f.Analyzer = false, "mine" })
			with("e", func(f *mapping.FieldMapping) { f.Index, f.Store = false, false })
		}), frombleve.Options{Analyzers: map[string]frombleve.Analyzer{"mine": {Name: "standard", Options: "fold=accents"}}},
			`{"name":"a","kind":"text","analyzer":"standard","index":"freqs","positions":true,"stored":true}
{"name":"b","kind":"text","analyzer":"simple","index":"freqs","stored":true}
{"name":"c","kind":"text","analyzer":"english","index":"docs","stored":true}
{"name":"d","kind":"text","analyzer":"standard","options":"fold=accents","index":"none","stored":true}
a: analyzer standard: stop words are indexed, and left out of queries
b: analyzer simple: digits belong to words
c: analyzer en: words are stemmed by Snowball's newer stemmer, and other stop words are left out
e: neither indexed nor stored (dropped)
`},
		{"names", static(func(m *mapping.IndexMappingImpl, d *mapping.DocumentMapping) {
			m.DefaultAnalyzer, m.ScoringModel = "keyword", "bm25"
			d.AddFieldMappingsAt("_secret", text())
			d.AddFieldMappingsAt("secret", text(), bleve.NewNumericFieldMapping())
			d.AddFieldMappingsAt("a\x01b", text())
			d.AddFieldMappingsAt(strings.Repeat("é", 200), fieldOf(bleve.NewBooleanFieldMapping(), func(f *mapping.FieldMapping) { f.Name = "" }))
			sub := bleve.NewNestedDocumentStaticMapping()
			sub.AddFieldMappingsAt("x", fieldOf(text(), func(f *mapping.FieldMapping) { f.Name = "y" }))
			d.AddSubDocumentMapping("sub", sub)
			d.AddSubDocumentMapping("off", bleve.NewDocumentDisabledMapping())
		}), frombleve.Options{Dynamic: []frombleve.Dynamic{{Source: "free", Type: frombleve.Text}, {Source: "free", Type: frombleve.Number}, {Source: "v", Type: "vector"}}},
			`{"name":"secret","kind":"keyword","index":"docs","stored":true,"column":true}
{"name":"secret.number","kind":"float","stored":true,"column":true}
{"name":"sub.y","kind":"keyword","index":"docs","stored":true,"column":true}
{"name":"` + strings.Repeat("é", 127) + `","kind":"keyword","index":"docs","stored":true,"column":true}
{"name":"secret.text","kind":"keyword","index":"docs","stored":true,"column":true}
{"name":"ab","kind":"keyword","index":"docs","stored":true,"column":true}
{"name":"free","kind":"keyword","index":"docs","stored":true,"column":true}
{"name":"free.number","kind":"float","stored":true,"column":true}
scoring model bm25: scores are BM25 by field, with other parameters
sub: nested documents: values of one element cannot be asked for together (dropped)
secret: its values of type number are in field secret.number
` + strings.Repeat("é", 200) + `: its values of type boolean are in field ` + strings.Repeat("é", 127) + `
_secret: its values of type text are in field secret.text
a` + "\x01" + `b: its values of type text are in field ab
free: its values of type number are in field free.number
v: fields of type vector (dropped)
`},
		{"kinds of documents", static(func(m *mapping.IndexMappingImpl, d *mapping.DocumentMapping) {
			d.AddFieldMappingsAt("a", fieldOf(text(), func(f *mapping.FieldMapping) { f.Analyzer, f.Store = "de", false }))
			other := bleve.NewDocumentStaticMapping()
			other.DefaultAnalyzer = "whole"
			other.AddFieldMappingsAt("a", text())
			m.AddDocumentMapping("other", other)
			do(t, m.AddCustomAnalyzer("whole", map[string]any{"type": "custom", "tokenizer": "unicode", "token_filters": []string{"to_lower", "stop_en", "stemmer_porter"}}))
		}), frombleve.Options{}, `{"name":"a","kind":"text","analyzer":"english","index":"freqs","positions":true,"stored":true}
a: analyzer whole: words are stemmed by Snowball's newer stemmer, and other stop words are left out
a: analyzer de for some documents: all have whole
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := translated(t, c.m, c.o); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestTranslateErrors(t *testing.T) {
	for name, m := range map[string]mapping.IndexMapping{"without fields": bleve.NewIndexMapping(), "of another type": nil} {
		if x, err := frombleve.Translate(m, frombleve.Options{}); err == nil {
			t.Errorf("a mapping %s becomes %+v", name, x)
		}
	}
}

// TestUnsupported holds that queries without an equivalent are errors that say so.
func TestUnsupported(t *testing.T) {
	m := bleve.NewIndexMapping()
	d := bleve.NewDocumentStaticMapping()
	d.AddFieldMappingsAt("text", bleve.NewTextFieldMapping())
	d.AddFieldMappingsAt("plain", fieldOf(bleve.NewTextFieldMapping(), func(f *mapping.FieldMapping) { f.IncludeTermVectors = false }))
	d.AddFieldMappingsAt("place", bleve.NewGeoPointFieldMapping())
	d.AddFieldMappingsAt("ok", bleve.NewBooleanFieldMapping())
	m.DefaultMapping = d
	x, err := frombleve.Translate(m, frombleve.Options{})
	do(t, err)
	of := func(q bq.FieldableQuery, field string) bq.Query { q.SetField(field); return q }
	phrase := bleve.NewMatchPhraseQuery("rose thorn")
	phrase.SetFuzziness(1)
	ip := bq.NewIPRangeQuery("10.0.0.0/8")
	for name, q := range map[string]bq.Query{
		"fields of type geopoint":  of(bleve.NewMatchQuery("x"), "place"),
		"*query.GeoDistanceQuery":  of(bleve.NewGeoDistanceQuery(1, 2, "1km"), "text"),
		"*query.IPRangeQuery":      of(ip, "text"),
		"fuzzy phrase":             phrase,
		"no positions":             of(bleve.NewMatchPhraseQuery("rose thorn"), "plain"),
		"place for any term":       bleve.NewPhraseQuery([]string{"rose", "", "thorn"}, "text"),
		"more than 64":             bq.NewMultiPhraseQuery([][]string{words, words, words}, "text"),
		"prefix in field ok":       of(bleve.NewPrefixQuery("T"), "ok"),
		`no \b`:                    of(bleve.NewRegexpQuery(`ro\b`), "text"),
		"no $":                     of(bleve.NewRegexpQuery(`rose$`), "text"),
		"range of terms":           of(bleve.NewTermRangeQuery("a", "b"), "text"),
		"range of terms in field ": bleve.NewConjunctionQuery(bleve.NewTermRangeQuery("a", "b")),
	} {
		if n, err := x.Query(q); !errors.Is(err, frombleve.ErrUnsupported) || !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: node %+v, error %v", name, n, err)
		}
	}
	bad := bleve.NewDisjunctionQuery()
	bad.SetMin(2)
	fuzzy := bleve.NewFuzzyQuery("rose")
	fuzzy.SetFuzziness(3)
	for name, q := range map[string]bq.Query{"minimum": bad, "text": bleve.NewQueryStringQuery("title:"), "edits": fuzzy} {
		if n, err := x.Query(q); err == nil || errors.Is(err, frombleve.ErrUnsupported) {
			t.Errorf("%s: node %+v, error %v", name, n, err)
		}
	}
}
