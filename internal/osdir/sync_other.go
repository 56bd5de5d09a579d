//go:build !linux

package osdir

// syncAll makes files and the directory's entries durable at the same time.
func syncAll(dir string, files []Syncer) error { return syncThreads(dir, files) }
