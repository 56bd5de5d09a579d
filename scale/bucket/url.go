package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/pinion-index/pinion/scale/bucket/internal/stores"
)

// OpenURL opens the bucket of a URL, of which everything after the bucket's name is the prefix of
// the index: s3://name/path, gs://name/path, azblob://name/path. The path of file:///path is a
// directory, and mem:// a bucket of its own each time. Parameters are those of gocloud.dev/blob.
// The program must import the scheme's driver; package drivers imports all of them.
func OpenURL(ctx context.Context, rawURL string) (*blob.Bucket, error) {
	return openURL(ctx, rawURL, false)
}

// CreateURL is OpenURL, but makes the directory of a URL file:///path and its parents if necessary.
func CreateURL(ctx context.Context, rawURL string) (*blob.Bucket, error) {
	return openURL(ctx, rawURL, true)
}

func openURL(ctx context.Context, rawURL string, create bool) (*blob.Bucket, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, fmt.Errorf("bucket: %w", err)
	}
	q := u.Query()
	switch u.Scheme {
	case "file":
		// Without these, objects would be written elsewhere first, with a file of attributes each.
		q.Set("no_tmp_dir", "true")
		q.Set("metadata", "skip")
		if create {
			q.Set("create_dir", "true")
		}
	case "mem":
	default:
		if path := strings.Trim(u.Path, "/"); path != "" {
			if q.Get("prefix") != "" {
				return nil, fmt.Errorf("bucket: %s has a path and a prefix", rawURL)
			}
			q.Set("prefix", path+"/")
			u.Path, u.RawPath = "", ""
		}
	}
	u.RawQuery = q.Encode()
	open := blob.OpenBucket
	if stores.URLs.ValidBucketScheme(u.Scheme) {
		open = stores.URLs.OpenBucket
	}
	b, err := open(ctx, u.String())
	if err != nil {
		return nil, fmt.Errorf("bucket: %w", err)
	}
	return b, nil
}

// notExist reports whether an error says that an object does not exist.
func notExist(err error) bool {
	return gcerrors.Code(err) == gcerrors.NotFound || errors.Is(err, fs.ErrNotExist)
}

// exists reports whether the error of a creation says that the object is there already.
func exists(err error) bool {
	c := gcerrors.Code(err)
	return c == gcerrors.FailedPrecondition || c == gcerrors.AlreadyExists || errors.Is(err, fs.ErrExist)
}
