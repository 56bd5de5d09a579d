//go:build !linux && !js && !wasip1

package store

func populatePages([]byte) error { return errAccess }
