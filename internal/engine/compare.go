package engine

import (
	"github.com/pinion-index/pinion/internal/engine/near"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
)

// Compare calls f with which vector of each of docs, ascending docIDs of s, is the nearest one to that of q, and with its score. It is not
// called for documents without vectors.
func Compare(s *reader.Snapshot, q *near.Query, docs []uint32, f func(i, number int, score, off float32)) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	var of *reader.Segment
	var scorer *near.Scorer // nil if of has no vectors
	for i, doc := range docs {
		seg, local, ok := s.Locate(doc)
		if !ok {
			continue
		}
		if seg != of {
			of, scorer = seg, nil
			switch p, err := q.In(seg.Views()); {
			case err != nil:
				return err
			case p != nil:
				scorer = p.Scorer()
			}
		}
		if scorer == nil {
			continue
		}
		number, score, ok := scorer.Nearest(local)
		if scorer.Err != nil {
			return scorer.Err
		}
		if ok {
			f(i, number, score, scorer.Off(local, number))
		}
	}
	return nil
}
