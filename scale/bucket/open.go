package bucket

import (
	"context"
	"errors"
	"io"
	"strings"

	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/reader"
)

// blobPlace is a bucket.
type blobPlace struct {
	*blob.Bucket
	owned io.Closer // nil: the bucket is the caller's
}

func (p blobPlace) String() string { return "the bucket" }

func (p blobPlace) Close() error {
	if p.owned == nil {
		return nil
	}
	return p.owned.Close()
}

func (p blobPlace) newest(ctx context.Context) (uint64, error) { return newestIn(ctx, p.Bucket) }

func (p blobPlace) manifest(generation uint64) string { return manifestKey(generation) }

func (p blobPlace) key(f reader.CommitFile) string { return keyOf(f) }

func (p blobPlace) get(ctx context.Context, key string, off, n int64) (io.ReadCloser, int64, error) {
	r, err := p.NewRangeReader(ctx, key, off, n, nil)
	if err != nil {
		return nil, 0, err
	}
	return r, r.Size(), nil
}

// named is a place with a name of its own.
type named struct {
	place
	name string
}

func (p named) String() string { return p.name }

// OpenSource is NewSource for the index that a URL names: one that OpenURL takes, or http:// or https://, of an index
// directory that a static host serves as it is. There it reads the names of files from files.json, or else from what
// the host answers for the directory, in any form. Close closes it.
func OpenSource(ctx context.Context, url string, o ReadOptions) (*Source, error) {
	var p place
	if strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://") {
		var err error
		if p, err = newHost(url); err != nil {
			return nil, err
		}
	} else {
		b, err := OpenURL(ctx, url)
		if err != nil {
			return nil, err
		}
		p = blobPlace{b, b}
	}
	name, _, _ := strings.Cut(url, "?") // parameters are of the driver
	s, err := newSource(ctx, named{p, name}, o)
	if err != nil {
		p.Close()
		return nil, err
	}
	return s, nil
}

// Index is an index in a bucket, open for reading, for programs on package reader: others call pinion.OpenSource. Its snapshots are those
// of package reader. What they read for a query ends with the query's context; what the caller reads himself, with that of
// reader.Snapshot.WithContext.
type Index struct {
	*reader.Index
	src *Source
}

// Open opens the newest commit of the index in b, or that of ReadOptions.Generation, for reading. b stays the caller's. Opening takes a
// listing of one key, a request for the manifest and, at the same time, one or two for each segment and one for each deletes file.
// ctx ends the opening only.
func Open(ctx context.Context, b *blob.Bucket, o ReadOptions) (*Index, error) {
	s, err := NewSource(ctx, b, o)
	if err != nil {
		return nil, err
	}
	return open(ctx, s, o)
}

// OpenIndex is Open for the index that a URL names, as for OpenSource.
func OpenIndex(ctx context.Context, url string, o ReadOptions) (*Index, error) {
	s, err := OpenSource(ctx, url, o)
	if err != nil {
		return nil, err
	}
	return open(ctx, s, o)
}

func open(ctx context.Context, s *Source, o ReadOptions) (*Index, error) {
	x, err := reader.Open(ctx, s, reader.Options{CacheSize: o.CacheSize, NoCache: o.NoCache})
	if err != nil {
		s.Close()
		return nil, err
	}
	return &Index{x, s}, nil
}

// View calls use with a snapshot, which is closed afterwards. If its error matches ErrExpired and there is a newer commit, View
// calls it once more, with a snapshot of that.
func (x *Index) View(ctx context.Context, use func(*reader.Snapshot) error) error {
	err := x.view(use)
	if !errors.Is(err, ErrExpired) {
		return err
	}
	if changed, e := x.Refresh(ctx); e != nil || !changed {
		return errors.Join(err, e)
	}
	return x.view(use)
}

func (x *Index) view(use func(*reader.Snapshot) error) error {
	s, err := x.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	return use(s)
}

// Close closes the index. Snapshots stay valid until they are closed, if the caller opened the bucket.
func (x *Index) Close() error { return errors.Join(x.Index.Close(), x.src.Close()) }
