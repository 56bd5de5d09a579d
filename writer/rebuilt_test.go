package writer_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/indexdir/mending"
	verify "github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// An index of which all manifests, or the newest, are lost gets its schema back from the others
// and from its segments.
func TestRebuiltSchema(t *testing.T) {
	for what, keep := range map[string]int{"no manifest": 0, "an older manifest": 1} {
		t.Run(what, func(t *testing.T) {
			text := func(field int, s string) schema.Value { return schema.TextValue(field, []byte(s)) }
			path := newIndex(t, &schema.Schema{Fields: []schema.Field{
				{Name: "title", Kind: schema.Text, Analyzer: "english", Stored: true, Boost: 2},
				{Name: "body", Kind: schema.Text, Lengths: schema.LengthsByte},
			}}, writer.Doc{ID: []byte("1"), Values: []schema.Value{text(0, "white whales"), text(1, "the sea")}},
				writer.Doc{ID: []byte("2"), Values: []schema.Value{text(0, "gone")}})
			w, err := writer.Open(t.Context(), path, writer.Options{KeepCommits: 2, MergePolicy: writer.NoMerges})
			if err != nil {
				t.Fatal(err)
			}
			s, err := w.Schema().Rename("title", "headline")
			if err == nil {
				s, err = s.Add(schema.Field{Name: "tag", Kind: schema.Keyword, Stored: true})
			}
			if err = errors.Join(err, w.Close()); err != nil {
				t.Fatal(err)
			}
			if w, err = writer.Open(t.Context(), path, writer.Options{KeepCommits: 2, Schema: s, MergePolicy: writer.NoMerges}); err != nil {
				t.Fatal(err)
			}
			d := writer.Doc{ID: []byte("3"), Values: []schema.Value{text(0, "three"), schema.KeywordValue(2, []byte("sea story"))}}
			if err := errors.Join(w.Add(t.Context(), d), w.Delete(t.Context(), []byte("2")), w.Commit(t.Context()), w.Close()); err != nil {
				t.Fatal(err)
			}
			lose(t, path, keep)
			repair(t, path)
			x, err := reader.Open(t.Context(), reader.Dir(path), reader.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			snapshot, err := x.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			defer snapshot.Close()
			if err := snapshot.Verify(t.Context()); err != nil {
				t.Fatal(err)
			}
			name := "headline" // as in the newest segment
			if keep > 0 {
				name = "title" // as in the manifest
			}
			got := snapshot.Schema()
			title, ok := got.Field(name)
			tag, ok2 := got.Field("tag")
			if !ok || !ok2 || title.ID != 1 || tag.ID != 3 || got.NextID != 4 || len(got.Fields) != 3 || !strings.HasPrefix(title.Options, "max=") || !title.Stored {
				t.Fatalf("%+v", got)
			}
			if keep > 0 != (title.Boost == 2) {
				t.Errorf("the weight is %v", title.Boost)
			}
			if live := snapshot.Stats().Live; live != 2 {
				t.Errorf("%d documents", live)
			}
			if w, err = writer.Open(t.Context(), path, writer.Options{}); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(w.Add(t.Context(), d), w.Commit(t.Context()), w.Close()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// lose removes manifests: all if keep is 0, else the newest.
func lose(t *testing.T, path string, keep int) {
	t.Helper()
	d, err := indexdir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	newest, err := d.Generation()
	if err != nil {
		t.Fatal(err)
	}
	patterns := []string{"*m*-*.pin"}
	if keep > 0 {
		patterns = []string{indexdir.ManifestName(newest), indexdir.MirrorName(newest)}
	}
	for _, p := range patterns {
		names, err := filepath.Glob(filepath.Join(path, p))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if base := filepath.Base(n); strings.HasPrefix(base, "segment") || strings.HasPrefix(base, "deletes") {
				continue
			}
			if err := os.Remove(n); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// repair makes an index of the sound segments.
func repair(t *testing.T, path string) {
	t.Helper()
	d, err := indexdir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	whole := func(ctx context.Context, s *segment.Segment) error {
		return verify.Segment(ctx, s, verify.Options{Level: verify.Postings})
	}
	err = d.Repair(t.Context(), whole, mending.Mend, func(inv *indexdir.Inventory) (*indexdir.Recovery, error) {
		r, err := d.Rebuild(t.Context(), inv)
		if err == nil && len(r.Dropped) > 0 {
			t.Errorf("%v", r.Dropped)
		}
		return r, err
	})
	if err != nil {
		t.Fatal(err)
	}
}
