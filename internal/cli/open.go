package cli

import (
	"fmt"

	"github.com/pinion-index/pinion/reader"
)

// Snapshot opens the newest commit of the index in dir, or at a URL, for reading. The caller calls end.
func Snapshot(dir string) (s *reader.Snapshot, end func(), err error) {
	x, closes, err := openIndex(dir)
	if err != nil {
		return nil, nil, Opening(err)
	}
	if s, err = x.Snapshot(); err == nil {
		if err = Committed(dir, s); err != nil {
			s.Close()
		}
	}
	if err != nil {
		closes()
		return nil, nil, Opening(err)
	}
	return s, func() { s.Close(); closes() }, nil
}

// Snapshots opens the newest commits of several indexes for reading as one. The caller calls end.
func Snapshots(dirs []string) (s *reader.Snapshot, end func(), err error) {
	var all []*reader.Snapshot
	var ends []func()
	endAll := func() {
		for _, end := range ends {
			end()
		}
	}
	for _, dir := range dirs {
		part, closes, err := Snapshot(dir)
		if err != nil {
			endAll()
			return nil, nil, err
		}
		all, ends = append(all, part), append(ends, closes)
	}
	if s, err = reader.Join(all...); err != nil {
		endAll()
		return nil, nil, Opening(err)
	}
	return s, func() { s.Close(); endAll() }, nil // sources stay open as long as the whole
}

// Committed returns an error if s, a manifest or a snapshot, is of an index whose first build has not committed. A
// command that reads what is in an index has nothing to show of it.
func Committed(dir string, s interface{ Committed() error }) error {
	if err := s.Committed(); err != nil {
		return Opening(fmt.Errorf("%s: %w", dir, err))
	}
	return nil
}
