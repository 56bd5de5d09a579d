package codec

import "github.com/pinion-index/pinion/format"

// Rows implements Codec.DecodeDocs and Codec.DecodeFreqs for blocks of size values. one
// decodes a block to dst, which has size elements.
func Rows(dst []uint32, s *format.Sequence, block, count, size int,
	one func(dst []uint32, s *format.Sequence, block int) (int, error)) (int, error) {
	values := 0
	for i := range count {
		n, err := one(dst[i*size:(i+1)*size:(i+1)*size], s, block+i)
		if err != nil {
			return values, err
		}
		values += n
	}
	return values, nil
}
