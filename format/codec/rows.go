package codec

// Rows implements Codec.DecodeDocs and Codec.DecodeFreqs for blocks of size values. fast,
// which may be nil, decodes full blocks to dst until it reaches a block that it does not
// support, and returns the number of blocks decoded. one decodes any block to dst, which
// has size elements.
func Rows(dst []uint32, s *Sequence, block, count, size int,
	fast func(dst []uint32, s *Sequence, block, count int) int,
	one func(dst []uint32, s *Sequence, block int) (int, error)) (int, error) {
	values := 0
	if count == 1 {
		fast = nil // one is as fast for a single block
	}
	for i := 0; i < count; i++ {
		if fast != nil {
			k := fast(dst[i*size:], s, block+i, count-i)
			i, values = i+k, values+k*size
			if i == count {
				break
			}
		}
		n, err := one(dst[i*size:(i+1)*size:(i+1)*size], s, block+i)
		if err != nil {
			return values, err
		}
		values += n
	}
	return values, nil
}
