package choose

import "github.com/pinion-index/pinion/format/codec"

// Automatic chooses codecs for each list, except where one was named.
type Automatic struct {
	model       Model
	docs, freqs codec.BlockCodec // nil: chosen by the model
}

// Auto returns an Automatic that chooses the codec of docIDs by the Default model if
// docs is nil, and that of frequencies if freqs is nil. ok is false if there is nothing
// to choose: both are named, or one is that cannot be combined with the candidates
// because it needs the whole list or has blocks of another length.
func Auto(docs, freqs codec.Codec) (a Automatic, ok bool) {
	a.model = Default
	for _, x := range []struct {
		named codec.Codec
		block *codec.BlockCodec
	}{{docs, &a.docs}, {freqs, &a.freqs}} {
		if x.named == nil {
			ok = true
			continue
		}
		b, isBlock := x.named.(codec.BlockCodec)
		if !isBlock || b.BlockLen() != Candidates[0].BlockLen() {
			return a, false
		}
		*x.block = b
	}
	return a, ok
}

// Keeps reports whether blocks that docs and freqs encoded may be copied: each of
// them was chosen, or is the one that was named.
func (a Automatic) Keeps(docs, freqs codec.Codec) bool {
	return (a.docs == nil || a.docs.ID() == docs.ID()) && (a.freqs == nil || a.freqs.ID() == freqs.ID())
}

// Docs returns the codec for docs.
func (a Automatic) Docs(docs []uint32) (codec.BlockCodec, error) {
	if a.docs != nil {
		return a.docs, nil
	}
	return a.model.Docs(docs)
}

// Freqs returns the codec for freqs.
func (a Automatic) Freqs(freqs []uint32) (codec.BlockCodec, error) {
	if a.freqs != nil {
		return a.freqs, nil
	}
	return a.model.Freqs(freqs)
}
