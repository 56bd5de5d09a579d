package vbyte1024

import (
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/internal/bytepack"
)

// BlockLen is the number of values in a full block.
const BlockLen = 1024

// Codec is vbyte1024. The zero value is ready to use.
type Codec struct{ bytepack.Codec[size] }

type size struct{}

func (size) Len() int { return BlockLen }

var _ codec.BlockCodec = Codec{}

// ID returns codec.VByte1024.
func (Codec) ID() codec.ID { return codec.VByte1024 }
