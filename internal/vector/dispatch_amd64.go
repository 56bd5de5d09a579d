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
