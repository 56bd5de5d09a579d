package choose

import "github.com/pinion-index/pinion/internal/codec"

// Automatic chooses a codec for each list, except for sequences with a fixed codec.
type Automatic struct {
	model       Model
	docs, freqs codec.BlockCodec // nil: chosen by the model
}

// Auto returns an Automatic that chooses the codec of docIDs with the Default model if
// docs is nil, and that of frequencies if freqs is nil. ok is false if there is nothing
// to choose: both are given, or one is given that cannot be combined with the candidates
// because it is not a codec.BlockCodec or has blocks of another length.
func Auto(docs, freqs codec.Codec) (a Automatic, ok bool) {
	a.model = Default()
	for _, x := range []struct {
		named codec.Codec
		block *codec.BlockCodec
	}{{docs, &a.docs}, {freqs, &a.freqs}} {
		if x.named == nil {
			ok = true
			continue
		}
		b, isBlock := x.named.(codec.BlockCodec)
		if !isBlock || b.BlockLen() != a.model.Candidates[0].BlockLen() {
			return a, false
		}
		*x.block = b
	}
	return a, ok
}

// Keeps reports whether blocks encoded with docs and freqs may be copied. A fixed codec
// must be the same.
func (a Automatic) Keeps(docs, freqs codec.Codec) bool {
	return (a.docs == nil || a.docs.ID() == docs.ID()) && (a.freqs == nil || a.freqs.ID() == freqs.ID())
}

// Docs returns the codec for a list of docIDs.
func (a Automatic) Docs(docs []uint32) (codec.BlockCodec, error) {
	if a.docs != nil {
		return a.docs, nil
	}
	return a.model.Docs(docs)
}

// Summed returns what chooses for lists of weights, which queries decode whole to add them up rather than skip through
// them: with the cost of a byte in memory.
func (a Automatic) Summed() Automatic {
	a.model.NanosPerByte = 0.5
	return a
}

// Freqs returns the codec for a list of frequencies.
func (a Automatic) Freqs(freqs []uint32) (codec.BlockCodec, error) {
	if a.freqs != nil {
		return a.freqs, nil
	}
	return a.model.Freqs(freqs)
}
