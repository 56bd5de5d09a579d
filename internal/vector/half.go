package vector

import "math"

// Widen sets dst to the values of src, float16 of IEEE 754, which float32 has. dst is not shorter than src.
func Widen(dst []float32, src []uint16) { widen(dst[:len(src)], src) }

// Narrow sets dst to the values of src, each rounded to the nearest float16, of two as near to the even one. dst is not shorter than src.
func Narrow(dst []uint16, src []float32) { narrow(dst[:len(src)], src) }

// Parts of a float32.
const (
	infinite = 0x7f800000
	quiet    = 0x00400000 // of what is no number
)

func widenPortable(dst []float32, src []uint16) {
	for i, h := range src {
		b := uint32(h&0x7fff) << 13
		switch {
		case b < 0x7c00<<13:
			b = math.Float32bits(math.Float32frombits(b) * 0x1p112) // also of what is below the least exponent
		case b == 0x7c00<<13:
			b = infinite
		default:
			b |= infinite | quiet
		}
		dst[i] = math.Float32frombits(b | uint32(h&0x8000)<<16)
	}
}

func narrowPortable(dst []uint16, src []float32) {
	for i, x := range src {
		b := math.Float32bits(x)
		sign := uint16(b >> 16 & 0x8000)
		switch b &= 1<<31 - 1; {
		case b > infinite:
			b = 0x7e00 | b>>13&0x3ff
		case b >= 0x477ff000: // 65520
			b = 0x7c00
		case b < 0x38800000: // below the least exponent, 2^-14: the sum is rounded as the fraction is
			b = math.Float32bits(math.Float32frombits(b)+0.5) - 0x3f000000
		default:
			b = (b + 0xfff + b>>13&1 - 112<<23) >> 13
		}
		dst[i] = uint16(b) | sign
	}
}
