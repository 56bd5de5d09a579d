//go:build !amd64 || purego

package regress

func add(v []uint32, l Local, prev uint32) bool { return addPortable(v, l, prev) }
