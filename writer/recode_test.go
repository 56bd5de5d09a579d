package writer

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/newpfd"
	"github.com/pinion-index/pinion/internal/codec/vbyte128"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/schema"
)

// A merge with codecs set leaves no list with another codec, even if there is only
// one segment.
func TestRecode(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	m := model{}
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false)})
	for i := range 3000 {
		id, text := fmt.Sprint(i), "often"
		if i%3 == 0 {
			text = "often often seldom"
		}
		m.add(id, text)
		if err := w.Add(ctx, doc(id, text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ docs, freqs codec.Codec }{
		{vbyte128.Codec{}, nil}, {nil, newpfd.Codec{}}, {vbyte128.Codec{}, newpfd.Codec{}},
	} {
		w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), DocsCodec: codec.Name(c.docs), FreqsCodec: codec.Name(c.freqs)})
		stats, err := w.Merge(ctx, MergeOptions{Recode: true})
		if err == nil {
			err = w.Commit(ctx)
		}
		if err != nil || stats.Outputs != 1 {
			t.Fatalf("merge did %+v, %v", stats, err)
		}
		meta := w.segments[0].seg.Meta()
		if c.docs != nil && meta.DocsCodecs != 1<<c.docs.ID() {
			t.Errorf("docIDs wanted in %s: codecs %b", c.docs.ID(), meta.DocsCodecs)
		}
		if c.freqs != nil && meta.FreqsCodecs != 1<<c.freqs.ID() {
			t.Errorf("frequencies wanted in %s: codecs %b", c.freqs.ID(), meta.FreqsCodecs)
		}
		if stats, err = w.Merge(ctx, MergeOptions{}); err != nil || stats.Outputs != 0 {
			t.Errorf("a second merge did %+v, %v", stats, err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		m.check(t, fs)
	}
}

// only is a policy that chooses a codec for everything and copies only its blocks.
type only struct{ codec.BlockCodec }

func (c only) Docs([]uint32) (codec.BlockCodec, error)  { return c.BlockCodec, nil }
func (c only) Freqs([]uint32) (codec.BlockCodec, error) { return c.BlockCodec, nil }

func (c only) Keeps(docs, freqs codec.Codec) bool { return docs.ID() == c.ID() && freqs.ID() == c.ID() }

// A list whose blocks a policy does not keep is encoded again, also if they are in the
// codecs of the options.
func TestPolicyKeepsSome(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	m := model{}
	for _, c := range []codec.Codec{bp128.Codec{}, newpfd.Codec{}} {
		w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), DocsCodec: codec.Name(c), FreqsCodec: codec.Name(c), MergePolicy: NoMerges})
		for i := range 512 {
			id, text := fmt.Sprint(c.ID(), i), "often"
			if i%100 == 3 {
				text = strings.Repeat("often ", 10)
			}
			m.add(id, text)
			if err := w.Add(ctx, doc(id, text)); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), DocsCodec: "bp128", FreqsCodec: "bp128", choose: only{newpfd.Codec{}}})
	defer w.Close()
	stats, err := w.Merge(ctx, MergeOptions{})
	if err != nil || stats.Copied != 3 { // 4 blocks, the first of which has a new gap
		t.Fatalf("merge did %+v, %v", stats, err)
	}
	if err := check.Segment(ctx, w.segments[0].seg, check.Options{Level: check.Postings}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	m.check(t, fs)
}
