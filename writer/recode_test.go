package writer

import (
	"fmt"
	"testing"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/newpfd"
	"github.com/pinion-index/pinion/format/codec/vbyte128"
	"github.com/pinion-index/pinion/internal/memfs"
)

// A merge with codecs set leaves no list with another codec, even if there is only
// one segment.
func TestRecode(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	m := model{}
	w := mustOpen(t, fs, Options{Analyzer: whitespace(t)})
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
		w := mustOpen(t, fs, Options{Analyzer: whitespace(t), DocsCodec: c.docs, FreqsCodec: c.freqs})
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
