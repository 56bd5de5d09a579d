package layout

import (
	"math"

	"github.com/pinion-index/pinion/internal/kernels"
)

// PresenceLead is the number of unused bytes before presence words. Loads past the end of
// the preceding list touch only these, so they cannot leave stale presence words in a
// cache.
const PresenceLead = 64

// defaultPresence is the minimum length of a list with presence words.
const defaultPresence = 4096

// PresenceBytes returns the size in bytes of the presence words of a list with that many
// postings in a segment of docs documents, including PresenceLead.
func PresenceBytes(postings, docs uint32) int64 {
	words, _ := kernels.PresenceWords(postings, docs)
	return (PresenceLead + 4*int64(words) + 63) &^ 63
}

// LeastPresent returns the minimum number of postings of a list with presence words.
// option is that number, or 0 for the default.
func LeastPresent(option int64) uint32 {
	if option == 0 {
		return defaultPresence
	}
	return uint32(min(option, math.MaxUint32))
}
