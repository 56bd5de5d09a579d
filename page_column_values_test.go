package pinion_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Values that are only in columns are shown, alone and beside stored ones, and exported: ascending,
// equal ones once. Stored ones keep their order.
func TestColumnValues(t *testing.T) {
	ctx, fs := t.Context(), memfs.New()
	s := &schema.Schema{Fields: []schema.Field{
		{Name: "text", Kind: schema.Text, Stored: true}, {Name: "tag", Kind: schema.Keyword, Index: schema.IndexNone, Column: true},
		{Name: "n", Kind: schema.Integer, Column: true}, {Name: "both", Kind: schema.Integer, Column: true, Stored: true},
		{Name: "at", Kind: schema.Time, Unit: schema.UnitSecond, Column: true}, {Name: "lost", Kind: schema.Keyword},
	}}
	w, err := writer.OpenFS(ctx, fs, writer.Options{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		values := []schema.Value{schema.TextValue(0, []byte("word")), schema.IntegerValue(3, 9), schema.IntegerValue(3, 2), schema.IntegerValue(3, 9)}
		if i == 0 {
			values = append(values, schema.KeywordValue(1, []byte("y")), schema.KeywordValue(1, []byte("x")), schema.KeywordValue(1, []byte("y")),
				schema.IntegerValue(2, 5), schema.IntegerValue(2, -5), schema.NanosValue(4, 1_999_999_999))
		}
		if err := w.Add(ctx, writer.Doc{ID: fmt.Append(nil, "d", i), Values: values}); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	snap, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	pages, err := pinion.NewView(snap, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pages.Close()
	node := query.Match{Field: "text", Text: "word"}
	for _, tt := range []struct {
		fields []string
		want   string
	}{
		{[]string{"tag", "n"}, "d0[x y -5 5] d1[]"},
		{[]string{"n", "both", "tag", "text", "at"}, "d0[-5 5 9 2 9 x y word 1970-01-01T00:00:01Z] d1[9 2 9 word]"},
	} {
		page, err := pages.Search(ctx, pinion.Request{Query: node, Fields: tt.fields})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range page.Hits {
			got = append(got, fmt.Sprint(string(h.ID), h.Values))
			for _, v := range h.Values {
				if s.Fields[v.Field].Kind != v.Kind {
					t.Errorf("a value of kind %v of field %d", v.Kind, v.Field)
				}
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: got %q, want %q", tt.fields, got, tt.want)
		}
	}
	if _, err := pages.Search(ctx, pinion.Request{Query: node, Fields: []string{"lost"}}); !errors.Is(err, pinion.ErrInvalid) || !strings.Contains(err.Error(), `"lost"`) {
		t.Errorf("a field that is neither stored nor a column: %v", err)
	}
	if got, want := fmt.Sprint(pages.Schema()), fmt.Sprint(snap.Schema()); got != want {
		t.Errorf("schema %s, of the snapshot %s", got, want)
	}
	var b bytes.Buffer
	if _, err := exchange.ExportJSONL(ctx, &b, snap); err != nil {
		t.Fatal(err)
	}
	want := `{"id":"d0","text":"word","tag":["x","y"],"n":[-5,5],"both":[9,2,9],"at":"1970-01-01T00:00:01Z"}` + "\n" +
		`{"id":"d1","text":"word","both":[9,2,9]}` + "\n"
	if b.String() != want {
		t.Errorf("exported is %s\nwant %s", &b, want)
	}
}
