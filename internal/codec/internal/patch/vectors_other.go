//go:build !amd64 || purego

package patch

import "github.com/pinion-index/pinion/internal/bitpack"

func vectors([]byte) bool { return false }

func (*layout) unpackVectors(*[bitpack.BlockLen]uint32, int, []byte, source, kind, uint32) bool {
	return false
}

func (*layout) wide([]byte, kind) bool { return false }

func (*layout) unpackWide(*[bitpack.BlockLen]uint32, int, []byte, kind, uint32) bool { return false }

func worthVectors(int) bool { return false }

func exceedVectors(*[33]uint32, []uint32, uint) uint32 { return 0 }

func aboveVectors([]uint32, uint32) (lo, hi uint64) { return 0, 0 }
