package writer

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
)

// countdown is a context that is cancelled after a number of calls.
type countdown struct {
	context.Context
	left *atomic.Int64
}

func (c countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A collection of posting lists that is cancelled at any point replaces nothing,
// and the Writer remains usable.
func TestCancelledInvertedReplacesNothing(t *testing.T) {
	background := t.Context()
	for n := int64(0); ; n++ {
		fs := memfs.New()
		w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false)})
		for _, d := range []Doc{doc("a", "one"), doc("b", "two"), doc("c", "three")} {
			if err := errors.Join(w.Add(background, d), w.Commit(background)); err != nil {
				t.Fatal(err)
			}
		}
		ctx := countdown{background, new(atomic.Int64)}
		ctx.left.Store(n)
		in := Inverted{
			Docs:  pairs(InvertedDoc{ID: []byte("a"), Len: 1}, InvertedDoc{ID: []byte("b"), Len: 1}, InvertedDoc{ID: []byte("c"), Len: 1}),
			Lists: pairs(InvertedList{Term: []byte("new"), Postings: format.Postings{Docs: []uint32{0, 1, 2}, Freqs: []uint32{1, 1, 1}}}),
		}
		added := w.AddInverted(ctx, in)
		if added != nil && !errors.Is(added, context.Canceled) {
			t.Fatalf("after %d: %v", n, added)
		}
		if err := errors.Join(w.Commit(background), w.Close()); err != nil {
			t.Fatalf("after %d: %v", n, err)
		}
		want := model{docs: []shownDoc{show("a", "one", false), show("b", "two", false), show("c", "three", false)}}
		if added == nil {
			want.docs = []shownDoc{show("a", "new", false), show("b", "new", false), show("c", "new", false)}
		}
		if diff := want.diff(dump(t, fs)); diff != "" {
			t.Fatalf("cancelled after %d looks at the context, %v: %s", n, added, diff)
		}
		if added == nil {
			return
		}
	}
}
