package cli

import (
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/registry"
)

// Codecs are the flags --codec and --freq-codec.
type Codecs struct {
	docs, freqs *Choice
}

// Add adds the flags to fl.
func (c *Codecs) Add(fl *pflag.FlagSet, auto string) {
	names := []string{"auto"}
	for _, x := range registry.All() {
		names = append(names, x.ID().String())
	}
	c.docs, c.freqs = NewChoice("NAME", names...), NewChoice("NAME", names...)
	fl.Var(c.docs, "codec", "codec of docIDs: "+c.docs.Words()+" "+auto)
	fl.Var(c.freqs, "freq-codec", "codec of frequencies: the same names")
}

// Options returns the codecs that the flags name, nil for auto.
func (c *Codecs) Options() (docs, freqs codec.Codec, err error) {
	docs, _ = registry.ByName(c.docs.Value)
	freqs, _ = registry.ByName(c.freqs.Value)
	switch { // auto has blocks of 128
	case docs != nil && freqs == nil && docs.BlockLen() != 128:
		freqs = docs
	case docs == nil && freqs != nil && freqs.BlockLen() != 128:
		docs = freqs
	case docs != nil && freqs != nil && docs.BlockLen() != freqs.BlockLen():
		err = Usage("--codec %s has blocks of %d, --freq-codec %s of %d", docs.ID(), docs.BlockLen(), freqs.ID(), freqs.BlockLen())
	}
	return docs, freqs, err
}
