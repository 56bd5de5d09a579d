package codec

import "errors"

// AppendDocsBlocks implements AppendDocs for a BlockCodec. It encodes block by block.
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

// AppendFreqsBlocks implements AppendFreqs for a BlockCodec.
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

// Shift adds base to the index of an *EncodeError, which turns an index in a block into
// an index in the list. It returns other errors unchanged.
func Shift(err error, base int) error {
	var e *EncodeError
	if base == 0 || !errors.As(err, &e) {
		return err
	}
	return &EncodeError{Index: e.Index + base, Value: e.Value, Reason: e.Reason}
}

// Grow returns dst extended by n bytes with undefined contents.
func Grow(dst []byte, n int) []byte {
	if cap(dst)-len(dst) >= n {
		return dst[:len(dst)+n]
	}
	return append(dst, make([]byte, n)...)
}

// CheckRise returns ErrBlock unless docs strictly increase from prev (or NoDoc) and are
// at most MaxDoc. Decoders call it for blocks whose gaps are wide enough for their sum to
// overflow.
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

// CheckLast checks the last docID of a block of n docIDs after prev. It returns
// ErrLastDoc unless last, as decoded, equals want, from the skip header, is at most
// MaxDoc, and leaves room for n docIDs.
func CheckLast(last, want, prev uint32, n int) error {
	if last != want || last > MaxDoc || uint64(last)+1 < uint64(prev+1)+uint64(n) {
		return ErrLastDoc
	}
	return nil
}
