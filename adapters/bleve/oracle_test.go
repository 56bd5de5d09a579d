package bleve_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	_ "github.com/blevesearch/bleve/v2/analysis/analyzer/simple"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	bq "github.com/blevesearch/bleve/v2/search/query"
	"pgregory.net/rapid"

	frombleve "github.com/pinion-index/pinion/adapters/bleve"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// tester has what rapid.T and testing.T have.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func do(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// oldIndex returns an index of bleve's in memory.
func oldIndex(t tester, m *mapping.IndexMappingImpl, docs map[string]map[string]any) bleve.Index {
	t.Helper()
	x, err := bleve.NewUsing("", m, scorch.Name, bleve.Config.DefaultMemKVStore, nil)
	do(t, err)
	batch := x.NewBatch()
	for id, d := range docs {
		do(t, batch.Index(id, d))
	}
	do(t, x.Batch(batch))
	return x
}

// newIndex is a copy of an index of bleve's.
type newIndex struct {
	*frombleve.Translation
	report   *frombleve.Report
	snapshot *reader.Snapshot
	searcher *search.Searcher
	close    func()
}

func copyOf(t tester, x bleve.Index, o frombleve.Options) *newIndex {
	t.Helper()
	ctx := context.Background()
	n := &newIndex{}
	var err error
	n.Translation, err = frombleve.TranslateIndex(ctx, x, o)
	do(t, err)
	fs := memfs.New()
	w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: n.Schema, Memory: writer.MinMemory, Threads: 1})
	do(t, err)
	advanced, err := x.Advanced()
	do(t, err)
	r, err := advanced.Reader()
	do(t, err)
	n.report, err = n.Copy(ctx, r, w.Add, nil)
	do(t, err)
	do(t, r.Close())
	do(t, w.Commit(ctx))
	do(t, w.Close())
	index, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	do(t, err)
	n.snapshot, err = index.Snapshot()
	do(t, err)
	n.searcher, err = search.NewSearcher(n.snapshot, search.Options{})
	do(t, err)
	n.close = func() { n.searcher.Close(); n.snapshot.Close(); index.Close() }
	return n
}

// matches returns the ids of the documents that match, sorted.
func (n *newIndex) matches(node query.Node) (ids []string, err error) {
	for doc, err := range n.searcher.Matches(context.Background(), search.Query{Node: node}) {
		if err != nil {
			return nil, err
		}
		id, err := n.snapshot.AppendID(nil, doc)
		if err != nil {
			return nil, err
		}
		ids = append(ids, string(id))
	}
	slices.Sort(ids)
	return ids, nil
}

func oldMatches(x bleve.Index, q bq.Query) (ids []string, err error) {
	r, err := x.Search(bleve.NewSearchRequestOptions(q, 1000, 0, false))
	if err != nil {
		return nil, err
	}
	for _, hit := range r.Hits {
		ids = append(ids, hit.ID)
	}
	slices.Sort(ids)
	return ids, nil
}

// words are cut and stemmed alike by both, and stop words of either are not among them.
var words = []string{"rose", "roses", "rise", "thorn", "thorns", "froze", "garden", "violet", "ivy"}

func word() *rapid.Generator[string] { return rapid.SampledFrom(words) }

func phraseOf(least, most int) *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(word(), least, most), func(w []string) string { return strings.Join(w, " ") })
}

func drawMapping(t *rapid.T) *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	do(t, m.AddCustomAnalyzer("words", map[string]any{"type": "custom", "tokenizer": "unicode", "token_filters": []string{"to_lower"}}))
	flip := rapid.Bool()
	d := bleve.NewDocumentMapping()
	d.Dynamic = flip.Draw(t, "dynamic")
	of := func(f *mapping.FieldMapping) *mapping.FieldMapping {
		f.IncludeInAll, f.DocValues = flip.Draw(t, "all"), flip.Draw(t, "docvalues")
		return f
	}
	text := func() *mapping.FieldMapping {
		f := of(bleve.NewTextFieldMapping())
		f.Analyzer = rapid.SampledFrom([]string{"", "standard", "simple", "en", "words"}).Draw(t, "analyzer")
		f.IncludeTermVectors = rapid.IntRange(0, 3).Draw(t, "vectors") > 0
		return f
	}
	d.AddFieldMappingsAt("title", text())
	body := bleve.NewDocumentMapping()
	body.AddFieldMappingsAt("text", text())
	d.AddSubDocumentMapping("body", body)
	d.AddFieldMappingsAt("tag", of(bleve.NewKeywordFieldMapping()))
	d.AddFieldMappingsAt("n", of(bleve.NewNumericFieldMapping()))
	d.AddFieldMappingsAt("at", of(bleve.NewDateTimeFieldMapping()))
	d.AddFieldMappingsAt("ok", of(bleve.NewBooleanFieldMapping()))
	m.DefaultMapping = d
	return m
}

func drawDoc(t *rapid.T) map[string]any {
	d := map[string]any{}
	put := func(name string, g *rapid.Generator[any]) {
		switch rapid.IntRange(0, 3).Draw(t, "values") {
		case 1, 2:
			d[name] = g.Draw(t, name)
		case 3:
			d[name] = []any{g.Draw(t, name), g.Draw(t, name)}
		}
	}
	put("title", phraseOf(0, 4).AsAny())
	if t := phraseOf(1, 8).Draw(t, "text"); t != "" {
		d["body"] = map[string]any{"text": t}
	}
	put("tag", phraseOf(1, 2).AsAny())
	put("free", phraseOf(1, 3).AsAny())
	put("n", rapid.SampledFrom([]any{-2.0, -0.5, 1.0, 2.5, 7.0, 1e9}))
	put("at", rapid.Map(rapid.IntRange(1, 9), func(n int) any { return day(n).Format(time.RFC3339) }))
	put("ok", rapid.Bool().AsAny())
	return d
}

func day(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC) }

// kinds draw a query of each kind, but for trees, in a field of text.
var kinds = map[string]func(t *rapid.T) bq.FieldableQuery{
	"match": func(t *rapid.T) bq.FieldableQuery {
		q := bleve.NewMatchQuery(phraseOf(0, 3).Draw(t, "text"))
		q.SetOperator(rapid.SampledFrom([]bq.MatchQueryOperator{bq.MatchQueryOperatorOr, bq.MatchQueryOperatorAnd}).Draw(t, "operator"))
		q.SetFuzziness(rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "fuzziness"))
		q.SetPrefix(rapid.IntRange(0, 3).Draw(t, "prefix"))
		q.SetAutoFuzziness(rapid.IntRange(0, 4).Draw(t, "auto") == 0)
		return q
	},
	"match phrase": func(t *rapid.T) bq.FieldableQuery { return bleve.NewMatchPhraseQuery(phraseOf(0, 3).Draw(t, "text")) },
	"phrase": func(t *rapid.T) bq.FieldableQuery {
		return bleve.NewPhraseQuery(rapid.SliceOfN(word(), 1, 3).Draw(t, "terms"), "")
	},
	"multi phrase": func(t *rapid.T) bq.FieldableQuery {
		return bq.NewMultiPhraseQuery(rapid.SliceOfN(rapid.SliceOfNDistinct(word(), 1, 2, rapid.ID), 1, 3).Draw(t, "terms"), "")
	},
	"term":   func(t *rapid.T) bq.FieldableQuery { return bleve.NewTermQuery(phraseOf(1, 2).Draw(t, "term")) },
	"prefix": func(t *rapid.T) bq.FieldableQuery { return bleve.NewPrefixQuery(word().Draw(t, "prefix")) },
	"wildcard": func(t *rapid.T) bq.FieldableQuery {
		return bleve.NewWildcardQuery(rapid.SampledFrom([]string{"ro*", "r?se", "*orn*", "rose", "th?rn?", `ro\*`}).Draw(t, "wildcard"))
	},
	"regexp": func(t *rapid.T) bq.FieldableQuery {
		return bleve.NewRegexpQuery(rapid.SampledFrom([]string{"ro.e", "^ro.*", "th[a-p]rns?", "(rose|thorn)s{0,1}", "ivy"}).Draw(t, "regexp"))
	},
	"fuzzy": func(t *rapid.T) bq.FieldableQuery {
		q := bleve.NewFuzzyQuery(word().Draw(t, "term"))
		q.SetFuzziness(rapid.IntRange(0, 2).Draw(t, "fuzziness"))
		q.SetPrefix(rapid.IntRange(0, 3).Draw(t, "prefix"))
		return q
	},
}

// others draw queries of fields of other types, and of none.
var others = []func(t *rapid.T) bq.Query{
	func(t *rapid.T) bq.Query {
		bound := rapid.Ptr(rapid.SampledFrom([]float64{-3, -2, -0.5, 1, 2.5, 8}), true)
		end := rapid.Ptr(rapid.Bool(), true)
		low := bound.Draw(t, "min")
		high := rapid.Ptr(rapid.SampledFrom([]float64{-2, 1, 2.5, 7}), low != nil).Draw(t, "max")
		q := bleve.NewNumericRangeInclusiveQuery(low, high, end.Draw(t, "inclusive"), end.Draw(t, "inclusive"))
		q.SetField("n") // in _all bleve takes times for numbers
		return q
	},
	func(t *rapid.T) bq.Query {
		end := rapid.Ptr(rapid.Bool(), true)
		from := day(rapid.IntRange(0, 9).Draw(t, "from"))
		q := bleve.NewDateRangeInclusiveQuery(from, from.AddDate(0, 0, rapid.IntRange(0, 4).Draw(t, "days")), end.Draw(t, "inclusive"), end.Draw(t, "inclusive"))
		q.SetField("at")
		return q
	},
	func(t *rapid.T) bq.Query {
		q := bleve.NewDateRangeInclusiveStringQuery(day(rapid.IntRange(1, 9).Draw(t, "from")).Format(time.RFC3339), "", nil, nil)
		q.SetField("at")
		return q
	},
	func(t *rapid.T) bq.Query {
		q := bleve.NewTermRangeQuery(word().Draw(t, "min"), rapid.SampledFrom(append(words, "")).Draw(t, "max"))
		q.SetField("tag")
		return q
	},
	func(t *rapid.T) bq.Query {
		q := bleve.NewBoolFieldQuery(rapid.Bool().Draw(t, "bool"))
		q.SetField("ok")
		return q
	},
	func(t *rapid.T) bq.Query {
		return bleve.NewDocIDQuery(rapid.SliceOfN(rapid.SampledFrom([]string{"0", "1", "2", "3", "no"}), 0, 3).Draw(t, "ids"))
	},
	func(*rapid.T) bq.Query { return bleve.NewMatchAllQuery() },
	func(*rapid.T) bq.Query { return bleve.NewMatchNoneQuery() },
	func(t *rapid.T) bq.Query {
		parts := []string{"rose", "+rose", "-thorn", "title:roses", `"rose thorn"`, "froze~1", "body.text:ro*", "thorn^3", "+tag:ivy", "n:>1",
			"n:<=2.5", "2.5", `at:>="2026-11-03T12:00:00Z"`, "+the", "/ro.e/", "-free:rose"}
		return bleve.NewQueryStringQuery(strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 4).Draw(t, "text"), " "))
	},
}

func drawQuery(t *rapid.T, depth int) bq.Query {
	some := func(least int) []bq.Query {
		qs := make([]bq.Query, rapid.IntRange(least, 3).Draw(t, "clauses"))
		for i := range qs {
			qs[i] = drawQuery(t, depth-1)
		}
		return qs
	}
	n := rapid.IntRange(0, 9).Draw(t, "kind")
	switch {
	case n < 4 || n < 7 && depth == 0:
		names := make([]string, 0, len(kinds))
		for name := range kinds {
			names = append(names, name)
		}
		slices.Sort(names)
		q := kinds[rapid.SampledFrom(names).Draw(t, "text")](t)
		q.SetField(rapid.SampledFrom([]string{"title", "body.text", "tag", "free", "", "absent"}).Draw(t, "field"))
		return q
	case depth == 0 || n < 6:
		return rapid.SampledFrom(others).Draw(t, "other")(t)
	case n == 6:
		return bleve.NewConjunctionQuery(some(0)...)
	case n == 7:
		q := bleve.NewDisjunctionQuery(some(0)...)
		q.SetMin(float64(rapid.IntRange(0, len(q.Disjuncts)).Draw(t, "min")))
		return q
	default:
		q := bleve.NewBooleanQuery()
		q.AddMust(some(0)...)
		if should := some(0); len(should) > 0 {
			q.AddShould(should...)
			q.SetMinShould(float64(rapid.IntRange(0, len(should)).Draw(t, "min")))
		}
		q.AddMustNot(some(0)...)
		if rapid.Bool().Draw(t, "filtered") {
			q.AddFilter(drawQuery(t, 0))
		}
		return q
	}
}

// TestMatches compares the matches of random queries over random documents and mappings with those of bleve.
func TestMatches(t *testing.T) {
	// Always the same cases, unless asked for others: what bleve does is not ours to mend.
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		for name, value := range map[string]string{"rapid.checks": "40", "rapid.seed": "7"} {
			f := flag.Lookup(name)
			do(t, f.Value.Set(value))
			defer f.Value.Set(f.DefValue)
		}
	}
	compared, refused := 0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		docs := map[string]map[string]any{}
		for i := range rapid.IntRange(1, 12).Draw(t, "docs") {
			docs[fmt.Sprint(i)] = drawDoc(t)
		}
		docs["0"]["title"] = "rose" // a field at least
		old := oldIndex(t, drawMapping(t), docs)
		defer old.Close()
		now := copyOf(t, old, frombleve.Options{})
		defer now.close()
		for range 25 {
			q := drawQuery(t, 2)
			want, err := oldMatches(old, q)
			node, errNow := now.Query(q)
			switch {
			case errors.Is(errNow, frombleve.ErrUnsupported):
				refused[errNow.Error()]++
				continue
			case err != nil || errNow != nil:
				if (err == nil) != (errNow == nil) {
					t.Fatalf("%s: error %v, of bleve %v", dump(q), errNow, err)
				}
				continue
			}
			got, err := now.matches(node)
			do(t, err)
			compared++
			if !slices.Equal(got, want) {
				t.Fatalf("%s: matches %q, of bleve %q; node %+v, docs %v", dump(q), got, want, node, docs)
			}
		}
	})
	if compared == 0 {
		t.Fatal("no query was compared")
	}
	t.Logf("%d queries compared; refused: %v", compared, refused)
}

func dump(q bq.Query) string {
	s, err := bq.DumpQuery(bleve.NewIndexMapping(), q)
	if err != nil {
		return fmt.Sprintf("%+v", q)
	}
	return s
}
