//go:build !paper

package kernels

import "embed"

var (
	papers    []entry  // none without the build tag paper
	paperCode embed.FS // empty
)
