package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"

	"gocloud.dev/gcerrors"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/reader/host"
)

// ErrExpired is matched by the error of a read that misses an object: the commit that names it was removed, after its
// retention time, while it was open. Whoever reads it goes on with the newest commit (Index.Refresh, Index.View).
var ErrExpired = reader.ErrExpired

// getter reads the objects or files that hold an index.
type getter interface {
	// get returns n bytes at off of an object and the size of all of it, or all from there on with n < 0. The context ends
	// reads of the result too.
	get(ctx context.Context, key string, off, n int64) (body io.ReadCloser, size int64, err error)
	fmt.Stringer
}

// client reads objects.
type client struct {
	objects getter
	send    host.Client
}

func (c *client) getOf(key string) host.Get {
	return func(ctx context.Context, off, n int64) (io.ReadCloser, int64, error) {
		return c.objects.get(ctx, key, off, n)
	}
}

// read fills p with what is at off of an object that has size bytes.
func (c *client) read(ctx context.Context, key string, p []byte, off, size int64, why reader.Reason) error {
	return c.explain(ctx, key, c.send.Read(ctx, c.getOf(key), p, off, size, why))
}

// readAll returns what an object holds, at most most bytes.
func (c *client) readAll(ctx context.Context, key string, most int64, why reader.Reason) ([]byte, error) {
	b, err := c.send.ReadAll(ctx, c.getOf(key), 0, most, why)
	return b, c.explain(ctx, key, err)
}

// passes reports whether a request that failed may succeed later.
func passes(err error) bool {
	if notExist(err) || refused(err) {
		return false
	}
	switch gcerrors.Code(err) {
	case gcerrors.InvalidArgument, gcerrors.Unimplemented, gcerrors.FailedPrecondition:
		return false
	}
	return true
}

// refused reports whether an error says that the credentials do not suffice.
func refused(err error) bool {
	if gcerrors.Code(err) == gcerrors.PermissionDenied || errors.Is(err, fs.ErrPermission) {
		return true
	}
	var api interface{ ErrorCode() string }
	if errors.As(err, &api) && api.ErrorCode() == "RequestTimeTooSkewed" {
		return false // the client of S3 knows the time by now
	}
	var answer interface{ HTTPStatusCode() int } // of S3: not all its codes are known to gocloud
	return errors.As(err, &answer) && (answer.HTTPStatusCode() == http.StatusUnauthorized || answer.HTTPStatusCode() == http.StatusForbidden)
}

// explain returns the error for a request of an object that failed for good, or that ctx has ended.
func (c *client) explain(ctx context.Context, key string, err error) error {
	var damage *format.Error
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.As(err, &damage):
		return format.Locate(damage, format.Place{File: key, Block: format.NoBlock})
	case notExist(err):
		return fmt.Errorf("%s of %s: %w: %w", key, c.objects, fs.ErrNotExist, err)
	case refused(err):
		return fmt.Errorf("%s of %s: %w: %w", key, c.objects, fs.ErrPermission, fault(err))
	}
	return fmt.Errorf("%s of %s: %w", key, c.objects, fault(err))
}
