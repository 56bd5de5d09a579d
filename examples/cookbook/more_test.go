package cookbook

import (
	"fmt"
	"strings"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/eval"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// The newest 50 with a histogram.
func Example_logs() {
	ctx, dir := begin()
	// begin logs
	logs, err := pinion.Open(ctx, dir, pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "message", Kind: schema.Text, Stored: true},
		{Name: "level", Kind: schema.Keyword, Column: true},
		{Name: "ts", Kind: schema.Time, Column: true},
	}}})
	check(err)
	defer logs.Close()
	noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for i := range 100 {
		check(logs.Add(ctx, pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{
			"message": "connection refused", "level": []string{"warn", "info"}[i%2], "ts": noon.Add(time.Duration(i) * time.Minute)}}))
	}
	page, err := logs.Search(ctx, pinion.Request{
		Query:  query.ParseLenient(logs.Schema(), "refused level:warn").Node,
		Filter: query.AtLeast("ts", noon.Add(-24*time.Hour)),
		Sort:   []pinion.Sort{{Field: "ts", Desc: true}},
		Facets: []pinion.Facet{{Field: "ts", Every: time.Hour}},
		Fields: []string{"ts", "message"},
		Limit:  50,
	})
	check(err)
	fmt.Println("newest:", page.Hits[0].Value("ts"), page.Hits[0].Value("message"))
	for _, hour := range page.Facets[0].Counts {
		fmt.Println(hour.Value, hour.Count)
	}
	gone, err := logs.DeleteWhere(ctx, query.Below("ts", noon.Add(time.Hour)))
	check(err)
	fmt.Println(gone, "deleted,", logs.Len(), "left")
	// end

	// Output:
	// newest: 2026-11-29 13:38:00 +0000 UTC connection refused
	// 2026-11-29 12:00:00 +0000 UTC 30
	// 2026-11-29 13:00:00 +0000 UTC 20
	// 60 deleted, 40 left
}

type row struct {
	id, text string
	deleted  bool
}

type table struct {
	rows []row
}

func (t *table) since(at string) (rows []row, now string) {
	n := 0
	fmt.Sscan(at, &n)
	return t.rows[n:], fmt.Sprint(len(t.rows))
}

// Sync with a table.
func Example_sync() {
	ctx, dir := begin()
	index, err := pinion.Open(ctx, dir, pinion.Options{})
	check(err)
	defer index.Close()
	table := &table{rows: []row{{"a", "a rose", false}, {"b", "a tulip", false}, {"a", "", true}}}
	// begin sync
	at, _ := index.Meta("table") // "" at first
	rows, now := table.since(at)
	var batch pinion.Batch
	for _, r := range rows {
		if r.deleted {
			batch.Delete(r.id)
		} else {
			batch.Add(pinion.Text(r.id, r.text))
		}
	}
	batch.SetMeta("table", now) // kept with the changes, or neither is
	check(index.Apply(ctx, &batch))
	// end

	at, _ = index.Meta("table")
	fmt.Println(index.Len(), at)
	// Output: 1 3
}

// Completion and correction.
func Example_suggest() {
	ctx, dir := begin()
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Stored: true}}}})
	check(err)
	defer index.Close()
	check(index.Add(ctx, pinion.Text("a", "the shepherd"), pinion.Text("b", "shepherds and sheep"), pinion.Text("c", "my shepherd")))
	// begin suggest
	words, err := index.Suggest(ctx, "text", "shep")
	check(err)
	meant, err := index.Similar(ctx, "text", "sheperd")
	check(err)
	fmt.Println(words, meant)
	// end

	// Output: [{shepherd 2} {shepherds 1}] [{shepherd 2}]
}

// Tenants.
func Example_tenants() {
	ctx, dir := begin()
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text, Stored: true}, {Name: "tenant", Kind: schema.Keyword, Column: true},
	}}})
	check(err)
	defer index.Close()
	for i, tenant := range []string{"red", "blue", "red"} {
		check(index.Add(ctx, pinion.Doc{ID: fmt.Sprint(i), Fields: map[string]any{"text": "note " + tenant, "tenant": tenant}}))
	}
	// begin tenants
	of := query.Equal("tenant", "red") // from who is logged in, never from what is typed
	typed := query.ParseLenient(index.Schema(), "note OR tenant:blue")
	page, err := index.Search(ctx, pinion.Request{Query: typed.Node, Filter: of, Total: true})
	check(err)
	n, err := index.Count(ctx, query.And{of, typed.Node})
	check(err)
	fmt.Println(page.Total, n)
	for hit, err := range index.All(ctx, of) { // an export
		check(err)
		fmt.Println(hit.ID, hit.Value("text"))
	}
	// end

	// Output:
	// 2 2
	// 0 note red
	// 2 note red
}

// A second process.
func Example_reader() {
	ctx, dir := begin()
	index, err := pinion.Open(ctx, dir, pinion.Options{})
	check(err)
	defer index.Close()
	check(index.Add(ctx, pinion.Text("a", "a rose")))
	check(index.Sync(ctx))
	// begin reader
	reader, err := pinion.OpenReader(ctx, dir) // in any process; it takes no lock
	check(err)
	defer reader.Close()
	fmt.Println(reader.Len())
	check(index.Add(ctx, pinion.Text("b", "a tulip")))
	check(index.Sync(ctx)) // other processes see what is durable
	page, err := reader.Search(ctx, pinion.Request{Query: query.Match{Text: "tulip"}})
	check(err)
	fmt.Println(page.Hits[0].ID)
	// end

	// Output:
	// 1
	// b
}

// Backup and restore.
func Example_backup() {
	ctx, dir := begin()
	index, err := pinion.Open(ctx, dir+"/shop.idx", pinion.Options{})
	check(err)
	check(index.Add(ctx, pinion.Text("a", "a rose")))
	// begin backup
	check(index.Backup(ctx, dir+"/monday.idx")) // while it is searched and changed
	check(index.Delete(ctx, "a"))               // by mistake
	check(index.Close())
	index, err = pinion.Open(ctx, dir+"/monday.idx", pinion.Options{}) // a backup is an index
	check(err)
	fmt.Println(index.Len())
	// end

	check(index.Close())
	// Output: 1
}

// Judging a ranking.
func Example_judge() {
	ctx, dir := begin()
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: shopSchema})
	check(err)
	defer index.Close()
	check(pinion.For[Product](index).Add(ctx, products...))
	// begin judge
	qrels, err := eval.ReadQrels("qrels", strings.NewReader("1 0 a 1\n1 0 b 1\n1 0 c 2\n")) // TREC's: query, 0, document, relevance
	check(err)
	for _, fields := range [][]string{{"title"}, {"title^3", "body"}} {
		run := eval.Run{}
		page, err := index.Search(ctx, pinion.Request{Query: query.Match{Text: "smell of roses", Fields: fields}, Limit: 1000})
		check(err)
		for _, hit := range page.Hits {
			run["1"] = append(run["1"], eval.Doc{ID: hit.ID, Score: float64(hit.Score)})
		}
		result, err := eval.Evaluate(run, qrels, []eval.Measure{eval.MAP, eval.NDCG(10)}, eval.Options{})
		check(err)
		fmt.Println(fields, result.Means)
	}
	// end

	// Output:
	// [title] [0.6666666666666666 0.8403030283801005]
	// [title^3 body] [1 1]
}

// A schema change.
func Example_evolve() {
	ctx, dir := begin()
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: shopSchema})
	check(err)
	defer index.Close()
	check(pinion.For[Product](index).Add(ctx, products...))
	// begin evolve
	check(index.Evolve(ctx, index.Schema().Set(schema.Field{Name: "stock", Kind: schema.Integer, Column: true}))) // while it is searched
	check(index.Add(ctx, pinion.Doc{ID: "e", Fields: map[string]any{"title": "Blue vase", "price": 7, "stock": 3}}))
	n, err := index.Count(ctx, query.And{query.Match{Field: "title", Text: "vase"}, query.AtLeast("stock", 1)})
	check(err)
	fmt.Println(index.Len(), "documents,", n, "in stock")
	// end

	// Output: 5 documents, 1 in stock
}
