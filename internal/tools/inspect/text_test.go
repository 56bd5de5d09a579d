package inspect

import (
	"context"
	"errors"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// The stored text of a document with fields names them as the manifest does.
func TestText(t *testing.T) {
	ctx, fs := context.Background(), memfs.New()
	s := &schema.Schema{Fields: []schema.Field{{Name: "title", Kind: schema.Text, Stored: true}, {Name: "n", Kind: schema.Integer, Stored: true}}}
	for round := range 2 {
		w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: s})
		if err == nil && s.NextID == 0 {
			err = w.Add(ctx, writer.Doc{ID: []byte("a"), Values: []schema.Value{schema.TextValue(0, []byte("text")), schema.IntegerValue(1, 7)}})
		}
		if err = errors.Join(err, w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		x, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		snap, err := x.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		g := snap.Segments()[0]
		text, err := g.AppendStored(nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := Text(g.Views(), &indexdir.Manifest{Schema: snap.Schema()}, 0, text)
		if want := s.Fields[0].Name + ": text\nn: 7\n"; string(shown) != want || err != nil {
			t.Errorf("%q, %v, want %q", shown, err, want)
		}
		if shown, err := Text(g.Views(), nil, 0, text); string(shown) != "title: text\nn: 7\n" || err != nil {
			t.Errorf("without a manifest %q, %v", shown, err)
		}
		if round == 0 {
			if s, err = snap.Schema().Rename("title", "heading"); err != nil {
				t.Fatal(err)
			}
		}
		snap.Close()
		x.Close()
	}
}
