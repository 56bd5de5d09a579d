//go:build !amd64 || purego

package query

func scoreNorms(v []float32, freqs []uint32, w float32, _ bool) { scorePortable(v, freqs, w) }
