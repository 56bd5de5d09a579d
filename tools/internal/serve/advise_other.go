//go:build !unix

package serve

import "github.com/pinion-index/pinion/segment"

func (g *seg) advise() {}

func (g *seg) prefetch(segment.Entry) {}
