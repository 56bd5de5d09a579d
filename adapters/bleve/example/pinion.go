package example

import (
	"context"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Schema says what mails consist of.
func Schema() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "from", Kind: schema.Keyword, Stored: true, Column: true},
		{Name: "subject", Kind: schema.Text, Analyzer: "english", Positions: true, Stored: true},
		{Name: "text", Kind: schema.Text, Analyzer: "english", Positions: true, Stored: true},
		{Name: "sent", Kind: schema.Time, Stored: true, Column: true},
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
		if err := index.Add(ctx, pinion.Doc{ID: id, Fields: map[string]any{
			"from": m.From, "subject": m.Subject, "text": m.Text, "sent": m.Sent,
		}}); err != nil {
			return nil, err
		}
	}
	if err := index.Sync(ctx); err != nil {
		return nil, err
	}

	words := query.Match{Field: "text", Text: "thorns of a rose"}
	phrase := query.Phrase{Field: "text", Text: "over budget"}
	from := query.Term{Field: "from", Text: "ann@example.org"}
	since := query.Range{Field: "sent", Min: schema.TimeValue(0, day(4)), Max: schema.TimeValue(0, day(10)), BelowMax: true}

	found = Found{}
	for name, q := range map[string]query.Node{
		"words": words, "phrase": phrase, "from": from,
		"since": query.Bool{Must: []query.Node{query.All{}}, Filter: []query.Node{since}},
		"both":  query.Bool{Must: []query.Node{words}, Filter: []query.Node{since}},
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
