package reader_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

var sortedSchema = &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Stored: true}, {Name: "n", Kind: schema.Integer, Column: true}}}

// sortedIndex makes an index of documents, each with its number in field n, of which the last is deleted, and returns its manifest.
func sortedIndex(t *testing.T, fs store.FS, ids ...string) *reader.Manifest {
	t.Helper()
	w, err := writer.OpenFS(t.Context(), fs, writer.Options{Schema: sortedSchema, KeepCommits: 3, MergePolicy: writer.NoMerges})
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		values := []schema.Value{schema.TextValue(0, []byte("a rose")), schema.IntegerValue(1, int64(i))}
		err = errors.Join(err, w.Add(t.Context(), writer.Doc{ID: []byte(id), Values: values}))
	}
	_, merged := w.Merge(t.Context(), writer.MergeOptions{MaxSegments: 1, Order: writer.OrderField("n", true)})
	err = errors.Join(err, merged, w.Delete(t.Context(), []byte(ids[len(ids)-1])), w.Commit(t.Context()), w.Close())
	if err != nil {
		t.Fatal(err)
	}
	m, err := reader.NewestManifest(fs)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// contentOf returns a copy of what a file has.
func contentOf(t *testing.T, fs store.ReadFS, name string) []byte {
	t.Helper()
	d, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	b, err := d.Range(0, d.Size())
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(b)
}

// What a manifest says is what its index has, and its files are there.
func TestManifest(t *testing.T) {
	fs := memfs.New()
	m := sortedIndex(t, fs, "a", "b", "c")
	order, desc, ok := m.Order()
	if m.Generation() < 2 || m.KeepCommits() != 3 || m.Schema().Fields[1].Name != "n" || order != "n" || !desc || !ok {
		t.Errorf("commit %d, %d kept, schema %v, order %q %t %t", m.Generation(), m.KeepCommits(), m.Schema(), order, desc, ok)
	}
	files := m.Files()
	if len(files) != 2 || files[0].Kind != format.KindSegment || files[1].Kind != format.KindDeletes {
		t.Fatalf("%+v", files)
	}
	for _, f := range files {
		b := contentOf(t, fs, f.Name)
		h, err := format.ParseFile(f.Name, b)
		if err != nil || h.Kind != f.Kind || h.ID != f.Segment || f.Kind == format.KindSegment && f.Size != h.FileLen ||
			(f.Kind == format.KindDeletes) == (f.Deletes == format.ID{}) {
			t.Errorf("%+v: %+v, %v", f, h, err)
		}
	}
	for _, name := range reader.ManifestNames(m.Generation()) {
		b := contentOf(t, fs, name)
		is, err := reader.ParseManifest(name, b)
		if err != nil || !is.Equal(m) || !bytes.Equal(is.Bytes(), b) {
			t.Errorf("%s: %+v, %v", name, is, err)
		}
		b[len(b)/2] ^= 1
		if _, err := reader.ParseManifest(name, b); !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%s with a bit flipped: %v", name, err)
		}
	}
	if other := sortedIndex(t, memfs.New(), "a", "b", "c"); other.Equal(m) || m.Equal(&reader.Manifest{}) || !m.Equal(m) {
		t.Error("another manifest is the same, or the same another")
	}
}

// Parts become an index, whose commits have names of their own.
func TestJoinManifests(t *testing.T) {
	from, to := []*memfs.FS{memfs.New(), memfs.New()}, memfs.New()
	first, second := sortedIndex(t, from[0], "a", "b", "c"), sortedIndex(t, from[1], "d", "e")
	m, err := reader.JoinManifests(first, second)
	if err != nil {
		t.Fatal(err)
	}
	if m.Generation() != 2 || m.KeepCommits() != 3 || len(m.Files()) != 4 {
		t.Errorf("commit %d, %d kept, %+v", m.Generation(), m.KeepCommits(), m.Files())
	}
	next, err := m.After(m)
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.After(m)
	if err != nil || next.Generation() != 3 || next.Equal(m) || !next.Equal(again) || bytes.Equal(next.Bytes(), again.Bytes()) {
		t.Errorf("commits %d and %d: %v", next.Generation(), again.Generation(), err)
	}
	for i, f := range next.Files() {
		parts := append(first.Files(), second.Files()...)
		to.Put(f.Name, contentOf(t, from[i/2], parts[i].Name))
	}
	for _, name := range reader.ManifestNames(3) {
		to.Put(name, next.Bytes())
	}
	x, err := reader.Open(t.Context(), reader.FromStore(to), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := s.Stats().Live; n != 3 || s.Generation() != 3 {
		t.Errorf("%d documents in commit %d", n, s.Generation())
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// What is no manifest is an error.
func TestRefusedManifests(t *testing.T) {
	none := &reader.Manifest{}
	for what, f := range map[string]func() (*reader.Manifest, error){
		"no parts":     func() (*reader.Manifest, error) { return reader.JoinManifests() },
		"a nil part":   func() (*reader.Manifest, error) { return reader.JoinManifests(nil) },
		"no schema":    func() (*reader.Manifest, error) { return none.After(nil) },
		"an empty one": func() (*reader.Manifest, error) { return reader.JoinManifests(none, none) },
		"no store":     func() (*reader.Manifest, error) { return reader.NewestManifest(nil) },
	} {
		if m, err := f(); m != nil || !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%s: %v, %v", what, m, err)
		}
	}
	if _, err := reader.NewestManifest(memfs.New()); !errors.Is(err, format.ErrNotAnIndex) {
		t.Errorf("an empty directory: %v", err)
	}
	if len(none.Files()) > 0 || none.Schema() != nil || len(none.Bytes()) > 0 || !none.Equal(none) {
		t.Error("the zero value has something")
	}
}
