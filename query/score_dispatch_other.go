//go:build !amd64 || purego

package query

func (r *run) scorePostings(l *list) { r.scorePortable(l) }
