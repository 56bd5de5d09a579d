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

func move(dst, v, centre []float32) { movePortable(dst, v, centre) }

func permute(dst, src []float32, from []uint16, sign []uint32) { permutePortable(dst, src, from, sign) }

func greatest(v []float32) float32 { return greatestPortable(v) }

func quantize(codes []uint8, turned, from []float32, step float32, s *sums) {
	quantizePortable(codes, turned, from, step, s)
}

func widen(dst []float32, src []uint16)  { widenPortable(dst, src) }
func narrow(dst []uint16, src []float32) { narrowPortable(dst, src) }
