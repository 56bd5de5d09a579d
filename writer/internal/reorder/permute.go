package reorder

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/order"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer/internal/lists"
)

// Live returns the documents of sources that are not deleted, one source after the other.
func Live(sources []Source) []Doc {
	var at []Doc
	for i, s := range sources {
		for doc := range s.Segment.Meta().Docs {
			if s.Deletes == nil || !s.Deletes.Contains(doc) {
				at = append(at, Doc{uint32(i), doc})
			}
		}
	}
	return at
}

// Permuted returns documents under a permutation.
func Permuted(docs []Doc, to order.Permutation) []Doc {
	at := make([]Doc, len(to))
	for i, d := range docs {
		at[to[i]] = d
	}
	return at
}

// Lists returns the lists that Write writes, of at least minDF postings in the sources. The
// documents are those of Live.
func (r *Reorderer) Lists(minDF uint32) order.Lists {
	return func(yield func([]uint32, error) bool) {
		var list segment.List
		var docs []uint32
		err := lists.Each(r.segments, r.fields, func(refs []lists.Ref) (bool, error) {
			df := uint32(0)
			for i := range refs {
				df += refs[i].Entry.DF
			}
			if df < minDF {
				return true, nil
			}
			docs = docs[:0]
			for i := range refs {
				seg, e := r.segments[refs[i].Source], refs[i].Entry
				from := len(docs)
				var err error
				if docs, err = order.AppendDocs(docs, seg, &list, e); err != nil {
					return false, err
				}
				to, n := r.to[refs[i].Source], from
				for _, d := range docs[from:] {
					if int64(d) >= int64(len(to)) {
						return false, seg.Lists().Locate(format.Corrupt("docID %d of %d", d, len(to)), e, format.NoBlock)
					}
					if docs[n] = to[d]; to[d] != none {
						n++
					}
				}
				docs = docs[:n]
			}
			return yield(docs, nil), nil
		})
		if err != nil {
			yield(nil, err)
		}
	}
}
