package residency

import (
	"sync"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/segment/build"
	segcheck "github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/segment"
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
	checks   segcheck.ListChecker
	list     segment.List
	encoders []*build.ListEncoder // by field, nil until needed
	view     *View                // of encoders
}

// Join joins the parts of a list into o.
func (js *Joiners) Join(o *Opened, w *joined) error {
	j, ok := js.idle.Get().(*joiner)
	if !ok {
		j = new(joiner)
	}
	defer js.idle.Put(j)
	v := &js.Views[w.view]
	if v.weighs(int(w.field)) {
		return nil // no kernel takes weights for frequencies
	}
	encoder, err := j.encoder(v, int(w.field))
	if err != nil {
		return err
	}
	encoder.Reset()
	stored := int64(0)
	for _, p := range w.parts {
		s := &v.Parts[p.Seg-v.First]
		list, err := j.checks.List(s.Seg, p.Entry)
		if err != nil {
			return err
		}
		if err := encoder.AppendList(list, s.Base-v.Base); err != nil {
			return err
		}
		if stored += int64(len(list.Extent())); p.Entry.Kind != segment.KindExtent {
			stored += int64(p.Entry.Size())
		}
	}
	e, _, err := encoder.Finish(nil)
	if err != nil {
		return err
	}
	if err := j.list.InitExtent(e.Bytes, v.Docs); err != nil {
		return err
	}
	o.set(&j.list, v.Docs, stored)
	return nil
}

// weighs reports whether a field of v is one of impacts.
func (v *View) weighs(field int) bool {
	for i := range v.Parts {
		if in, ok := v.Parts[i].In(field); ok {
			return in.Info().HasImpacts()
		}
	}
	return false
}

// encoder returns an encoder for lists of a field of v.
func (j *joiner) encoder(v *View, field int) (*build.ListEncoder, error) {
	if j.view != v {
		j.encoders, j.view = make([]*build.ListEncoder, FieldsOf(v.Parts)), v
	}
	if e := j.encoders[field]; e != nil {
		return e, nil
	}
	o := build.Options{Docs: v.Docs}
	o.DocsCodec, _ = registry.ByID(codec.BP128)
	o.FreqsCodec = o.DocsCodec
	sum, docs := uint64(0), uint64(0)
	for i := range v.Parts {
		in, ok := v.Parts[i].In(field)
		if !ok {
			o.Lengths = append(o.Lengths, segment.UnitLengths(v.Parts[i].Seg.Meta().Docs))
			continue
		}
		t, err := in.Lengths()
		if err != nil {
			return nil, err
		}
		o.Lengths = append(o.Lengths, t)
		sum, docs = sum+in.Info().LengthSum, docs+uint64(in.Info().Docs)
	}
	j.encoders[field] = build.NewEncoder(o, float64(sum)/float64(max(docs, 1)))
	return j.encoders[field], nil
}
