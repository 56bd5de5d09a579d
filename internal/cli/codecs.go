package cli

import (
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
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

// Options returns the names of the codecs that the flags name, "" for auto.
func (c *Codecs) Options() (docs, freqs string, err error) {
	named := func(of *Choice) (string, int) {
		x, ok := registry.ByName(of.Value)
		if !ok {
			return "", 128 // auto has blocks of 128
		}
		return of.Value, x.BlockLen()
	}
	docs, each := named(c.docs)
	freqs, other := named(c.freqs)
	switch {
	case docs != "" && freqs == "" && each != 128:
		freqs = docs
	case docs == "" && freqs != "" && other != 128:
		docs = freqs
	case docs != "" && freqs != "" && each != other:
		err = Usage("--codec %s has blocks of %d, --freq-codec %s of %d", docs, each, freqs, other)
	}
	return docs, freqs, err
}
