package gpuload

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

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

// view is what chores take for one segment.
type view struct {
	base, docs uint32        // its documents
	number     int           // index in Executor.views
	first      int           // number of its first segment
	parts      []segmentView // its segments
}

// listPart is a term's list in a segment.
type listPart struct {
	seg   int // number of the segment
	entry segment.Entry
}

// joined are the parts of a list that is joined when it is loaded.
type joined struct {
	view  int
	parts []listPart
	ahead atomic.Pointer[opened] // made before it is loaded, for all devices; nil if it was not
}

// A list of leastJoined postings or more is resident. A view has fewer segments, so one of
// the parts of such a list has more than one posting.
const leastJoined = 128

// join returns views of segments: one for each if apart.
func join(segs []segmentView, apart bool) (views []view) {
	most := leastJoined - 1
	if apart {
		most = 1
	}
	for i := 0; i < len(segs); i += most {
		v := view{base: segs[i].base, number: len(views), first: i, parts: segs[i:min(i+most, len(segs))]}
		for _, s := range v.parts {
			v.docs += s.seg.Meta().Docs
		}
		views = append(views, v)
	}
	return views
}

// joins reports whether lists are joined.
func (l *lists) joins() bool { return len(l.views) < len(l.segments) }

// compactBit marks keys of lists whose first part is compact: its offset is one in TERMS.
const compactBit = 1 << 62

// wantOf returns the list on the device with the n postings of parts. It reports false if
// they are too few for one.
func (v *view) wantOf(parts []listPart, n uint32) (w want, ok bool) {
	if len(v.parts) == 1 {
		e := parts[0].entry
		return want{key: listKey{Key: Key{parts[0].seg, e.Offset}, n: e.DF}, entry: e}, e.Kind == segment.KindExtent
	}
	if n < leastJoined {
		return w, false
	}
	at := slices.IndexFunc(parts, func(p listPart) bool { return p.entry.Kind != segment.KindSingleton })
	w.key = listKey{Key: Key{parts[at].seg, parts[at].entry.Offset}, n: n, parts: digestOf(parts)}
	if parts[at].entry.Kind == segment.KindCompact {
		w.key.Offset |= compactBit
	}
	w.joined = &joined{view: v.number, parts: slices.Clone(parts)}
	return w, true
}

// digestOf returns a hash of parts.
func digestOf(parts []listPart) uint32 {
	b := make([]byte, 0, 1024)
	for i := range parts {
		e := &parts[i].entry
		b = binary.AppendUvarint(append(b, byte(e.Kind)), uint64(parts[i].seg))
		for _, v := range [...]uint32{e.DF, e.Doc, e.TF, e.Length} {
			b = binary.AppendUvarint(b, uint64(v))
		}
		b = binary.AppendUvarint(b, uint64(e.Offset))
	}
	return uint32(xxhash.Sum64(b))
}

// eachTerm calls f with the lists of each term that has documents, and their postings.
func (v *view) eachTerm(f func(parts []listPart, n uint32)) error {
	its := make([]*segment.TermIterator, len(v.parts)) // nil at its end
	next := func(i int) error {
		if it := its[i]; !it.Next() {
			its[i] = nil
			return it.Err()
		}
		return nil
	}
	for i := range its {
		its[i] = v.parts[i].seg.Terms()
		if err := next(i); err != nil {
			return err
		}
	}
	var term []byte
	var parts []listPart
	for {
		least := -1
		for i, it := range its {
			if it != nil && (least < 0 || bytes.Compare(it.Term(), its[least].Term()) < 0) {
				least = i
			}
		}
		if least < 0 {
			return nil
		}
		term, parts = append(term[:0], its[least].Term()...), parts[:0]
		n := uint32(0)
		for i, it := range its {
			if it == nil || !bytes.Equal(it.Term(), term) {
				continue
			}
			e := it.Entry()
			live, err := v.parts[i].deletes.Live(v.parts[i].seg, e)
			if err != nil {
				return err
			}
			if live > 0 {
				parts = append(parts, listPart{v.first + i, e})
				n += e.DF
			}
			if err := next(i); err != nil {
				return err
			}
		}
		if n > 0 {
			f(parts, n)
		}
	}
}

// joiners join lists of views, in several goroutines.
type joiners struct {
	views []view
	idle  sync.Pool // of *joiner
}

// joiner is the state of one goroutine that joins lists.
type joiner struct {
	checks  segcheck.ListChecker
	list    segment.List
	encoder *build.ListEncoder
	view    *view // of encoder
}

// join joins the parts of a list into o.
func (js *joiners) join(o *opened, w *joined) error {
	j, ok := js.idle.Get().(*joiner)
	if !ok {
		j = new(joiner)
	}
	defer js.idle.Put(j)
	v := &js.views[w.view]
	if err := j.prepare(v); err != nil {
		return err
	}
	j.encoder.Reset()
	stored := int64(0)
	for _, p := range w.parts {
		s := &v.parts[p.seg-v.first]
		list, err := j.checks.List(s.seg, p.entry)
		if err != nil {
			return err
		}
		if err := j.encoder.AppendList(list, s.base-v.base); err != nil {
			return err
		}
		if stored += int64(len(list.Extent())); p.entry.Kind != segment.KindExtent {
			stored += int64(p.entry.Size())
		}
	}
	e, _, err := j.encoder.Finish(nil)
	if err != nil {
		return err
	}
	if err := j.list.InitExtent(e.Bytes, v.docs); err != nil {
		return err
	}
	o.set(&j.list, v.docs, stored)
	return nil
}

// prepare makes j ready for lists of v.
func (j *joiner) prepare(v *view) error {
	if j.view == v {
		return nil
	}
	o := build.Options{Docs: v.docs}
	o.DocsCodec, _ = registry.ByID(codec.BP128)
	o.FreqsCodec = o.DocsCodec
	tokens := uint64(0)
	for _, s := range v.parts {
		t, err := s.seg.DocLens()
		if err != nil {
			return err
		}
		o.Lengths = append(o.Lengths, t)
		tokens += s.seg.Meta().Tokens
	}
	j.encoder, j.view = build.NewEncoder(o, float64(tokens)/float64(max(v.docs, 1))), v
	return nil
}

// joinedAtOnce is the number of postings that are joined before they are copied.
const joinedAtOnce = 1 << 26

// together returns how many of wants are loaded together.
func (l *lists) together(wants []*want) int {
	postings := int64(0)
	for i, w := range wants[:min(len(wants), checkSize)] {
		if w.joined == nil {
			continue
		}
		for _, p := range w.joined.parts {
			postings += int64(p.entry.DF)
		}
		if i > 0 && postings > joinedAtOnce {
			return i
		}
	}
	return min(len(wants), checkSize)
}
