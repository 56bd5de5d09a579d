package registry

import (
	"testing"

	"github.com/pinion-index/pinion/format/codec"
)

// capabilities says what each codec can do besides decoding lists and blocks, which
// all can. A docID that is a sum of gaps has no access of its own, and so no search
// without a decoded block; a value of the byte-aligned codecs begins where those
// before it end.
var capabilities = map[codec.ID]struct{ doc, freq, seek, block bool }{
	codec.BP128:       {freq: true, block: true},
	codec.VByte128:    {block: true},
	codec.BP256:       {freq: true, block: true},
	codec.VByte1024:   {block: true},
	codec.Rice:        {freq: true, block: true},
	codec.PForDelta:   {freq: true}, // one width for the list
	codec.NewPFD:      {freq: true, block: true},
	codec.ParaPFor:    {freq: true, block: true},
	codec.LRC:         {doc: true, freq: true, seek: true}, // one line for the list
	codec.LRCSeg:      {doc: true, freq: true, seek: true},
	codec.SegLRC:      {doc: true, freq: true, seek: true, block: true},
	codec.HSLRC:       {doc: true, freq: true, seek: true},
	codec.EF:          {doc: true, freq: true, seek: true, block: true},
	codec.BP32:        {freq: true, block: true},
	codec.SIMDBP128:   {freq: true}, // selectors of sixteen blocks stand together
	codec.VarintGB:    {block: true},
	codec.StreamVByte: {},
}

// What a codec can do, package codectest tests: every interface that it implements.
func TestCapabilities(t *testing.T) {
	for _, c := range All() {
		want, ok := capabilities[c.ID()]
		if !ok {
			t.Errorf("nobody says what %v can do", c.ID())
		}
		_, doc := c.(codec.RandomAccess)
		_, freq := c.(codec.FreqAccess)
		_, seek := c.(codec.Seeker)
		_, block := c.(codec.BlockCodec)
		for _, x := range []struct {
			what      string
			got, want bool
		}{
			{"access to one docID", doc, want.doc},
			{"access to one frequency", freq, want.freq},
			{"a search within a block", seek, want.seek},
			{"blocks that can be encoded alone", block, want.block},
		} {
			if x.got != x.want {
				t.Errorf("%v: %s: %v, wanted %v", c.ID(), x.what, x.got, x.want)
			}
		}
	}
}
