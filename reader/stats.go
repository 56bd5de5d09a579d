package reader

// Stats are statistics of all segments of a snapshot. Except for Live, deleted
// documents count, with their postings and tokens, until a merge drops them; so
// they count in the N and the average length of BM25.
type Stats struct {
	Segments int
	Docs     uint64 // documents, N of BM25
	Live     uint64 // documents that are not deleted
	Postings uint64
	Tokens   uint64 // sum of the documents' lengths
	MaxLen   uint32 // length of the longest document in tokens
}

func (s *Stats) add(seg *Segment) {
	s.Segments++
	s.Docs += uint64(seg.Info.Docs)
	s.Live += uint64(seg.Info.Docs - seg.Info.Deleted)
	s.Postings += seg.Info.Postings
	s.Tokens += seg.Info.Tokens
	s.MaxLen = max(s.MaxLen, seg.Meta().MaxLen)
}

// AvgLen returns the mean number of tokens of a document, the avgdl of BM25, or 0
// if there are no documents.
func (s *Stats) AvgLen() float64 {
	if s.Docs == 0 {
		return 0
	}
	return float64(s.Tokens) / float64(s.Docs)
}
