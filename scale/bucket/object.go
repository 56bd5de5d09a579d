package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

const (
	// requestTries is how often a request is sent that fails for a reason that may pass.
	requestTries = 5
	// The pause after the n-th failure is random, up to firstPause*2^n, at most longestPause.
	firstPause   = 25 * time.Millisecond
	longestPause = 2 * time.Second
)

// again calls f until it succeeds, its error will not pass, or it was called requestTries times.
func again(ctx context.Context, f func() error) error {
	for try := 1; ; try++ {
		err := f()
		if err == nil || final(err) || try == requestTries {
			return err
		}
		if e := waitAfter(ctx, try); e != nil {
			return errors.Join(err, e)
		}
	}
}

// final reports whether the same request would fail again.
func final(err error) bool {
	switch gcerrors.Code(err) {
	case gcerrors.NotFound, gcerrors.AlreadyExists, gcerrors.FailedPrecondition, gcerrors.PermissionDenied,
		gcerrors.InvalidArgument, gcerrors.Unimplemented, gcerrors.Canceled, gcerrors.DeadlineExceeded:
		return true
	}
	var api interface{ ErrorCode() string } // of S3
	if errors.As(err, &api) {
		switch api.ErrorCode() {
		case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken":
			return true
		}
	}
	return exists(err)
}

// declined reports whether the server said that it did not do what was asked.
func declined(err error) bool {
	c := gcerrors.Code(err)
	return final(err) && c != gcerrors.Canceled && c != gcerrors.DeadlineExceeded
}

// waitAfter waits after the n-th failure, less if ctx ends.
func waitAfter(ctx context.Context, n int) error {
	t := time.NewTimer(rand.N(min(firstPause<<min(n, 16), longestPause)))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// createObject creates an object. If there is one already, that is an error of which exists reports true,
// unless overwrite is set.
func createObject(ctx context.Context, b *blob.Bucket, key string, content io.Reader, overwrite bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var local *os.File
	w, err := b.NewWriter(ctx, key, &blob.WriterOptions{
		ContentType: "application/octet-stream",
		IfNotExist:  !overwrite,
		BeforeWrite: func(as func(any) bool) error {
			as(&local)
			return nil
		},
	})
	if err != nil {
		return err
	}
	_, err = io.Copy(w, content)
	if err == nil && local != nil && !overwrite {
		if err = link(local, key); err == nil {
			cancel() // Close is left to remove the temporary name
			w.Close()
			return nil
		}
	}
	if err != nil {
		cancel() // nothing is created then
		w.Close()
		return err
	}
	return w.Close()
}

// link gives a file that the driver of directories writes its final name, unless that exists. The driver
// itself looks first whether there is one, and would replace a file that another writer creates
// meanwhile. It does not sync files either.
func link(f *os.File, key string) error {
	if err := f.Sync(); err != nil {
		return err
	}
	name := strings.TrimSuffix(f.Name(), ".tmp")
	name = strings.TrimSuffix(name, filepath.Ext(name))
	dir := filepath.Dir(name)
	if filepath.Base(name) != path.Base(key) || filepath.Base(dir) != path.Base(path.Dir(key)) {
		return fmt.Errorf("bucket: %s is written as %s: open the directory with the parameter no_tmp_dir=true", key, f.Name())
	}
	if err := os.Link(f.Name(), name); err != nil {
		return err
	}
	if d, err := os.Open(dir); err == nil {
		d.Sync() // what cannot sync a directory has no need to
		d.Close()
	}
	return nil
}

// newestGeneration is newestIn, asked again after errors that pass.
func newestGeneration(ctx context.Context, b *blob.Bucket) (generation uint64, err error) {
	err = again(ctx, func() (err error) {
		generation, err = newestIn(ctx, b)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("bucket: looking for the newest commit: %w", err)
	}
	return generation, nil
}

// newestIn returns the number of the newest commit in b, by a listing of one key, or 0 if there is none. Whatever else
// lies among the manifests is skipped.
func newestIn(ctx context.Context, b *blob.Bucket) (generation uint64, err error) {
	for token := blob.FirstPageToken; len(token) > 0; {
		var page []*blob.ListObject
		if page, token, err = b.ListPage(ctx, token, 1, &blob.ListOptions{Prefix: manifestFolder}); err != nil {
			return 0, err
		}
		for _, x := range page {
			if o, ok := parseKey(x.Key); ok && o.kind == kindManifest {
				return o.generation, nil
			}
		}
	}
	return 0, nil
}
