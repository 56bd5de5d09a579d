package pinion

import (
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

// showNearest sets Nearest of hits, whose order by docID st has.
func (s *pager) showNearest(snapshot *reader.Snapshot, hits []Hit, st *scratch, r *Request) error {
	n := r.scoring()
	if n == nil {
		return nil
	}
	return search.Compare(snapshot, s.fields.schema, n, st.docs, func(i int, field string, number int, score, off float32) {
		h := &hits[st.order[i]]
		h.Nearest = append(h.Nearest, NearestVector{field, number, score, off})
	})
}
