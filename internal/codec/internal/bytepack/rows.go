package bytepack

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
)

// DecodeDocs implements Codec.DecodeDocs for blocks of size values, a multiple of 16. Each
// block begins with its selectors or, if sel is not nil, that holds those of the whole list.
func DecodeDocs(dst []uint32, s *format.Sequence, block, count, size int, sel []byte) (int, error) {
	return decode(dst, s, block, count, size, sel, true)
}

// DecodeFreqs is DecodeDocs for frequencies.
func DecodeFreqs(dst []uint32, s *format.Sequence, block, count, size int, sel []byte) (int, error) {
	return decode(dst, s, block, count, size, sel, false)
}

// decode decodes as many blocks as it can in a row, then one that is broken or rare, and so on.
func decode(dst []uint32, s *format.Sequence, block, count, size int, sel []byte, docs bool) (int, error) {
	values := 0
	for i := 0; i < count; {
		b, k, n := block+i, count-i, size
		if rest := s.N - b*size; k*size > rest {
			if k = rest / size; k == 0 {
				k, n = 1, rest
			}
		}
		own := sel
		if sel != nil {
			own = sel[min(b*size/4, len(sel)):]
		}
		done := row(dst[i*size:], s, b, k, n, own, docs)
		i, values = i+done, values+done*n
		if done == k {
			continue
		}
		n, err := one(dst[i*size:(i+1)*size], s, block+i, sel, docs)
		if err != nil {
			return values, err
		}
		i, values = i+1, values+n
	}
	return values, nil
}

// one decodes one block, of up to len(dst) values, and returns their number.
func one(dst []uint32, s *format.Sequence, block int, sel []byte, docs bool) (int, error) {
	data, n, err := codec.Block(s, block, len(dst))
	if err != nil {
		return 0, err
	}
	at, size := block*len(dst)/4, SelectorBytes(n)
	if sel == nil {
		sel, at, data = data, 0, data[min(size, len(data)):]
	}
	if uint(n-1) >= uint(len(dst)) || len(sel) < at+size {
		return 0, codec.ErrBlock
	}
	sel = sel[at : at+size]
	if !docs {
		if !UnpackFreqs(dst[:n], sel, data) {
			return 0, codec.ErrBlock
		}
		return n, nil
	}
	prev := codec.Prev(s, block)
	if !UnpackDocs(dst[:n], sel, data, prev) {
		return 0, codec.ErrBlock
	}
	return n, codec.CheckLast(dst[n-1], s.Last[block], prev, n)
}
