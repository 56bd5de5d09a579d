// Package urls makes the commands take the URLs of indexes.
package urls

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/scale/bucket"
	_ "github.com/pinion-index/pinion/scale/bucket/drivers" // their schemes
)

// CacheVariable names the environment variable with the directory of the local cache. Without it there is none.
const CacheVariable = "PINION_CACHE"

// Register makes the commands of this program take URLs.
func Register() {
	cli.URLs.Source = func(url string) (reader.Source, error) {
		return bucket.OpenSource(context.Background(), url, bucket.ReadOptions{CacheDir: os.Getenv(CacheVariable)})
	}
	cli.URLs.Meter = func(ctx context.Context) (context.Context, func() cli.Reads) {
		m := reader.NewMeter(reader.Budget{})
		ctx = reader.WithMeter(ctx, m)
		return ctx, func() cli.Reads {
			u := m.Usage()
			return cli.Reads{Requests: u.Requests, Bytes: u.Bytes, Rounds: u.Rounds, Repeated: u.Repeated, Hedged: u.Hedged, Damaged: u.Damaged, Cached: u.Cached}
		}
	}
	cli.URLs.Copy = localCopy
	cli.URLs.Checkout = func(ctx context.Context, url string) (cli.Checkout, error) {
		b, err := bucket.CreateURL(ctx, url)
		if err != nil {
			return nil, err
		}
		c, err := bucket.NewCheckout(ctx, b, "")
		if err != nil {
			b.Close()
			return nil, err
		}
		return checkout{c, b}, nil
	}
}

// localCopy makes a local directory of the newest commit at a URL, if there is one, and a function that removes it.
func localCopy(ctx context.Context, url string) (dir string, end func() error, err error) {
	temp, err := os.MkdirTemp("", "pinion-bucket-")
	if err != nil {
		return "", nil, err
	}
	dir = filepath.Join(temp, "index")
	if err = export(ctx, url, dir); err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err != nil {
		os.RemoveAll(temp)
		return "", nil, err
	}
	return dir, func() error { return os.RemoveAll(temp) }, nil
}

// export makes a local index in dir of the newest commit at a URL, or nothing if there is none.
func export(ctx context.Context, url, dir string) error {
	b, err := bucket.OpenURL(ctx, url)
	if errors.Is(err, fs.ErrNotExist) || gcerrors.Code(err) == gcerrors.NotFound {
		return nil // the directory of file:///path, which a writer makes
	}
	if err != nil {
		return err
	}
	found, err := bucket.Exists(ctx, b)
	if err == nil && found {
		err = bucket.Export(ctx, b, 0, dir)
	}
	return errors.Join(err, b.Close())
}

// checkout is a Checkout of a bucket of its own.
type checkout struct {
	*bucket.Checkout
	bucket *blob.Bucket
}

// Commit implements cli.Checkout.
func (c checkout) Commit(ctx context.Context) error { return conflict(c.Checkout.Commit(ctx)) }

// CommitMerge implements cli.Checkout.
func (c checkout) CommitMerge(ctx context.Context) error {
	return conflict(c.Checkout.CommitMerge(ctx))
}

// conflict returns the error by which package cli knows an ErrConflict.
func conflict(err error) error {
	if errors.Is(err, bucket.ErrConflict) {
		return cli.ErrConflict
	}
	return err
}

// Close implements cli.Checkout.
func (c checkout) Close() error { return errors.Join(c.Checkout.Close(), c.bucket.Close()) }
