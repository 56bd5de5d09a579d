// Package codec defines what a posting codec is. Each codec lives in a folder of
// its own below this one; package registry lists them all.
//
// A posting list is cut into blocks of BlockLen values, the last one shorter.
// docIDs are strictly increasing uint32 below 2^31, frequencies are at least 1.
// A codec turns either sequence into a payload of 4-byte words and an array of
// block endpoints, one more than there are blocks (Mallia 2019, section 3):
// block i is words Ends[i] up to Ends[i+1], and words 0 up to Ends[0] are the
// codec's own list header, empty for most. With the endpoints and the skip
// header (the last docID of every block) each block decodes alone.
package codec

import "fmt"

// ID is a codec's number in files. Numbers are never re-used.
type ID uint8

// The codecs. Names on the command line are those of ID.String.
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

// NoDoc is the prev of a list's first block: gaps are doc-prev-1 in uint32
// arithmetic, so the first docID is its own gap.
const NoDoc = ^uint32(0)

// MaxDoc is the largest docID that a list can hold.
const MaxDoc = 1<<31 - 1

// Sequence is one encoded sequence, docIDs or frequencies, as it lies in an
// extent. Nothing in it may be modified. The slices come from a file: a codec
// checks what it follows and never assumes that contents are consistent.
type Sequence struct {
	Payload []byte   // cap exceeds len by at least format.ReadablePadding, and those bytes are readable
	Ends    []uint32 // word offsets into Payload; blocks+1 of them
	Last    []uint32 // skip header: last docID of every block; nil for frequencies
	N       int      // number of values
}

// Block returns the payload of block i (with capacity to the end of the
// payload's readable padding) and the number of its values, or an error when the
// endpoints do not lie in the payload. blockLen is the codec's.
func (s *Sequence) Block(i, blockLen int) ([]byte, int, error) {
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

// Prev returns the docID before block i: the base of its gaps.
func (s *Sequence) Prev(i int) uint32 {
	if i == 0 {
		return NoDoc
	}
	return s.Last[i-1]
}

// Codec encodes and decodes posting sequences. Implementations have no state and
// are safe for concurrent use.
//
// Encoders append to dst, whose length must be a multiple of 4, and return it;
// ends must have room for one more element than there are blocks and receives
// word offsets relative to the old end of dst. Values that cannot be held are an
// *EncodeError.
//
// Decoders decode a row of blocks, count of them from block on, which exist, to dst
// one behind another, and return the number of values. dst must hold count*BlockLen
// values; elements past the returned number may be overwritten with anything. A block
// whose bytes contradict themselves, or whose last docID is not what the skip header
// says, is an error, never a short or wrong result; the blocks before it are then in
// dst and counted.
type Codec interface {
	ID() ID
	// BlockLen is the number of values in every block but the last: 128, 256 or 1024.
	BlockLen() int

	AppendDocs(dst []byte, ends, docs []uint32) ([]byte, error)
	// DocsSize returns the bytes that AppendDocs would append, without encoding.
	DocsSize(docs []uint32) (int, error)
	DecodeDocs(dst []uint32, s *Sequence, block, count int) (int, error)

	AppendFreqs(dst []byte, ends, freqs []uint32) ([]byte, error)
	FreqsSize(freqs []uint32) (int, error)
	DecodeFreqs(dst []uint32, s *Sequence, block, count int) (int, error)
}

// BlockCodec is a Codec whose blocks do not depend on the rest of the list, so
// that a list can be encoded block by block and encoded blocks can be moved
// between lists. Ends[0] is 0 for all of them.
type BlockCodec interface {
	Codec
	// AppendDocsBlock appends the encoding of one block of docIDs that follow prev
	// (NoDoc for the first block). The result is a multiple of 4 bytes long.
	AppendDocsBlock(dst []byte, docs []uint32, prev uint32) ([]byte, error)
	AppendFreqsBlock(dst []byte, freqs []uint32) ([]byte, error)
}

// Blocks returns how many blocks of blockLen hold n values.
func Blocks(n, blockLen int) int { return (n + blockLen - 1) / blockLen }
