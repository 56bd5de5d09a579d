package cli

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/pfordelta"
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
		if x.ID() == codec.PForDelta {
			names = append(names, levels...)
		}
	}
	c.docs, c.freqs = NewChoice("NAME", names...), NewChoice("NAME", names...)
	fl.Var(c.docs, "codec", "codec of docIDs: "+c.docs.Words()+" "+auto)
	fl.Var(c.freqs, "freq-codec", "codec of frequencies: the same names")
}

// levels are the names of pfordelta with 0 to 4 levels of recursion (Ding 2009, section 6).
var levels = []string{"pfordelta0", "pfordelta1", "pfordelta2", "pfordelta3", "pfordelta4"}

// named returns the codec with that name, nil for auto.
func named(name string) codec.Codec {
	if level := slices.Index(levels, name); level >= 0 {
		c, _ := pfordelta.Level(level) // there is one for each name
		return c
	}
	c, _ := registry.ByName(name)
	return c
}

// Options returns the codecs that the flags name, nil for auto.
func (c *Codecs) Options() (docs, freqs codec.Codec, err error) {
	docs = named(c.docs.Value)
	freqs = named(c.freqs.Value)
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
