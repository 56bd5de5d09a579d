package format

import "slices"

// Tail returns the offset of the sections that writers put at the end of a segment since
// every query needs them. In files of version 0.2 they lie elsewhere: it is 0.
func (h *Header) Tail() int64 {
	if h.Version.paged() {
		return 0
	}
	at := h.FileLen - FooterSize
	for _, s := range slices.Backward(h.Sections) {
		if row := s.ID.info(); row == nil || !row.Tail && row.Side != 0 {
			break
		}
		at = s.Offset
	}
	return at
}
