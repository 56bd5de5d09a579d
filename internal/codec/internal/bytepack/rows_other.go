//go:build !amd64 || purego

package bytepack

import "github.com/pinion-index/pinion/format"

// row decodes nothing: there are no vector instructions.
func row(dst []uint32, s *format.Sequence, block, count, n int, sel []byte, docs bool) int { return 0 }

// packVectors packs nothing.
func packVectors(sel, data []byte, v []uint32) (n, used int) { return 0, 0 }
