package layout

import (
	"math"

	"github.com/pinion-index/pinion/kernels"
)

// PresenceLead is how many bytes lie before presence words. It keeps them from loads
// beyond the end of the list before: what those leave in a cache may be older than the
// words.
const PresenceLead = 64

// defaultPresence is the length of lists from which on they get presence words.
const defaultPresence = 4096

// PresenceBytes returns the device memory that presence words take of a list of that many
// postings in a segment of docs documents, with PresenceLead.
func PresenceBytes(postings, docs uint32) int64 {
	words, _ := kernels.PresenceWords(postings, docs)
	return (PresenceLead + 4*int64(words) + 63) &^ 63
}

// LeastPresent returns from how many postings on a list gets presence words, by an
// option that is 0 for the default and negative for never.
func LeastPresent(option int64) uint32 {
	switch {
	case option < 0:
		return math.MaxUint32
	case option == 0:
		return defaultPresence
	}
	return uint32(min(option, math.MaxUint32))
}
