package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/pinion-index/pinion/adapters/static/answer"
	"github.com/pinion-index/pinion/adapters/static/internal/docs"
	"github.com/pinion-index/pinion/adapters/static/internal/static"
)

// open returns what answers as the search box of a site does, from what static.Build has written to dir.
func open(dir string) (search docs.Search, done func() error, err error) {
	name, err := static.IndexOf(dir, "")
	if err != nil {
		return nil, nil, err
	}
	s, err := answer.Open(os.DirFS(filepath.Join(dir, name)))
	if err != nil {
		return nil, nil, err
	}
	return func(_ context.Context, typed string, k int) ([]string, error) {
		a, err := s.Search(typed, k)
		var urls []string
		for _, h := range a.Hits {
			urls = append(urls, h.URL)
		}
		return urls, err
	}, s.Close, nil
}
