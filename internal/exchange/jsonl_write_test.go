package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// snapshotOf returns a snapshot of an index in memory that build fills.
func snapshotOf(t rapid.TB, o writer.Options, build func(w *writer.Writer) error) *reader.Snapshot {
	fs, ctx := memfs.New(), context.Background()
	w, err := writer.OpenFS(ctx, fs, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(build(w), w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	x, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close() // the snapshot stays open
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestExportJSONL reads back what it exports: the documents that were added last, in
// order.
func TestExportJSONL(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		var ids, texts []string
		s := snapshotOf(rt, writer.Options{Schema: schema.Implicit("", "", true)}, func(w *writer.Writer) error {
			for i, text := range rapid.SliceOfN(rapid.String(), 1, 40).Draw(rt, "texts") {
				id := fmt.Sprintf("%s %d", rapid.StringN(0, 5, -1).Draw(rt, "id"), i)
				if err := w.Add(ctx, writer.Text([]byte(id), []byte(text))); err != nil {
					return err
				}
				if rapid.IntRange(0, 9).Draw(rt, "flush") == 0 {
					if err := w.Flush(ctx); err != nil {
						return err
					}
				}
				if rapid.IntRange(0, 4).Draw(rt, "delete") == 0 {
					if err := w.Delete(ctx, []byte(id)); err != nil {
						return err
					}
					continue
				}
				ids, texts = append(ids, id), append(texts, text)
			}
			return nil
		})
		defer s.Close()
		var b bytes.Buffer
		if n, err := ExportJSONL(ctx, &b, s); err != nil || n != 0 {
			rt.Fatalf("%d replaced: %v", n, err)
		}
		in := NewJSONL("export", &b)
		defer in.Close()
		for i := range ids {
			d, err := in.Next()
			if err != nil || string(d.ID) != ids[i] || string(d.Contents) != texts[i] {
				rt.Fatalf("document %d is %q %q, want %q %q: %v", i, d.ID, d.Contents, ids[i], texts[i], err)
			}
		}
		if _, err := in.Next(); err != io.EOF {
			rt.Fatalf("after the last document: %v", err)
		}
	})
}

func TestExportJSONLRefuses(t *testing.T) {
	ctx := context.Background()
	add := func(id, text string) func(w *writer.Writer) error {
		return func(w *writer.Writer) error {
			return w.Add(ctx, writer.Text([]byte(id), []byte(text)))
		}
	}
	var b bytes.Buffer
	s := snapshotOf(t, writer.Options{}, add("a", "text"))
	defer s.Close()
	if _, err := ExportJSONL(ctx, &b, s); !errors.Is(err, ErrNotStored) {
		t.Errorf("without stored text: %v", err)
	}
	s = snapshotOf(t, writer.Options{Schema: schema.Implicit("", "", true)}, add("\xff", "text"))
	defer s.Close()
	if _, err := ExportJSONL(ctx, &b, s); err == nil {
		t.Error("an id that is not valid UTF-8 was exported")
	}
	s = snapshotOf(t, writer.Options{Schema: schema.Implicit("", "", true)}, add("a", "x\xffy"))
	defer s.Close()
	b.Reset()
	if n, err := ExportJSONL(ctx, &b, s); err != nil || n != 1 || b.String() != "{\"id\":\"a\",\"contents\":\"x\ufffdy\"}\n" {
		t.Errorf("%d replaced, %q: %v", n, &b, err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := ExportJSONL(canceled, &b, s); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}
