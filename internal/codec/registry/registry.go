// Package registry provides all posting codecs by number and by name.
package registry

import (
	"strings"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/bp128"
	"github.com/pinion-index/pinion/internal/codec/bp256"
	"github.com/pinion-index/pinion/internal/codec/bp32"
	"github.com/pinion-index/pinion/internal/codec/ef"
	"github.com/pinion-index/pinion/internal/codec/hslrc"
	"github.com/pinion-index/pinion/internal/codec/lrc"
	"github.com/pinion-index/pinion/internal/codec/lrcseg"
	"github.com/pinion-index/pinion/internal/codec/newpfd"
	"github.com/pinion-index/pinion/internal/codec/parapfor"
	"github.com/pinion-index/pinion/internal/codec/pfordelta"
	"github.com/pinion-index/pinion/internal/codec/rice"
	"github.com/pinion-index/pinion/internal/codec/seglrc"
	"github.com/pinion-index/pinion/internal/codec/simdbp128"
	"github.com/pinion-index/pinion/internal/codec/streamvbyte"
	"github.com/pinion-index/pinion/internal/codec/varintgb"
	"github.com/pinion-index/pinion/internal/codec/vbyte1024"
	"github.com/pinion-index/pinion/internal/codec/vbyte128"
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

// Of returns the codec with the number that an open list has.
func Of(number uint8) codec.Codec { return byID[number] }

// ByName returns the codec whose ID has that name, and whether there is one. The names pfordelta0 to pfordelta4 are those of
// pfordelta with so many levels of recursion (Ding 2009, section 6).
func ByName(name string) (codec.Codec, bool) {
	if digit, ok := strings.CutPrefix(name, codec.PForDelta.String()); ok && len(digit) == 1 {
		c, err := pfordelta.Level(int(digit[0]) - '0')
		return c, err == nil
	}
	for _, c := range codecs {
		if c.ID().String() == name {
			return c, true
		}
	}
	return nil, false
}
