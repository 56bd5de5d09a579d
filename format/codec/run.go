package codec

// RunCodec is a Codec that decodes blocks in a row faster than one by one.
type RunCodec interface {
	Codec
	// DecodeDocsRun decodes the docIDs of count blocks from block on, one behind
	// another, to dst, which must hold count*BlockLen values. It returns how many
	// values they are. With an error, those of the blocks before the broken one are
	// in dst and counted, a multiple of BlockLen.
	DecodeDocsRun(dst []uint32, s *Sequence, block, count int) (int, error)
}

// FreqRunCodec is a Codec that decodes the frequencies of blocks in a row faster than one
// by one.
type FreqRunCodec interface {
	Codec
	// DecodeFreqsRun is what DecodeDocsRun of a RunCodec is, for frequencies.
	DecodeFreqsRun(dst []uint32, s *Sequence, block, count int) (int, error)
}

// Run decodes full blocks in a row, count of them from block on, until it meets one that it
// cannot decode, and returns how many it did.
type Run func(dst []uint32, s *Sequence, block, count int) int

// DecodeDocsRun is the method of a RunCodec for any codec.
func DecodeDocsRun(c Codec, dst []uint32, s *Sequence, block, count int) (int, error) {
	if r, ok := c.(RunCodec); ok {
		return r.DecodeDocsRun(dst, s, block, count)
	}
	return Runs(c, dst, s, block, count, noRun)
}

// DecodeFreqsRun is the method of a FreqRunCodec for any codec.
func DecodeFreqsRun(c Codec, dst []uint32, s *Sequence, block, count int) (int, error) {
	if r, ok := c.(FreqRunCodec); ok {
		return r.DecodeFreqsRun(dst, s, block, count)
	}
	return FreqRuns(c, dst, s, block, count, noRun)
}

func noRun([]uint32, *Sequence, int, int) int { return 0 }

// Runs implements DecodeDocsRun of c with fast. Blocks that fast cannot decode are left
// to c.DecodeDocs.
func Runs(c Codec, dst []uint32, s *Sequence, block, count int, fast Run) (int, error) {
	return runs(c, false, dst, s, block, count, fast)
}

// FreqRuns implements DecodeFreqsRun of c with fast and c.DecodeFreqs.
func FreqRuns(c Codec, dst []uint32, s *Sequence, block, count int, fast Run) (int, error) {
	return runs(c, true, dst, s, block, count, fast)
}

func runs(c Codec, freqs bool, dst []uint32, s *Sequence, block, count int, fast Run) (int, error) {
	size, values := c.BlockLen(), 0
	for i := 0; i < count; i++ {
		k := fast(dst[i*size:], s, block+i, count-i)
		i, values = i+k, values+k*size
		if i == count {
			break
		}
		n, err := 0, error(nil)
		if one := dst[i*size : (i+1)*size : (i+1)*size]; freqs {
			n, err = c.DecodeFreqs(one, s, block+i)
		} else {
			n, err = c.DecodeDocs(one, s, block+i)
		}
		if err != nil {
			return values, err
		}
		values += n
	}
	return values, nil
}
