// Package registry provides all posting codecs by number and by name.
package registry

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/bp128"
	"github.com/pinion-index/pinion/format/codec/bp256"
	"github.com/pinion-index/pinion/format/codec/bp32"
	"github.com/pinion-index/pinion/format/codec/ef"
	"github.com/pinion-index/pinion/format/codec/hslrc"
	"github.com/pinion-index/pinion/format/codec/lrc"
	"github.com/pinion-index/pinion/format/codec/lrcseg"
	"github.com/pinion-index/pinion/format/codec/newpfd"
	"github.com/pinion-index/pinion/format/codec/parapfor"
	"github.com/pinion-index/pinion/format/codec/pfordelta"
	"github.com/pinion-index/pinion/format/codec/rice"
	"github.com/pinion-index/pinion/format/codec/seglrc"
	"github.com/pinion-index/pinion/format/codec/simdbp128"
	"github.com/pinion-index/pinion/format/codec/streamvbyte"
	"github.com/pinion-index/pinion/format/codec/varintgb"
	"github.com/pinion-index/pinion/format/codec/vbyte1024"
	"github.com/pinion-index/pinion/format/codec/vbyte128"
)

// codecs is sorted by ID. To register a codec, add it here.
var codecs = [...]codec.Codec{
	bp128.Codec{},
	vbyte128.Codec{},
	bp256.Codec{},
	vbyte1024.Codec{},
	rice.Codec{},
	pfordelta.Codec{},
	newpfd.Codec{},
	parapfor.Codec{},
	lrc.Codec{},
	lrcseg.Codec{},
	seglrc.Codec{},
	hslrc.Codec{},
	ef.Codec{},
	bp32.Codec{},
	simdbp128.Codec{},
	varintgb.Codec{},
	streamvbyte.Codec{},
}

// All returns all codecs sorted by ID, in a new slice.
func All() []codec.Codec { return append([]codec.Codec(nil), codecs[:]...) }

// byID has the codec of each ID, or nil if there is none.
var byID = func() (t [256]codec.Codec) {
	for _, c := range codecs {
		t[c.ID()] = c
	}
	return t
}()

// ByID returns the codec with number id, and whether there is one.
func ByID(id codec.ID) (codec.Codec, bool) {
	c := byID[id]
	return c, c != nil
}

// ByName returns the codec whose ID has that name, and whether there is one.
func ByName(name string) (codec.Codec, bool) {
	for _, c := range codecs {
		if c.ID().String() == name {
			return c, true
		}
	}
	return nil, false
}
