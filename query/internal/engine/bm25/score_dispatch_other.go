//go:build !amd64 || purego

package bm25

func ScoreNorms(v []float32, freqs []uint32, w float32, _ bool) { scorePortable(v, freqs, w) }
