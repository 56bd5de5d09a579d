package ocis

import (
	"context"

	"github.com/pinion-index/pinion"
)

// OpenReader opens the index in a directory only to search it. Another Engine, in any process, may change it meanwhile:
// each search sees what was durable when it began. It takes no lock, and writes nothing. The directory must have an index.
func OpenReader(dir string) (*Engine, error) {
	r, err := pinion.OpenReader(context.Background(), dir)
	if err != nil {
		return nil, err
	}
	return &Engine{reader: r}, nil
}
