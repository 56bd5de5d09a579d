package reader_test

import (
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// A snapshot says by what the manifest says that documents are sorted.
func TestOrder(t *testing.T) {
	for _, want := range []indexdir.Order{{}, {Field: 2}, {Field: 2, Desc: true}} {
		fs := memfs.New()
		dir, err := indexdir.OpenFS(fs)
		if err != nil {
			t.Fatal(err)
		}
		s, err := (&schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text}, {Name: "n", Kind: schema.Integer, Column: true}}}).Adopt(&schema.Schema{})
		if err != nil {
			t.Fatal(err)
		}
		lock, err := dir.LockWith(indexdir.LockOptions{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		m := lock.Manifest()
		m.Order = want
		if err := lock.Commit(m); err != nil {
			t.Fatal(err)
		}
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		snap, err := r.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		field, desc, ok := snap.Order()
		if ok != (want.Field == 2) || desc != want.Desc || ok != (field.Name == "n") {
			t.Errorf("%+v: %q, %t, %t", want, field.Name, desc, ok)
		}
		snap.Close()
		r.Close()
		dir.Close()
		if _, _, ok := snap.Order(); ok && want.Field == 0 {
			t.Error("a closed snapshot has an order")
		}
	}
	var zero reader.Snapshot
	if field, _, ok := zero.Order(); ok || field.Name != "" {
		t.Errorf("the zero Snapshot: %q, %t", field.Name, ok)
	}
}
