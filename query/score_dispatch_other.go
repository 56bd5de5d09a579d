//go:build !amd64 || purego

package query

func (r *run) scorePostings(l *list, dst []float32, docs, freqs []uint32) {
	r.scorePortable(l, dst, docs, freqs)
}
