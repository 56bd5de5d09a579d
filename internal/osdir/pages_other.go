//go:build !linux && !js && !wasip1

package osdir

func populatePages([]byte) error { return ErrAccess }
