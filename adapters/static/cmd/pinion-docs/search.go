package main

import (
	"context"
	"path/filepath"

	"github.com/pinion-index/pinion/reader"

	"github.com/pinion-index/pinion/adapters/static/answer"
	"github.com/pinion-index/pinion/adapters/static/internal/docs"
	"github.com/pinion-index/pinion/adapters/static/internal/static"
)

// open returns what answers as the search box of a site does, from what static.Build has written to dir.
func open(ctx context.Context, dir string) (search docs.Search, done func() error, err error) {
	name, err := static.IndexOf(dir, "")
	if err != nil {
		return nil, nil, err
	}
	index, err := reader.Open(ctx, reader.Dir(filepath.Join(dir, name)), reader.Options{})
	if err != nil {
		return nil, nil, err
	}
	s, err := answer.Open(index)
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, typed string, k int) ([]string, error) {
		a, err := s.Search(ctx, typed, k)
		var urls []string
		for _, h := range a.Hits {
			urls = append(urls, h.URL)
		}
		return urls, err
	}, s.Close, nil
}
