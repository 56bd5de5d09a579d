package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/pinion-index/pinion/reader/host"
)

const (
	// requestTries is how often a request is sent that fails for a reason that may pass.
	requestTries = 5
	// The pause after the n-th failure is random, up to firstPause*2^n, at most longestPause.
	firstPause   = 25 * time.Millisecond
	longestPause = 2 * time.Second
)

// again calls f until it succeeds, its error will not pass, it was called requestTries times, or host.MostSilent times without an answer. The
// context of f ends when nothing has come or gone for requestTimeout; moving says that something has.
func again(ctx context.Context, f func(context.Context) error) error {
	silent := 0
	for try := 1; ; try++ {
		bound, end := watched(ctx)
		err := f(bound)
		late := errors.Is(context.Cause(bound), ErrNoAnswer)
		end()
		if err == nil {
			return nil
		}
		if late && ctx.Err() == nil {
			silent++
			err = host.NoAnswer(requestTimeout, silent, err)
		} else if final(err) {
			return fault(err)
		}
		if try == requestTries || silent == host.MostSilent {
			return fault(err)
		}
		if e := waitAfter(ctx, try); e != nil {
			return errors.Join(fault(err), e)
		}
	}
}

// readObject returns what an object holds.
func readObject(ctx context.Context, b *blob.Bucket, key string) ([]byte, error) {
	r, err := b.NewReader(ctx, key, nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := io.ReadAll(moving(ctx, r, requestTimeout))
	if err == nil && int64(len(all)) != r.Size() {
		err = fmt.Errorf("%d bytes came, of %d: %w", len(all), r.Size(), io.ErrUnexpectedEOF)
	}
	return all, err
}

// final reports whether the same request would fail again.
func final(err error) bool {
	switch gcerrors.Code(err) {
	case gcerrors.NotFound, gcerrors.AlreadyExists, gcerrors.FailedPrecondition, gcerrors.PermissionDenied,
		gcerrors.InvalidArgument, gcerrors.Unimplemented, gcerrors.Canceled, gcerrors.DeadlineExceeded:
		return true
	}
	var part interface{ Operation() string } // of S3, whose client repeats parts of uploads itself
	if errors.As(err, &part) && part.Operation() == "UploadPart" {
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
	part := 0 // the driver's default
	if c, ok := content.(*bytes.Reader); ok {
		part = max(c.Len()+1, 5<<20) // one request: a store may keep the condition of these alone
	}
	w, err := b.NewWriter(ctx, key, &blob.WriterOptions{
		ContentType: "application/octet-stream",
		IfNotExist:  !overwrite,
		BufferSize:  part,
		BeforeWrite: func(as func(any) bool) error {
			as(&local)
			return nil
		},
	})
	if err != nil {
		return err
	}
	_, err = io.Copy(w, moving(ctx, content, uploadTimeout))
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
	err = again(ctx, func(ctx context.Context) (err error) {
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
		if page, token, err = listPage(ctx, b, token, 1, manifestFolder); err != nil {
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

// listPage lists up to n objects of a folder. The driver of directories fails if a file that is being written gets its final name
// meanwhile: then it is asked again.
func listPage(ctx context.Context, b *blob.Bucket, token []byte, n int, folder string) (page []*blob.ListObject, next []byte, err error) {
	for {
		page, next, err = b.ListPage(ctx, token, n, &blob.ListOptions{Prefix: folder})
		var gone *fs.PathError
		if !errors.As(err, &gone) || !errors.Is(err, fs.ErrNotExist) || filepath.Ext(gone.Path) != ".tmp" || ctx.Err() != nil {
			return page, next, err
		}
	}
}
