//go:build !purego

package vector

import "github.com/pinion-index/pinion/internal/simd"

func dot(a, b []float32) float32 {
	if simd.Level() < simd.AVX2 || len(a) == 0 {
		return dotPortable(a, b)
	}
	return dotAVX2(&a[0], &b[0], len(a))
}

func squaredDistance(a, b []float32) float32 {
	if simd.Level() < simd.AVX2 || len(a) == 0 {
		return squaredDistancePortable(a, b)
	}
	return squaredDistanceAVX2(&a[0], &b[0], len(a))
}

// upperProducts is upperProductsPortable. There is room for 64 of products and which.
func upperProducts(products []int32, high []byte, which []uint32, query []int8) {
	if simd.Level() < simd.AVX2 {
		upperProductsPortable(products, high, which, query)
		return
	}
	n := len(which)
	room := (n + 3) &^ 3
	which, products = which[:room], products[:room]
	for i := n; i < room; i++ {
		which[i] = which[n-1]
	}
	_ = high[int(which[n-1]+1)*(len(query)/2)-1]
	upperProductsAVX2(&products[0], &high[0], &which[0], &query[0], room, len(query)/2)
}

func bothProducts(high, low []byte, query []int16) int32 {
	if simd.Level() < simd.AVX2 {
		return bothProductsPortable(high, low, query)
	}
	return bothProductsAVX2(&high[0], &low[0], &query[0], len(high))
}

// hadamard is hadamardPortable.
func hadamard(v []float32, factor float32) {
	if simd.Level() < simd.AVX2 || len(v) < 8 {
		hadamardPortable(v, factor)
		return
	}
	hadamardAVX2(&v[0], len(v), factor)
}

// move is movePortable.
func move(dst, v, centre []float32) {
	n := 0
	if simd.Level() >= simd.AVX2 {
		if n = len(dst) &^ 7; n > 0 {
			moveAVX2(&dst[0], &v[:n][0], &centre[:n][0], n)
		}
	}
	movePortable(dst[n:], v[n:], centre[n:])
}

// permute is permutePortable.
func permute(dst, src []float32, from []uint16, sign []uint32) {
	n := 0
	if simd.Level() >= simd.AVX2 {
		if n = len(from) &^ 7; n > 0 {
			permuteAVX2(&dst[:n][0], &src[0], &from[0], &sign[:n][0], n)
		}
	}
	permutePortable(dst[n:], src, from[n:], sign[n:])
}

// greatest is greatestPortable.
func greatest(v []float32) float32 {
	n, most := 0, float32(0)
	if simd.Level() >= simd.AVX2 {
		if n = len(v) &^ 7; n > 0 {
			most = greatestAVX2(&v[0], n)
		}
	}
	return max(most, greatestPortable(v[n:]))
}

// quantize is quantizePortable.
func quantize(codes []uint8, turned, from []float32, step float32, s *sums) {
	n := 0
	if simd.Level() >= simd.AVX2 && step > 0 {
		if n = len(turned) &^ 7; n > 0 {
			quantizeAVX2(&codes[:n][0], &turned[0], &from[:n][0], n, step, &s[0])
		}
	}
	quantizePortable(codes[n:], turned[n:], from[n:], step, s)
}

// converts reports whether this CPU converts float16.
var converts = hasF16C()

// widen is widenPortable.
func widen(dst []float32, src []uint16) {
	n := 0
	if converts && simd.Level() >= simd.AVX2 {
		if n = len(src) &^ 7; n > 0 {
			widenF16C(&dst[0], &src[0], n)
		}
	}
	widenPortable(dst[n:], src[n:])
}

// narrow is narrowPortable.
func narrow(dst []uint16, src []float32) {
	n := 0
	if converts && simd.Level() >= simd.AVX2 {
		if n = len(src) &^ 7; n > 0 {
			narrowF16C(&dst[0], &src[0], n)
		}
	}
	narrowPortable(dst[n:], src[n:])
}
