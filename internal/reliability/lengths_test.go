package reliability

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/writer"
)

// A merge refuses a segment in which a frequency is above the length of its document, though
// frequencies and lengths add up to the same: whether it copies the block, encodes it by other codecs
// or without deleted documents, or gives the documents another order.
func TestSwappedLengths(t *testing.T) {
	const long, short, docs = 5, 6, 300
	ctx, fs := context.Background(), memfs.New()
	w, err := writer.OpenFS(ctx, fs, options("bp128"))
	check(t, err)
	for i := range 2 * docs {
		text := "common"
		if i == long {
			text = strings.Repeat("common ", 10) + "and a few more"
		}
		check(t, w.Add(ctx, writer.Text(fmt.Appendf(nil, "d%d", i), []byte(text))))
		if i%docs == docs-1 {
			check(t, w.Flush(ctx))
		}
	}
	check(t, w.Commit(ctx), w.Close())
	sound := files(t, fs)
	name := indexdir.SegmentName(1)
	f, err := damage.Parse(sound[name])
	check(t, err)
	for _, s := range f.Sections {
		if s.ID == format.SectionDocLengths {
			s.Content[long], s.Content[short] = s.Content[short], s.Content[long]
		}
	}
	damaged := sound.with(name, f.Bytes())
	merge := func(w *writer.Writer) error {
		_, err := w.Merge(ctx, writer.MergeOptions{Recode: true})
		return err
	}
	for _, c := range []struct {
		what, codec string
		change      func(w *writer.Writer) error
	}{
		{"copied", "bp128", merge},
		{"encoded by blocks", "vbyte128", merge},
		{"encoded as a whole", "lrc", merge},
		{"filtered", "bp128", func(w *writer.Writer) error {
			return errors.Join(w.Delete(ctx, []byte("d0")), merge(w))
		}},
		{"reordered", "bp128", func(w *writer.Writer) error {
			_, err := w.Merge(ctx, writer.MergeOptions{Order: writer.OrderBisection})
			return err
		}},
	} {
		for f, want := range map[*static]error{&sound: nil, &damaged: format.ErrCorrupt} {
			w, err := writer.OpenFS(ctx, f.copy(t), options(c.codec))
			check(t, err)
			err = c.change(w)
			w.Close()
			var at *format.Error
			switch {
			case !errors.Is(err, want):
				t.Errorf("%s: %v, want %v", c.what, err, want)
			case want != nil && (!errors.As(err, &at) || at.File != name):
				t.Errorf("%s: %v does not name %s", c.what, err, name)
			}
		}
	}
}
