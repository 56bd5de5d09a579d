// Package posblock codes the parts of POSITIONS (format/FORMAT.md, section 4.14): where the
// postings of a list, or of one of its blocks, have their positions. It knows neither files nor
// lists. Positions are given as gaps: of the first position of a posting the position, of
// another one how many lie between it and the one before.
//
//	small.go    lists of few positions
//	encode.go   the pieces of a block
//	decode.go   all gaps of a block; some gaps of a piece
//	bits.go     numbers of some bits, one after the other
package posblock

import "math"

// MaxPosition is the greatest position.
const MaxPosition = math.MaxInt32

// PieceLen is the number of gaps of a piece that is not the last of its block.
const PieceLen = 128

// SmallBelow is how many positions a list without an extent must have to consist of pieces.
const SmallBelow = 128
