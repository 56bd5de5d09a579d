package cli

import (
	"fmt"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// Snapshot opens the newest commit of the index in dir, or at a URL, for reading. The caller calls end.
func Snapshot(dir string) (s *reader.Snapshot, end func(), err error) {
	x, closes, err := openIndex(dir)
	if err != nil {
		return nil, nil, Opening(err)
	}
	if s, err = x.Snapshot(); err == nil {
		if err = Committed(dir, s.Manifest()); err != nil {
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
	all := make([]*reader.Snapshot, len(dirs))
	for i, dir := range dirs {
		var end func()
		if all[i], end, err = Snapshot(dir); err != nil {
			return nil, nil, err
		}
		defer end() // the joined one stays open
	}
	if s, err = reader.Join(all...); err != nil {
		return nil, nil, Opening(err)
	}
	return s, func() { s.Close() }, nil
}

// Committed returns an error if m is of an index whose first build has not committed. A
// command that reads what is in an index has nothing to show of it.
func Committed(dir string, m *store.Manifest) error {
	if err := m.Committed(); err != nil {
		return Opening(fmt.Errorf("%s: %w", dir, err))
	}
	return nil
}
