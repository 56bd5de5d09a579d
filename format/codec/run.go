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

// DecodeDocsRun is the method of a RunCodec for any codec.
func DecodeDocsRun(c Codec, dst []uint32, s *Sequence, block, count int) (int, error) {
	if r, ok := c.(RunCodec); ok {
		return r.DecodeDocsRun(dst, s, block, count)
	}
	return Runs(c, dst, s, block, count, noRun)
}

func noRun([]uint32, *Sequence, int, int) int { return 0 }

// Runs implements DecodeDocsRun of c. fast decodes blocks in a row, at least one, until
// it meets one that it cannot, and returns how many it did; those it cannot are left
// to c.DecodeDocs.
func Runs(c Codec, dst []uint32, s *Sequence, block, count int,
	fast func(dst []uint32, s *Sequence, block, count int) int) (int, error) {
	size, values := c.BlockLen(), 0
	for i := 0; i < count; i++ {
		k := fast(dst[i*size:], s, block+i, count-i)
		i, values = i+k, values+k*size
		if i == count {
			break
		}
		n, err := c.DecodeDocs(dst[i*size:(i+1)*size:(i+1)*size], s, block+i)
		if err != nil {
			return values, err
		}
		values += n
	}
	return values, nil
}
