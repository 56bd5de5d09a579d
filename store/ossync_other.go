//go:build !linux

package store

// syncAll makes files and the directory's entries durable at the same time.
func syncAll(dir string, files []File) error { return syncThreads(dir, files) }
