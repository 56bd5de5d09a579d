package patch

import "github.com/pinion-index/pinion/format/codec/internal/bitpack"

// UnpackFreqsWith is UnpackFreqs for low bits of width bits at the start of src and
// exceptions whose positions and overflows less one the caller has read. There is at
// least one; where the slices have room for a multiple of 16, vectors are used. It
// returns false where positions do not ascend strictly or reach beyond n.
func UnpackFreqsWith(dst []uint32, n int, src []byte, width uint, positions, overflows []uint32) bool {
	return listedFreqs(dst[:bitpack.BlockLen:bitpack.BlockLen], n, src, width, positions, overflows[:len(positions)])
}

// UnpackDocsWith is UnpackDocs for exceptions as UnpackFreqsWith takes them.
func UnpackDocsWith(dst []uint32, n int, src []byte, width uint, positions, overflows []uint32, prev uint32) bool {
	return listedDocs(dst[:bitpack.BlockLen:bitpack.BlockLen], n, src, width, positions, overflows[:len(positions)], prev)
}

func listedFreqsPortable(dst []uint32, n int, src []byte, width uint, positions, overflows []uint32) bool {
	bitpack.UnpackFreqs(dst, src, n, width)
	return addListed(dst, n, width, positions, overflows)
}

func listedDocsPortable(dst []uint32, n int, src []byte, width uint, positions, overflows []uint32, prev uint32) bool {
	bitpack.Unpack(dst, src, n, width)
	if !addListed(dst, n, width, positions, overflows) {
		return false
	}
	bitpack.PrefixSum(dst[:n], prev)
	return true
}

func addListed(dst []uint32, n int, width uint, positions, overflows []uint32) bool {
	next := uint32(0)
	for j, i := range positions {
		if i < next || i >= uint32(n) {
			return false
		}
		dst[i] += (overflows[j] + 1) << width
		next = i + 1
	}
	return true
}
