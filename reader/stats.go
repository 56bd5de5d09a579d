package reader

// Stats are statistics of all segments of a snapshot. Scores depend on those of
// the documents that are not deleted, so they do not depend on when merges drop
// the others.
type Stats struct {
	Segments   int
	Docs       uint64 // documents, including deleted ones: docIDs are below it
	Live       uint64 // documents that are not deleted, N of BM25
	Postings   uint64 // including those of deleted documents
	Tokens     uint64 // sum of the documents' lengths, including deleted ones; of several fields, of all frequencies
	LiveTokens uint64 // sum of the lengths of documents that are not deleted, in all fields
	MaxLen     uint32 // length of the longest document in tokens, deleted or not; 0 but in the implicit schema
}

func (s *Stats) add(seg *Segment) {
	s.Segments++
	s.Docs += uint64(seg.info.Docs)
	s.Live += uint64(seg.info.Docs - seg.info.Deleted)
	s.Postings += seg.info.Postings
	s.Tokens += seg.info.Tokens
	for _, f := range seg.views.Fields() {
		if x, ok := seg.info.Field(f.ID); ok {
			s.LiveTokens += x.Tokens - x.DeletedTokens
		}
	}
	s.MaxLen = max(s.MaxLen, seg.views.Meta().MaxLen)
}

// AvgLen returns the mean number of tokens of a document that is not deleted, the
// avgdl of BM25, or 0 if there is none.
func (s *Stats) AvgLen() float64 {
	if s.Live == 0 {
		return 0
	}
	return float64(s.LiveTokens) / float64(s.Live)
}
