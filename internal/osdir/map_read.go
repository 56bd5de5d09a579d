//go:build js || wasip1

package osdir

import (
	"errors"
	"os"
)

// canMap reports that the platform does not map files: they are read.
const canMap = false

func mapFileBytes(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFileBytes([]byte) error { return nil }

func forgetPages([]byte) {}

func needPages([]byte) {}

func scatterPages([]byte) {}

func populatePages([]byte) error { return ErrAccess }

func lockPages([]byte) error { return ErrAccess }
