//go:build !linux

package idxinspect

import (
	"errors"
	"fmt"
	"os"
)

func pageSize() int { return os.Getpagesize() }

func residentPages([]byte) (filePages, error) {
	return nil, fmt.Errorf("which pages are in memory: %w", errors.ErrUnsupported)
}
