package exchange

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// TestCIFFThroughIndex imports CIFF files as segments of an index and deletes
// some documents. The export must be what was imported, without these documents.
func TestCIFFThroughIndex(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		fs := memfs.New()
		ctx := context.Background()
		w, err := writer.OpenFS(ctx, fs, writer.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		defer w.Close()
		want := &collection{}
		for part := range rapid.IntRange(1, 3).Draw(rt, "segments") {
			c := drawCollection(rt)
			for i := range c.ids {
				c.ids[i] = fmt.Sprintf("%d-%s", part, c.ids[i])
			}
			in, err := OpenCIFF(write(t, filepath.Join(dir, "in.ciff"), exported(rt, c)))
			if err != nil {
				rt.Fatal(err)
			}
			err = w.AddInverted(ctx, in.Inverted())
			in.Close()
			if err != nil {
				rt.Fatal(err)
			}
			want = joined(want, c)
		}
		gone := map[int]bool{}
		for _, doc := range rapid.SliceOfN(rapid.IntRange(0, len(want.ids)-1), 0, 40).Draw(rt, "deleted") {
			gone[doc] = true
			if err := w.Delete(ctx, []byte(want.ids[doc])); err != nil {
				rt.Fatal(err)
			}
		}
		if err := w.Commit(ctx); err != nil {
			rt.Fatal(err)
		}
		want = without(want, gone)

		x, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		defer x.Close()
		s, err := x.Snapshot()
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		var out bytes.Buffer
		lists, err := FromSnapshot(s)
		if err != nil {
			rt.Fatal(err)
		}
		if err := lists.ExportCIFF(&out, "made by a test"); err != nil {
			rt.Fatal(err)
		}
		if b := exported(rt, want); !bytes.Equal(out.Bytes(), b) {
			rt.Fatalf("exported\n%x, want\n%x", out.Bytes(), b)
		}
	})
}

// joined appends b's documents to a's.
func joined(a, b *collection) *collection {
	base := uint32(len(a.ids))
	c := &collection{ids: append(a.ids, b.ids...), lengths: append(a.lengths, b.lengths...)}
	i, j := 0, 0
	for i < len(a.lists) || j < len(b.lists) {
		var l list
		if j == len(b.lists) || i < len(a.lists) && a.lists[i].term <= b.lists[j].term {
			l = a.lists[i]
			i++
		} else {
			l.term = b.lists[j].term
		}
		if j < len(b.lists) && b.lists[j].term == l.term {
			for _, d := range b.lists[j].docs {
				l.docs = append(l.docs, base+d)
			}
			l.freqs = append(l.freqs, b.lists[j].freqs...)
			j++
		}
		c.lists = append(c.lists, l)
	}
	return c
}

// without removes documents.
func without(a *collection, gone map[int]bool) *collection {
	c := &collection{}
	to := make([]uint32, len(a.ids))
	for i := range a.ids {
		to[i] = uint32(len(c.ids))
		if !gone[i] {
			c.ids = append(c.ids, a.ids[i])
			c.lengths = append(c.lengths, a.lengths[i])
		}
	}
	for _, l := range a.lists {
		k := list{term: l.term}
		for i, d := range l.docs {
			if !gone[int(d)] {
				k.docs = append(k.docs, to[d])
				k.freqs = append(k.freqs, l.freqs[i])
			}
		}
		if len(k.docs) > 0 {
			c.lists = append(c.lists, k)
		}
	}
	return c
}
