// Package codec defines the interface of posting codecs. Each codec is a package in a
// subfolder; package registry lists them all.
//
// A posting list is divided into blocks of BlockLen values; the last block may be
// shorter. DocIDs are strictly increasing and less than 2^31; frequencies are at least 1.
// A codec encodes either sequence as a payload of 4-byte words and an array of block
// endpoints, one more than there are blocks (Mallia 2019, section 3). Block i is words
// Ends[i] to Ends[i+1]-1. Words 0 to Ends[0]-1 are the codec's list header, which is
// empty for most codecs. With the endpoints and the skip header, the last docID of every
// block, each block can be decoded on its own.
package codec

import (
	"fmt"

	"github.com/pinion-index/pinion/format"
)

// ID is the number of a codec in files. Numbers are never reused.
type ID uint8

// The codecs. ID.String returns their names.
const (
	BP128       ID = 1
	VByte128    ID = 2
	BP256       ID = 3
	VByte1024   ID = 4
	Rice        ID = 5
	PForDelta   ID = 6
	NewPFD      ID = 7
	ParaPFor    ID = 8
	LRC         ID = 9
	LRCSeg      ID = 10
	SegLRC      ID = 11
	HSLRC       ID = 12
	EF          ID = 13
	BP32        ID = 14
	SIMDBP128   ID = 15
	VarintGB    ID = 16
	StreamVByte ID = 17
)

var names = [...]string{
	BP128: "bp128", VByte128: "vbyte128", BP256: "bp256", VByte1024: "vbyte1024",
	Rice: "rice", PForDelta: "pfordelta", NewPFD: "newpfd", ParaPFor: "parapfor",
	LRC: "lrc", LRCSeg: "lrcseg", SegLRC: "seglrc", HSLRC: "hslrc", EF: "ef",
	BP32: "bp32", SIMDBP128: "simdbp128", VarintGB: "varintgb", StreamVByte: "streamvbyte",
}

// String returns the codec's name.
func (id ID) String() string {
	if int(id) < len(names) && names[id] != "" {
		return names[id]
	}
	return fmt.Sprintf("codec(%d)", uint8(id))
}

// NoDoc is the docID before a list's first block. Gaps are doc-prev-1 in uint32
// arithmetic, so the first gap is the first docID.
const NoDoc = ^uint32(0)

// MaxDoc is the largest docID of a list.
const MaxDoc = 1<<31 - 1

// Block returns the payload of block i of s and the number of its values. The capacity of
// the result extends to that of the payload. blockLen is the codec's BlockLen. The error is
// ErrEndpoints if the block is not within the payload.
func Block(s *format.Sequence, i, blockLen int) ([]byte, int, error) {
	lo, hi := uint64(s.Ends[i])*4, uint64(s.Ends[i+1])*4
	if lo > hi || hi > uint64(len(s.Payload)) {
		return nil, 0, ErrEndpoints
	}
	n := s.N - i*blockLen
	if n > blockLen {
		n = blockLen
	}
	return s.Payload[lo:hi], n, nil
}

// Prev returns the docID before block i of s, the base of its gaps.
func Prev(s *format.Sequence, i int) uint32 {
	if i == 0 {
		return NoDoc
	}
	return s.Last[i-1]
}

// Codec encodes and decodes posting lists. Implementations are stateless and safe for
// concurrent use.
//
// Encoders append to dst, whose length must be a multiple of 4, and return the extended
// slice. They store the endpoints in ends, whose length must be at least the number of
// blocks plus one, as word offsets relative to the old end of dst. For values that cannot
// be encoded they return an *EncodeError.
//
// Decoders decode count adjacent blocks, a row, from block on to dst and return the
// number of values. The blocks must exist, and dst must have count*BlockLen elements;
// those after the returned number of values are undefined. If the bytes of a block
// contradict each other, or its last docID differs from the skip header, decoders return
// an error that matches format.ErrCorrupt, with the number of values in the blocks before
// it.
type Codec interface {
	ID() ID
	// BlockLen returns the number of values in every block except the last: 128, 256 or
	// 1024.
	BlockLen() int

	AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error)
	// DocsSize returns the number of bytes that AppendDocs would append.
	DocsSize(docs []uint32) (int, error)
	DecodeDocs(dst []uint32, s *format.Sequence, block, count int) (int, error)

	AppendFreqs(dst []byte, ends, freqs []uint32) ([]byte, error)
	FreqsSize(freqs []uint32) (int, error)
	DecodeFreqs(dst []uint32, s *format.Sequence, block, count int) (int, error)
}

// BlockCodec is a Codec whose blocks do not depend on the rest of the list, so that lists
// can be encoded block by block and encoded blocks can be copied to other lists. It has
// no list header: Ends[0] is 0.
type BlockCodec interface {
	Codec
	// AppendDocsBlock appends a block of docIDs that follow prev (NoDoc for the first
	// block). It appends a multiple of 4 bytes.
	AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error)
	AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error)
}

// Grouped is a Codec whose blocks come in groups that share bytes: those that the first block
// of a group begins with. Blocks of other codecs need only their own words and the list header.
type Grouped interface {
	Codec
	// Group returns the number of blocks of a group and the number of bytes that they share.
	Group() (blocks, shared int)
}

// Strict is a Codec whose decoders pass over bits: unused ones, or fields that are wider than
// what they hold. Verification and merges, which refuse such blocks, call its methods. The
// decoders of other codecs check all bits.
type Strict interface {
	Codec
	// StrictDocs returns an error that matches format.ErrCorrupt unless all unused bits of a
	// block of docIDs are zero and its fields as narrow as the layout allows. docs is what
	// DecodeDocs makes of the block; it is not modified. What belongs to the whole list is
	// checked with block 0.
	StrictDocs(s *format.Sequence, block int, docs []uint32) error
	// StrictFreqs is StrictDocs for frequencies.
	StrictFreqs(s *format.Sequence, block int, freqs []uint32) error
}

// Blocks returns the number of blocks of blockLen values for n values.
func Blocks(n, blockLen int) int { return (n + blockLen - 1) / blockLen }

// Name returns the name of a codec, "" of nil.
func Name(c Codec) string {
	if c == nil {
		return ""
	}
	return c.ID().String()
}
