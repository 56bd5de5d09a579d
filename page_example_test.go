package pinion_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// psalms indexes a few verses with their text and returns a snapshot.
func psalms() *reader.Snapshot {
	ctx := context.Background()
	dir := memfs.New() // in place of a directory
	w, err := writer.OpenFS(ctx, dir, writer.Options{Schema: schema.Implicit("english", "", true)})
	if err != nil {
		log.Fatal(err)
	}
	for id, text := range strings.Split("The LORD is my shepherd; I shall not want.\n"+
		"He maketh me to lie down in green pastures: he leadeth me beside the still waters.\n"+
		"Deep calleth unto deep at the noise of thy waterspouts: all thy waves and thy billows are gone over me.\n"+
		"The voice of the LORD is upon the waters.", "\n") {
		if err := w.Add(ctx, writer.Text(fmt.Append(nil, id), []byte(text))); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		log.Fatal(err)
	}
	w.Close()
	index, err := reader.Open(ctx, reader.FromStore(dir), reader.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close() // the snapshot stays open
	snapshot, err := index.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	return snapshot
}

func Example() {
	snapshot := psalms()
	defer snapshot.Close()
	pages, err := pinion.NewView(snapshot, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer pages.Close()
	page, err := pages.Search(context.Background(), pinion.Request{Query: query.Match{Text: "still water"}, Snippet: &pinion.Snippet{Length: 60}})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range page.Hits {
		fmt.Printf("%s %.3f ", h.ID, h.Score)
		at := 0
		for _, s := range h.Passage().Spans {
			fmt.Printf("%s<b>%s</b>", h.Passage().Text[at:s.Start], h.Passage().Text[s.Start:s.End])
			at = s.End
		}
		fmt.Printf("%s\n", h.Passage().Text[at:])
	}
	// Output:
	// 1 1.649 in green pastures: he leadeth me beside the <b>still</b> <b>waters</b>.
	// 3 0.908 The voice of the LORD is upon the <b>waters</b>.
}

// A page begins after the last hit of the one before.
func ExamplePage_Next() {
	snapshot := psalms()
	defer snapshot.Close()
	pages, err := pinion.NewView(snapshot, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer pages.Close()
	r := pinion.Request{Query: query.Match{Text: "the LORD and the deep waters"}, Limit: 3}
	for {
		page, err := pages.Search(context.Background(), r)
		if err != nil {
			log.Fatal(err)
		}
		for i, h := range page.Hits {
			fmt.Printf("%d %s\n", i+1, h.ID)
		}
		fmt.Println("--")
		if r.After = page.Next(); r.After == nil {
			break
		}
	}
	// Output:
	// 1 3
	// 2 2
	// 3 0
	// --
	// 1 1
	// --
}

// Marks finds the words of a query in a text that is shown whole.
func ExampleView_Marks() {
	snapshot := psalms()
	defer snapshot.Close()
	pages, err := pinion.NewView(snapshot, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer pages.Close()
	text := "Running water: run!"
	spans, err := pages.Marks(query.Match{Text: "runs"}, "", []byte(text))
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range spans {
		fmt.Println(text[s.Start:s.End])
	}
	// Output:
	// Running
	// run
}

// With a schema, a page shows the values of stored fields, and words are marked in the fields in
// which they are searched.
func ExampleSearcher_Search_fields() {
	ctx := context.Background()
	fields := &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "english", Stored: true, Boost: 2},
		{Name: "body", Kind: schema.Text, Analyzer: "english", Stored: true},
		{Name: "price", Kind: schema.Float, Stored: true},
	}}
	dir := memfs.New() // in place of a directory
	w, err := writer.OpenFS(ctx, dir, writer.Options{Schema: fields})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range []writer.Doc{
		{ID: []byte("shoe"), Values: []schema.Value{schema.TextValue(0, []byte("Running shoes")), schema.TextValue(1, []byte("Made for rain.")), schema.FloatValue(2, 59.5)}},
		{ID: []byte("coat"), Values: []schema.Value{schema.TextValue(0, []byte("Rain coat")), schema.TextValue(1, []byte("Keeps you dry when you run in the rain.")), schema.FloatValue(2, 120)}},
	} {
		if err := w.Add(ctx, d); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		log.Fatal(err)
	}
	w.Close()
	index, err := reader.Open(ctx, reader.FromStore(dir), reader.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer snapshot.Close()
	pages, err := pinion.NewView(snapshot, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer pages.Close()
	page, err := pages.Search(ctx, pinion.Request{Query: query.Match{Text: "runs"}, Fields: []string{"title", "price"}, Snippet: &pinion.Snippet{Field: "body"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range page.Hits {
		fmt.Printf("%s costs %v: %s", h.Values[0].Bytes(), h.Values[1].Float(), h.Passage().Text)
		for _, s := range h.Passage().Spans {
			fmt.Printf(" (%s)", h.Passage().Text[s.Start:s.End])
		}
		fmt.Println()
	}
	// Output:
	// Running shoes costs 59.5: Made for rain.
	// Rain coat costs 120: Keeps you dry when you run in the rain. (run)
}
