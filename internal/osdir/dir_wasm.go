//go:build js || wasip1

package osdir

import (
	"os"
)

// fileLocks reports that the platform has no file locks, so that no directory can
// be written.
const fileLocks = false

func lockFile(*os.File) error { return ErrReadOnly }

func renameFile(from, to string) error { return os.Rename(from, to) }

func syncDir(string) error { return nil }
