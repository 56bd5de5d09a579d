package pinion_test

import (
	"testing"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// An index sorts its documents by a column if it is told to.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	s := &schema.Schema{Fields: []schema.Field{{Name: "n", Kind: schema.Integer, Column: true}}}
	x, err := pinion.Open(t.Context(), dir, pinion.Options{Schema: s, Order: writer.OrderField("n", true)})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	snap, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if field, desc, ok := snap.Order(); field.Name != "n" || !desc || !ok {
		t.Errorf("sorted by %q, descending %t, %t", field.Name, desc, ok)
	}
	if x, err := pinion.Open(t.Context(), dir, pinion.Options{Order: "field:none"}); err == nil {
		x.Close()
		t.Error("an order by no field")
	}
}
