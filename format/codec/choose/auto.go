package choose

import "github.com/pinion-index/pinion/format/codec"

// Automatic chooses codecs for each list, except where one was named.
type Automatic struct {
	model       Model
	docs, freqs codec.BlockCodec // nil: chosen by the model
}

// Auto returns what chooses, by the Default model, the codec of docIDs if docs is
// nil and that of frequencies if freqs is. ok is false if there is nothing to
// choose: a codec was named with which none of the candidates can be combined,
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
