package inspect

import (
	"context"
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

// ErrReplaced is matched by the error that another index has taken the place of an Index.
var ErrReplaced = errors.New("another index has taken the place")

// Searcher returns a snapshot of the commit that x shows, and what answers queries over it. That has no cache of long lists,
// so that every look into a list shows, and memory does not grow with the index. Unless there is an error, the caller calls end.
func (x *Index) Searcher(ctx context.Context) (s *reader.Snapshot, q *search.Searcher, end func(), err error) {
	o := reader.Options{}
	if x.Manifest != nil {
		o.Generation = x.Manifest.Generation
	}
	r, err := reader.Open(ctx, reader.Dir(x.Path), o)
	if err != nil {
		return nil, nil, nil, err
	}
	if s, err = r.Snapshot(); err != nil {
		r.Close()
		return nil, nil, nil, err
	}
	if x.Manifest != nil && s.CommitID() != x.Commit.Bytes() {
		err = fmt.Errorf("%w of %s", ErrReplaced, x.Path)
	} else {
		q, err = search.NewSearcher(s, search.Options{DenseBytes: -1})
	}
	if err != nil {
		s.Close()
		r.Close()
		return nil, nil, nil, err
	}
	return s, q, func() { q.Close(); s.Close(); r.Close() }, nil
}
