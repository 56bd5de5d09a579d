package writer

import (
	"errors"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
)

// Readers and writers refuse a segment that does not match its manifest.
func TestManifestDisagrees(t *testing.T) {
	for what, change := range map[string]func(m *indexdir.Manifest){
		"id":       func(m *indexdir.Manifest) { m.Segments[0].ID[3]++ },
		"docs":     func(m *indexdir.Manifest) { m.Segments[0].Docs++ },
		"postings": func(m *indexdir.Manifest) { m.Segments[0].Postings++ },
		"tokens":   func(m *indexdir.Manifest) { m.Segments[0].Tokens++ },
		"analyzer": func(m *indexdir.Manifest) { m.Schema.Fields[0].Analyzer = "english" },
	} {
		t.Run(what, func(t *testing.T) {
			fs := memfs.New()
			w := mustOpen(t, fs, Options{})
			for _, err := range []error{w.Add(t.Context(), doc("a", "some text")), w.Commit(t.Context()), w.Close()} {
				if err != nil {
					t.Fatal(err)
				}
			}
			d, err := indexdir.OpenFS(fs)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			l, err := d.Lock()
			if err != nil {
				t.Fatal(err)
			}
			m := l.Manifest()
			change(m)
			if err := errors.Join(l.Commit(m), l.Close()); err != nil {
				t.Fatal(err)
			}
			if _, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{}); !errors.Is(err, format.ErrCorrupt) {
				t.Errorf("reader: %v", err)
			}
			if _, err := OpenFS(t.Context(), fs, Options{}); !errors.Is(err, format.ErrCorrupt) {
				t.Errorf("writer: %v", err)
			}
			if _, err := mustOpen(t, memfs.New(), Options{Schema: w.Schema()}).MergeFrom(t.Context(), d.FS()); !errors.Is(err, format.ErrCorrupt) && what != "analyzer" {
				t.Errorf("merge: %v", err)
			}
		})
	}
}
