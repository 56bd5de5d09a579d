package node

import (
	"fmt"
	"os"
	"path/filepath"
)

// ShardName returns the name of shard i of n, from 0: "0-of-3". It is that of the shard's directory.
func ShardName(i, n int) string { return fmt.Sprintf("%d-of-%d", i, n) }

// ParseShardName returns the shard that a name is of. The error matches ErrInvalid.
func ParseShardName(name string) (i, n int, err error) {
	_, err = fmt.Sscanf(name, "%d-of-%d", &i, &n)
	if err != nil || name != ShardName(i, n) || n < 1 || n > MaxShards || i < 0 || i >= n {
		return 0, 0, fmt.Errorf("%w: %.60q is no shard, as %q is", ErrInvalid, name, ShardName(0, 3))
	}
	return i, n, nil
}

// ShardDirs returns the directories of all shards in dir, in their order; none if dir is not there or has none. The error
// matches ErrInvalid if some are missing, or of another number.
func ShardDirs(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var dirs []string
	found := 0
	for _, e := range entries {
		i, n, err := ParseShardName(e.Name())
		if err != nil || !e.IsDir() {
			continue
		}
		if dirs == nil {
			dirs = make([]string, n)
		}
		if n != len(dirs) {
			return nil, fmt.Errorf("%w: %s has shards of %d and of %d", ErrInvalid, dir, len(dirs), n)
		}
		dirs[i] = filepath.Join(dir, e.Name())
		found++
	}
	if found < len(dirs) {
		return nil, fmt.Errorf("%w: %s has %d of %d shards", ErrInvalid, dir, found, len(dirs))
	}
	return dirs, nil
}
