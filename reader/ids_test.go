package reader_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
)

func segmentOf(t *testing.T, docs uint32) *reader.Segment {
	t.Helper()
	mem := memfs.New()
	commit(t, mem, &content{docs: docs, lists: map[string]postings{"x": {seq(int(docs)), ones(int(docs))}}, id: func(d uint32) string { return fmt.Sprint("id", d) }})
	x, err := reader.Open(t.Context(), reader.FromStore(mem), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.Segments()[0]
}

// EachID gives every id once and in order, up to an error of its function.
func TestEachID(t *testing.T) {
	enough := errors.New("enough")
	for _, docs := range []uint32{1, 255, 256, 257, 600} {
		seg := segmentOf(t, docs)
		for _, last := range []uint32{0, docs / 2, docs - 1, docs} {
			n := uint32(0)
			err := seg.EachID(func(doc uint32, id []byte) error {
				if doc != n || string(id) != fmt.Sprint("id", n) {
					t.Fatalf("document %d has id %s, want document %d", doc, id, n)
				}
				if n++; doc == last {
					return enough
				}
				return nil
			})
			if last == docs && (err != nil || n != docs) || last < docs && (err != enough || n != last+1) {
				t.Errorf("%d of %d ids, up to document %d: %v", n, docs, last, err)
			}
		}
	}
}

// A panic of EachID's function is its caller's.
func TestEachIDPanics(t *testing.T) {
	seg := segmentOf(t, 300)
	for _, at := range []uint32{0, 299} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			err := seg.EachID(func(doc uint32, _ []byte) error {
				if doc == at {
					var none []int
					none[doc] = 1
				}
				return nil
			})
			t.Errorf("an index out of range gives %v", err)
		}()
	}
}
