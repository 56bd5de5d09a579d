package codec

import "errors"

// AppendDocsBlocks is AppendDocs for a BlockCodec: it encodes block after block.
func AppendDocsBlocks(c BlockCodec, dst []byte, ends, docs []uint32) ([]byte, error) {
	start, size, prev := len(dst), c.BlockLen(), NoDoc
	ends[0] = 0
	for i := 0; i < len(docs); i += size {
		block := docs[i:min(i+size, len(docs))]
		var err error
		if dst, err = c.AppendDocsBlock(dst, block, prev); err != nil {
			return dst[:start], Shift(err, i)
		}
		prev = block[len(block)-1]
		ends[i/size+1] = uint32((len(dst) - start) / 4)
	}
	return dst, nil
}

// AppendFreqsBlocks is AppendFreqs for a BlockCodec.
func AppendFreqsBlocks(c BlockCodec, dst []byte, ends, freqs []uint32) ([]byte, error) {
	start, size := len(dst), c.BlockLen()
	ends[0] = 0
	for i := 0; i < len(freqs); i += size {
		var err error
		if dst, err = c.AppendFreqsBlock(dst, freqs[i:min(i+size, len(freqs))]); err != nil {
			return dst[:start], Shift(err, i)
		}
		ends[i/size+1] = uint32((len(dst) - start) / 4)
	}
	return dst, nil
}

// Shift returns err with the index of an *EncodeError in it raised by base: the
// position in the list from that in a block.
func Shift(err error, base int) error {
	var e *EncodeError
	if base == 0 || !errors.As(err, &e) {
		return err
	}
	return &EncodeError{Index: e.Index + base, Value: e.Value, Reason: e.Reason}
}

// Grow returns dst with n more bytes, whose content is undefined.
func Grow(dst []byte, n int) []byte {
	if cap(dst)-len(dst) >= n {
		return dst[:len(dst)+n]
	}
	return append(dst, make([]byte, n)...)
}

// CheckRise returns ErrBlock unless docs rise strictly above prev (NoDoc: above
// nothing) and stay at or below MaxDoc. Decoders call it for blocks whose gaps
// are wide enough for their sum to wrap.
func CheckRise(docs []uint32, prev uint32) error {
	next := uint64(prev + 1) // NoDoc+1 is 0
	for _, d := range docs {
		if uint64(d) < next || d > MaxDoc {
			return ErrBlock
		}
		next = uint64(d) + 1
	}
	return nil
}

// CheckLast returns nil if a block of n docIDs after prev can end on last, as
// decoded and as the skip header has it: the two agree, leave room for n docIDs,
// and are not above MaxDoc.
func CheckLast(last, want, prev uint32, n int) error {
	if last != want || last > MaxDoc || uint64(last)+1 < uint64(prev+1)+uint64(n) {
		return ErrLastDoc
	}
	return nil
}
