//go:build !amd64 || purego

package bm25

func scoreNorms(v []float32, freqs []uint32, w float32, _ bool) { scorePortable(v, freqs, w) }

func scoreCodedNorms(v []float32, freqs []uint32, w float32, _ bool) { scoreCodedPortable(v, freqs, w) }
