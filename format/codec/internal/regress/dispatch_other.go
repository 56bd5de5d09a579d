//go:build !amd64 || purego

package regress

import "github.com/pinion-index/pinion/format/codec"

func add(v []uint32, l Local, prev uint32) bool { return addPortable(v, l, prev) }

func listBlock([]uint32, *codec.Sequence, int) bool { return false }

func chordBlock([]uint32, *codec.Sequence, int) bool { return false }

func twoLines([]uint32, *codec.Sequence, int, *[2]Local, int) bool { return false }

func listRun([]uint32, *codec.Sequence, int, int) int { return 0 }

func chordRun([]uint32, *codec.Sequence, int, int) int { return 0 }

func bucketRun([]uint32, *codec.Sequence, int, int, uint, uint) int { return 0 }
