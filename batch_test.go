package pinion

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/writer"
)

// A batch is one change, which a search sees at once and a Reader once it is durable; what it keeps for a key is in the index when it is
// opened again. A batch with a document that is refused, or after its context has ended, does nothing.
func TestApply(t *testing.T) {
	dir := t.TempDir()
	x, err := Open(ctx, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b Batch
	b.Add(Text("a", "rose"), Text("b", "rose thorn"))
	b.Delete("a")
	b.SetMeta("table", "row 7")
	if err := x.Apply(ctx, &b); err != nil || b.Len() != 3 {
		t.Fatal(b.Len(), err)
	}
	if found := hits(t, x, "rose"); len(found) != 1 {
		t.Errorf("%+v", found)
	}
	b.Reset()
	b.Add(Text("c", "rose"), Text("", "rose"))
	b.SetMeta("table", "row 9")
	var c *writer.ChangeError
	if err := x.Apply(ctx, &b); !errors.Is(err, writer.ErrDocument) || !errors.As(err, &c) || c.Number != 1 {
		t.Errorf("a document without an id: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	b.Reset()
	b.Add(Text("d", "rose"))
	if err := x.Apply(ended, &b); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
	if err := x.Apply(ctx, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("no batch: %v", err)
	}
	if found := hits(t, x, "rose"); len(found) != 1 {
		t.Errorf("after what was refused: %+v", found)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if v, ok := r.Meta("table"); v != "row 7" || !ok {
		t.Errorf("a Reader has %q", v)
	}
	if err := r.View(ctx, func(v *View) error {
		if m, _ := v.Meta("table"); m != "row 7" {
			return fmt.Errorf("a View has %q", m)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if x, err = Open(ctx, dir, Options{}); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if v, ok := x.Meta("table"); v != "row 7" || !ok {
		t.Errorf("opened again: %q", v)
	}
	b.Reset()
	b.SetMeta("table", strings.Repeat("x", 70000))
	if err := x.Apply(ctx, &b); !errors.Is(err, ErrInvalid) {
		t.Errorf("a long value: %v", err)
	}
	if v, ok := new(Index).Meta("table"); ok {
		t.Errorf("the zero Index has %q", v)
	}
}
