//go:build !amd64 || purego

package vector

func dot(a, b []float32) float32             { return dotPortable(a, b) }
func squaredDistance(a, b []float32) float32 { return squaredDistancePortable(a, b) }

func upperProducts(products []int32, high []byte, which []uint32, query []int8) {
	upperProductsPortable(products, high, which, query)
}

func bothProducts(high, low []byte, query []int16) int32 {
	return bothProductsPortable(high, low, query)
}

func hadamard(v []float32, factor float32) { hadamardPortable(v, factor) }
