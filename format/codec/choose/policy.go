package choose

import "github.com/pinion-index/pinion/format/codec"

// Policy chooses the codecs of each posting list of a segment. Model and Automatic are
// policies. Implementations are safe for concurrent use.
type Policy interface {
	// Docs returns the codec for a list with these docIDs, or that begins with them if
	// the rest is not at hand.
	Docs(docs []uint32) (codec.BlockCodec, error)
	// Freqs is Docs for frequencies.
	Freqs(freqs []uint32) (codec.BlockCodec, error)
	// Keeps reports whether encoded blocks of another segment may be copied instead.
	Keeps(docs, freqs codec.Codec) bool
}

// Keeps reports true: what another segment was encoded with is good enough.
func (Model) Keeps(docs, freqs codec.Codec) bool { return true }
