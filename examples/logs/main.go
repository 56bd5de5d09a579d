// Logs adds lines of JSON from its standard input to an index, each with a time, a level and a message, deletes those of more than 30
// days before the newest, and prints the newest that match, with how many there are an hour:
//
//	go run ./examples/logs logs.idx "refused level:warn" <today.jsonl
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

type entry struct {
	ID             string
	Time           time.Time
	Level, Message string
}

func add(ctx context.Context, index *pinion.Index, lines *json.Decoder) error {
	for n := index.Len(); ; n++ {
		var e entry
		if err := lines.Decode(&e); err != nil {
			return err
		}
		e.ID = fmt.Sprint(e.Time.UnixNano(), "-", n)
		if err := pinion.For[entry](index).Add(ctx, e); err != nil {
			return err
		}
	}
}

func newest(ctx context.Context, index *pinion.Index, typed string) (pinion.TypedPage[entry], error) {
	return pinion.For[entry](index).Search(ctx, pinion.Request{
		Query: query.ParseLenient(index.Schema(), typed).Node,
		Sort:  []pinion.Sort{{Field: "time", Desc: true}}, Facets: []pinion.Facet{{Field: "time", Every: time.Hour}}, Limit: 50,
	})
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: logs DIR QUERY")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir, typed string) error {
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: schema.For[entry]().Set(schema.Field{Name: "message", Kind: schema.Text, Stored: true})})
	if err != nil {
		return err
	}
	defer index.Close()
	if err := add(ctx, index, json.NewDecoder(os.Stdin)); !errors.Is(err, io.EOF) {
		return err
	}
	page, err := newest(ctx, index, typed)
	if err != nil {
		return err
	}
	for _, hit := range page.Hits {
		fmt.Println(hit.Doc.Time.Format(time.RFC3339), hit.Doc.Level, hit.Doc.Message)
	}
	for _, hour := range page.Facets[0].Counts {
		fmt.Println(hour.Value.(time.Time).Format("15h"), hour.Count)
	}
	if len(page.Hits) > 0 {
		_, err = index.DeleteWhere(ctx, query.Below("time", page.Hits[0].Doc.Time.AddDate(0, 0, -30)))
	}
	return err
}
