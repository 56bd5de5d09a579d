package engine

// Vectors returns how many vectors documents have in a field, given its number in segments.
func (s *Searcher) Vectors(field uint32) (n uint64) {
	if s.hold() != nil {
		return 0
	}
	defer s.release()
	for i := range s.parts {
		of := s.parts[i].Views()
		if f, ok := of.FieldByID(field); ok && of.Field(f).Info().Vectors != nil {
			n += uint64(of.Field(f).Info().Vectors.Count)
		}
	}
	return n
}
