package bucket

import (
	"context"
	"fmt"
	"io"

	"github.com/pinion-index/pinion/reader"

	"github.com/pinion-index/pinion/reader/host"
)

// hostPlace is an index directory that an HTTP server serves as it is.
type hostPlace struct{ *host.Host }

func newHost(url string) (hostPlace, error) {
	h, err := host.New(url)
	if err != nil {
		return hostPlace{}, fmt.Errorf("bucket: %w", err)
	}
	return hostPlace{h}, nil
}

func (p hostPlace) newest(ctx context.Context) (uint64, error) { return p.Newest(ctx) }

func (p hostPlace) manifest(generation uint64) string { return reader.ManifestNames(generation)[0] }

func (p hostPlace) key(f reader.CommitFile) string { return f.Name }

func (p hostPlace) get(ctx context.Context, name string, off, n int64) (io.ReadCloser, int64, error) {
	return p.Get(ctx, name, off, n)
}
