//go:build !amd64 || purego

package engine

func scoreNorms(v []float32, freqs []uint32, w float32, _ bool) { scorePortable(v, freqs, w) }
