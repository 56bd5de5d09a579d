package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/reader"
)

// URLs is how commands read and change indexes that URLs name. It is empty, and they take directories alone,
// unless the program sets it before Main, as those of module scale/bucket do.
var URLs struct {
	// Source returns the files of the newest commit of the index at url. If it is an io.Closer, the caller
	// closes it.
	Source func(url string) (reader.Source, error)
	// Meter returns a context whose reads are counted, and what was counted.
	Meter func(ctx context.Context) (context.Context, func() Reads)
	// Copy makes a local directory of the newest commit of the index at url, or an empty one if there is no index, and a
	// function that removes it. It writes nothing at the URL.
	Copy func(ctx context.Context, url string) (dir string, end func() error, err error)
	// Checkout makes a local directory, to be changed, of the newest commit of the index at url, or none if there is no index.
	Checkout func(ctx context.Context, url string) (Checkout, error)
}

// Checkout is a local directory of the newest commit at a URL.
type Checkout interface {
	// Dir returns the directory.
	Dir() string
	// Commit makes what the directory has the next commit at the URL. The error matches ErrConflict if there is another
	// one by then.
	Commit(ctx context.Context) error
	// CommitMerge is Commit if segments were merged and nothing else has changed. If there is another commit by then, it
	// puts what was merged into that, and the error matches ErrConflict only if that cannot be.
	CommitMerge(ctx context.Context) error
	// Renew makes another directory, of what is the newest commit by now, after a Commit that failed.
	Renew(ctx context.Context) error
	// Close removes the directory.
	Close() error
}

// ErrConflict is matched by the error of Checkout.Commit when another writer was first.
var ErrConflict = errors.New("another writer has committed meanwhile")

// Reads is what a task asked of an index behind a URL.
type Reads struct {
	Requests int   `json:"requests"` // sent, those that were repeated or hedged included
	Bytes    int64 `json:"bytes"`    // that came
	Rounds   int   `json:"rounds"`   // the longest chain of requests of which each began after the one before had ended
	Repeated int   `json:"repeated"` // after an error
	Hedged   int   `json:"hedged"`   // while a slow one was under way
	Damaged  int   `json:"damaged"`  // for bytes that had come damaged
	Cached   int64 `json:"cached"`   // bytes that a local cache had
}

// String returns one line.
func (r Reads) String() string {
	return fmt.Sprintf("%s in %s, %s; %d repeated, %d hedged, %d after damage; %s from the local cache", Number(r.Requests, "request"),
		Number(r.Rounds, "round"), Bytes(r.Bytes), r.Repeated, r.Hedged, r.Damaged, Bytes(r.Cached))
}

var url = regexp.MustCompile(`^[a-z][a-z0-9+.-]+://`)

// IsURL reports whether an argument that names an index is a URL. Scheme letters are lower case, and two at least.
func IsURL(s string) bool { return url.MatchString(s) }

// source returns the files at a URL and a function that closes what it holds.
func source(url string) (reader.Source, func(), error) {
	if URLs.Source == nil {
		return nil, nil, noURLs(url)
	}
	src, err := URLs.Source(url)
	if err != nil {
		return nil, nil, err
	}
	end := func() {}
	if c, ok := src.(io.Closer); ok {
		end = func() { c.Close() }
	}
	return src, end, nil
}

// OpenDir returns the directory of an index, which may be a URL, and a function that closes it.
func OpenDir(name string) (d *indexdir.Dir, end func(), err error) {
	if !IsURL(name) {
		if d, err = indexdir.Open(name); err != nil {
			return nil, nil, err
		}
		return d, func() { d.Close() }, nil
	}
	src, closes, err := source(name)
	if err != nil {
		return nil, nil, err
	}
	if d, err = indexdir.OpenFS(reader.FS(src, 0)); err != nil {
		closes()
		return nil, nil, err
	}
	return d, func() { d.Close(); closes() }, nil
}

// openIndex opens an index for reading, which may be a URL.
func openIndex(name string) (x *reader.Index, end func(), err error) {
	if !IsURL(name) {
		if x, err = reader.Open(context.Background(), reader.Dir(name), reader.Options{}); err != nil {
			return nil, nil, err
		}
		return x, func() { x.Close() }, nil
	}
	src, closes, err := source(name)
	if err != nil {
		return nil, nil, err
	}
	if x, err = reader.Open(context.Background(), src, reader.Options{}); err != nil {
		closes()
		return nil, nil, err
	}
	return x, func() { x.Close(); closes() }, nil
}
