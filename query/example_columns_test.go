package query_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// The newest lines of a log, how many of all that match have which level, and how many are of each hour.
func ExampleQuery_sort() {
	ctx := context.Background()
	fs := memfs.New() // in memory; writer.Open opens a directory
	w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: &schema.Schema{Fields: []schema.Field{
		{Name: "line", Kind: schema.KindText, Analyzer: "simple"},
		{Name: "level", Kind: schema.KindKeyword, Column: true},
		{Name: "ts", Kind: schema.KindTime, Column: true, Unit: schema.UnitSecond},
	}}})
	if err != nil {
		panic(err)
	}
	at := time.Date(2026, 1, 31, 22, 0, 0, 0, time.UTC)
	for i, level := range []string{"info", "error", "info", "warn", "error", "info"} {
		err := w.AddDoc(ctx, writer.Doc{ID: fmt.Append(nil, "line", i), Values: []schema.Value{
			schema.TextValue(0, []byte("connection lost")), schema.KeywordValue(1, []byte(level)), schema.TimeValue(2, at.Add(time.Duration(i)*20*time.Minute))}})
		if err != nil {
			panic(err)
		}
	}
	if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
		panic(err)
	}
	index, err := reader.OpenFS(fs)
	if err != nil {
		panic(err)
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		panic(err)
	}
	defer snapshot.Close()
	s, err := query.NewSearcher(snapshot, query.Options{})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	r, err := s.Search(ctx, query.Query{Text: "connection", K: 2, Sort: []query.SortBy{{Field: "ts", Desc: true}},
		Facets: []query.Facet{{Field: "level"}, {Field: "ts", Every: int64(time.Hour)}}})
	if err != nil {
		panic(err)
	}
	for i := range r.Hits {
		fmt.Println(r.Sort[i][0])
	}
	for _, f := range r.Facets {
		for _, c := range f.Counts {
			fmt.Println(c.Value, c.Count)
		}
	}
	// Output:
	// 2026-01-31T23:40:00Z
	// 2026-01-31T23:20:00Z
	// info 3
	// error 2
	// warn 1
	// 2026-01-31T22:00:00Z 3
	// 2026-01-31T23:00:00Z 3
}
