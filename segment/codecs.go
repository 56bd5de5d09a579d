package segment

import (
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/registry"
)

// codecByID finds the codec that an extent names.
func codecByID(id codec.ID) (codec.Codec, bool) { return registry.ByID(id) }
