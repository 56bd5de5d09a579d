package writer

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
)

// changeAtRandom adds, deletes and flushes a few documents, and commits.
func changeAtRandom(t *testing.T, rt *rapid.T, w *Writer, m *model, label string) {
	for i := range rapid.IntRange(0, 12).Draw(rt, label) {
		id := fmt.Sprint("d", rapid.IntRange(0, 9).Draw(rt, "id"))
		var err error
		switch rapid.IntRange(0, 5).Draw(rt, "what") {
		case 0:
			m.delete(id)
			err = w.Delete(t.Context(), []byte(id))
		case 1:
			err = w.Commit(t.Context())
		default:
			text := fmt.Sprint(label, " ", i)
			m.add(id, text)
			err = w.Add(t.Context(), doc(id, text))
		}
		if err != nil {
			rt.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		rt.Fatal(err)
	}
}

// TestAddFrom: an index to which another was added has what it would have if the other's live documents
// had been added one by one, and the other's segments by their ids.
func TestAddFrom(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		fs, other := memfs.New(), memfs.New()
		opts := Options{Schema: schema.Implicit("whitespace", "", true), MergePolicy: NoMerges}
		w, v := mustOpen(rt, fs, opts), mustOpen(rt, other, opts)
		defer w.Close()
		m, n := model{stored: true}, model{stored: true}
		changeAtRandom(t, rt, w, &m, "own")
		changeAtRandom(t, rt, v, &n, "other")
		want := v.lock.Manifest().Segments
		if err := v.Close(); err != nil {
			rt.Fatal(err)
		}
		from, err := indexdir.OpenFS(other)
		if err != nil {
			rt.Fatal(err)
		}
		defer from.Close()
		if err := w.AddFrom(t.Context(), from.FS()); err != nil {
			rt.Fatal(err)
		}
		if err := w.Commit(t.Context()); err != nil {
			rt.Fatal(err)
		}
		for _, d := range n.docs {
			m.delete(d.id)
			m.docs = append(m.docs, d)
		}
		if d := m.diff(dump(t, fs)); d != "" {
			rt.Fatal(d)
		}
		got := w.lock.Manifest().Segments
		got = got[len(got)-len(want):]
		for i := range want {
			if got[i].ID != want[i].ID || got[i].Deleted != want[i].Deleted || got[i].DeletedTokens != want[i].DeletedTokens {
				rt.Fatalf("segment %d is %+v, it was %+v", i, got[i], want[i])
			}
		}
	})
}

func TestAddFromRefuses(t *testing.T) {
	w := mustOpen(t, memfs.New(), Options{Schema: schema.Implicit("whitespace", "", false)})
	defer w.Close()
	if err := w.AddFrom(t.Context(), nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("nil: %v", err)
	}
	if err := w.AddFrom(t.Context(), w.dir.FS()); err == nil {
		t.Error("an index is added to itself")
	}
	other := memfs.New()
	v := mustOpen(t, other, Options{Schema: &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text}}}})
	if err := errors.Join(v.Commit(t.Context()), v.Close()); err != nil {
		t.Fatal(err)
	}
	dir, err := indexdir.OpenFS(other)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := w.AddFrom(t.Context(), dir.FS()); !errors.Is(err, schema.ErrInvalid) {
		t.Errorf("an index with a schema: %v", err)
	}
	if err := w.Add(t.Context(), doc("1", "still usable")); err != nil {
		t.Error(err)
	}
}
