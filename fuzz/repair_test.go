package fuzz

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/fuzzing"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/indexdir/mending"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// FuzzRepair rebuilds an index whose manifests are gone, whose deletes are arbitrary bytes
// behind checksums that hold, and one byte of whose segment differs if flip is not 0. What
// is there afterwards verifies.
func FuzzRepair(x *testing.F) {
	f := fuzzing.New(x)
	const docs = 40
	files := seedIndex(f, docs)
	var deletes *damage.File
	for name, b := range files {
		if strings.HasPrefix(name, "deletes-") {
			var err error
			if deletes, err = damage.Parse(b); err != nil {
				f.Fatal(err)
			}
		}
	}
	f.Add(deletes.Sections[0].Content, 0, byte(0))
	f.Add([]byte("nothing of use"), 5000, byte(1))
	f.Fuzz(func(t *testing.T, b []byte, at int, flip byte) {
		d := deletes.Clone()
		d.Sections[0].Content = b
		damaged := map[string][]byte{}
		for name, c := range files {
			switch {
			case strings.HasPrefix(name, "m"): // manifest and mirror
				continue
			case strings.HasPrefix(name, "deletes"):
				c = d.Bytes()
			case strings.HasPrefix(name, "segment"):
				c = bytes.Clone(c)
				c[uint(at)%uint(len(c))] ^= flip
			}
			damaged[name] = c
		}
		fs, ctx := load(damaged), context.Background()
		dir, err := indexdir.OpenFS(fs)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		verify := func(ctx context.Context, s *segment.Segment) error { return check.Segment(ctx, s, check.Options{}) }
		err = dir.Repair(ctx, verify, mending.Mend, func(inv *indexdir.Inventory) (*indexdir.Recovery, error) { return dir.Rebuild(ctx, inv) })
		if err != nil {
			return
		}
		s, done := snapshot(t, fs)
		defer done()
		if err := s.Verify(ctx); err != nil {
			t.Fatal(err)
		}
		if n := s.Stats().Docs; flip == 0 && n != docs && n != 0 || n > docs {
			t.Fatalf("%d documents of %d", n, docs)
		}
	})
}

// snapshot opens the newest commit of an index that must be sound, and returns a function
// that closes it.
func snapshot(t *testing.T, fs store.FS) (s *reader.Snapshot, done func()) {
	t.Helper()
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s, err = x.Snapshot(); err != nil {
		t.Fatal(err)
	}
	return s, func() { s.Close(); x.Close() }
}
