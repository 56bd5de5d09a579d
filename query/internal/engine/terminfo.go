package engine

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/query/internal/engine/bm25"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// EachTermInfo calls f with what is known of each term, in the order of terms; see
// query.Searcher.AppendTermInfo.
func (s *Searcher) EachTermInfo(terms [][]byte, f func(*TermInfo)) (err error) {
	if err = s.hold(); err != nil {
		return err
	}
	defer s.release()
	defer store.CatchFault(store.ArmFault(), &err)
	var r *execution
	for _, b := range terms {
		if k := s.terms.Get(b); k != nil {
			if i := k.info.Load(); i != nil {
				f(i)
				continue
			}
		}
		if r == nil {
			r = s.execution()
			defer s.runs.Put(r)
		}
		t, err := r.lookup.Find(s.terms, b)
		if err != nil {
			return err
		}
		i := r.info(&t)
		if k := s.terms.Get(b); k != nil {
			k.info.CompareAndSwap(nil, i)
			i = k.info.Load()
		}
		f(i)
	}
	return nil
}

// info returns what is known of t.
func (r *execution) info(t *term) *TermInfo {
	x := &TermInfo{Docs: t.DF, Weight: t.Weight, Share: float32(min(float64(t.DF)/float64(max(r.s.scorer.Stats().Docs, 1)), 1))}
	longest := 0
	for p := range t.Kept.entries {
		e := &t.Kept.entries[p]
		if e.DF == 0 || e.Kind != segment.KindExtent {
			continue
		}
		l := &r.described
		if r.s.parts[p].Views().InitList(l, e.Entry) != nil {
			continue // queries that meet the damage report it
		}
		if l.N > longest {
			longest, x.DocsCodec, x.FreqsCodec = l.N, l.DocsCodec.ID(), l.FreqsCodec.ID()
		}
		x.Bytes += 4 * uint64(l.Docs.Ends[l.Blocks]+l.Freqs.Ends[l.Blocks])
		bound := r.s.scorer.Bound(t.Weight, l.Quad)
		x.Bound = max(x.Bound, bound)
		for i, n := range e.Reach {
			if tf, dl, ok := l.Kth[i].Pair(); ok && int(n) >= format.KthValues()[i] {
				x.Kth[i] = max(x.Kth[i], bm25.Score(t.Weight, float32(tf), r.s.scorer.Norm(dl)))
			}
		}
		x.addBounds(r.s.scorer, l, bound)
	}
	return x
}

// sampled is how many blocks of a list addBounds looks at.
const sampled = 64

// addBounds adds l, whose bound is given, to x.Blocks and x.Above.
func (x *TermInfo) addBounds(s *bm25.Scorer, l *segment.List, bound float32) {
	var above [len(x.Above)]int
	n := min(l.Blocks, sampled)
	for i := range n {
		share := s.Bound(x.Weight, l.Quads[i*l.Blocks/n]) / max(bound, 1e-30)
		for k := range min(int(16*share)-7, len(above)) {
			above[k]++
		}
	}
	old := float32(x.Blocks) / float32(x.Blocks+uint64(l.Blocks))
	for k, v := range above {
		x.Above[k] = uint8(old*float32(x.Above[k]) + (1-old)*255*float32(v)/float32(n) + 0.5)
	}
	x.Blocks += uint64(l.Blocks)
}
