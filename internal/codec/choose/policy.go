package choose

import "github.com/pinion-index/pinion/internal/codec"

// Policy chooses the codecs of each posting list of a segment. Model and Automatic
// implement it. Implementations are safe for concurrent use.
type Policy interface {
	// Docs returns the codec for a list that consists of docs or, if the rest is not
	// known yet, starts with docs.
	Docs(docs []uint32) (codec.BlockCodec, error)
	// Freqs is like Docs for frequencies.
	Freqs(freqs []uint32) (codec.BlockCodec, error)
	// Keeps reports whether blocks of another segment, encoded with docs and freqs, may
	// be copied instead of encoding them again.
	Keeps(docs, freqs codec.Codec) bool
}

// Keeps returns true: blocks are copied whatever their codecs.
func (Model) Keeps(docs, freqs codec.Codec) bool { return true }
