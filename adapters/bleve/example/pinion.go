package example

import (
	"context"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/filter"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Schema says what mails consist of.
func Schema() *pinion.Schema {
	return &pinion.Schema{Fields: []pinion.Field{
		{Name: "from", Kind: schema.KindKeyword, Stored: true, Column: true},
		{Name: "subject", Kind: schema.KindText, Analyzer: "english", Index: schema.IndexPositions, Stored: true},
		{Name: "text", Kind: schema.KindText, Analyzer: "english", Index: schema.IndexPositions, Stored: true},
		{Name: "sent", Kind: schema.KindTime, Stored: true, Column: true},
	}}
}

// Pinion makes an index in dir and searches it.
func Pinion(ctx context.Context, dir string) (found Found, err error) {
	index, err := pinion.Open(ctx, dir, pinion.Options{Schema: Schema()})
	if err != nil {
		return nil, err
	}
	defer index.Close()
	for id, m := range Mails {
		if err := index.Add(ctx, pinion.Doc{ID: []byte(id), Values: []pinion.Value{
			schema.KeywordValue(0, []byte(m.From)),
			schema.TextValue(1, []byte(m.Subject)),
			schema.TextValue(2, []byte(m.Text)),
			schema.TimeValue(3, m.Sent),
		}}); err != nil {
			return nil, err
		}
	}
	if err := index.Sync(ctx); err != nil {
		return nil, err
	}

	words := pinion.Match{Field: "text", Text: "thorns of a rose"}
	phrase := query.Phrase{Field: "text", Text: "over budget"}
	from := pinion.Term{Field: "from", Term: []byte("ann@example.org")}
	since := filter.Range{Field: "sent", Min: schema.TimeValue(0, day(4)), Max: schema.TimeValue(0, day(10)), BelowMax: true}

	found = Found{}
	for name, q := range map[string]pinion.Node{
		"words": words, "phrase": phrase, "from": from,
		"since": pinion.Bool{Must: []pinion.Node{pinion.All{}}, Filter: []pinion.Filter{since}},
		"both":  pinion.Bool{Must: []pinion.Node{words}, Filter: []pinion.Filter{since}},
	} {
		page, err := index.Search(ctx, pinion.Request{Query: q})
		if err != nil {
			return nil, err
		}
		for _, hit := range page.Hits {
			found[name] = append(found[name], string(hit.ID))
		}
	}
	return found, nil
}
