package vbyte128

import (
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/bytepack"
)

// BlockLen is the number of values in a full block.
const BlockLen = 128

// Codec is vbyte128. The zero value is ready to use.
type Codec struct{ bytepack.Codec[size] }

type size struct{}

func (size) Len() int { return BlockLen }

var _ codec.BlockCodec = Codec{}

// ID returns codec.VByte128.
func (Codec) ID() codec.ID { return codec.VByte128 }
