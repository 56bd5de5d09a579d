package residency

import (
	"sync"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/registry"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/build"
	segcheck "github.com/pinion-index/pinion/segment/check"
)

// A query costs the device and the processor work for each segment, however few postings it
// has there. So the lists of a term in the segments of a view become one list on the device,
// as a merge of the segments would write it: when it is loaded, the processor checks its
// parts, as idxcheck does, and joins them in bp128.

// Joiners join lists of views, in several goroutines.
type Joiners struct {
	Views []View
	idle  sync.Pool // of *joiner
}

// joiner is the state of one goroutine that joins lists.
type joiner struct {
	checks  segcheck.ListChecker
	list    segment.List
	encoder *build.ListEncoder
	view    *View // of encoder
}

// Join joins the parts of a list into o.
func (js *Joiners) Join(o *Opened, w *joined) error {
	j, ok := js.idle.Get().(*joiner)
	if !ok {
		j = new(joiner)
	}
	defer js.idle.Put(j)
	v := &js.Views[w.view]
	if err := j.prepare(v); err != nil {
		return err
	}
	j.encoder.Reset()
	stored := int64(0)
	for _, p := range w.parts {
		s := &v.Parts[p.Seg-v.First]
		list, err := j.checks.List(s.Seg, p.Entry)
		if err != nil {
			return err
		}
		if err := j.encoder.AppendList(list, s.Base-v.Base); err != nil {
			return err
		}
		if stored += int64(len(list.Extent())); p.Entry.Kind != segment.KindExtent {
			stored += int64(p.Entry.Size())
		}
	}
	e, _, err := j.encoder.Finish(nil)
	if err != nil {
		return err
	}
	if err := j.list.InitExtent(e.Bytes, v.Docs); err != nil {
		return err
	}
	o.set(&j.list, v.Docs, stored)
	return nil
}

// prepare makes j ready for lists of v.
func (j *joiner) prepare(v *View) error {
	if j.view == v {
		return nil
	}
	o := build.Options{Docs: v.Docs}
	o.DocsCodec, _ = registry.ByID(codec.BP128)
	o.FreqsCodec = o.DocsCodec
	tokens := uint64(0)
	for _, s := range v.Parts {
		t, err := s.Seg.DocLens()
		if err != nil {
			return err
		}
		o.Lengths = append(o.Lengths, t)
		tokens += s.Seg.Meta().Tokens
	}
	j.encoder, j.view = build.NewEncoder(o, float64(tokens)/float64(max(v.Docs, 1))), v
	return nil
}
