//go:build !unix

package serve

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

func advise(segment.Data, *format.Header) {}

func (g *seg) prefetch(segment.Entry) {}
