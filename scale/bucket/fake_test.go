package bucket

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"

	"github.com/pinion-index/pinion/format"
)

// fake is a bucket in memory with a clock that tests set, and requests that they let fail.
type fake struct {
	mu      sync.Mutex
	objects map[string]fakeObject
	now     time.Time
	ignores bool // conditions
	// before is called before a request takes effect, and after afterwards. Their error is the request's.
	before, after func(ctx context.Context, op, key string) error
	// content, unless nil, returns what comes of an object in place of b.
	content func(key string, b []byte) []byte
}

type fakeObject struct {
	content []byte
	time    time.Time
}

var (
	errMissing = errors.New("there is no such object")
	errThere   = errors.New("there is such an object")
	errRefused = errors.New("wrong credentials")
	errServer  = errors.New("503")
)

func newFake(t *testing.T) (*fake, *blob.Bucket) {
	f := &fake{objects: map[string]fakeObject{}, now: time.Unix(1e9, 0)}
	b := blob.NewBucket(f)
	t.Cleanup(func() { b.Close() })
	return f, b
}

// do does what f does under the lock, between before and after.
func (k *fake) do(ctx context.Context, op, key string, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if k.before != nil {
		if err := k.before(ctx, op, key); err != nil {
			return err
		}
	}
	k.mu.Lock()
	err := f()
	k.mu.Unlock()
	if err == nil && k.after != nil {
		err = k.after(ctx, op, key)
	}
	return err
}

func (k *fake) ErrorCode(err error) gcerrors.ErrorCode {
	switch {
	case errors.Is(err, errMissing):
		return gcerrors.NotFound
	case errors.Is(err, errThere):
		return gcerrors.FailedPrecondition
	case errors.Is(err, errRefused):
		return gcerrors.PermissionDenied
	}
	return gcerrors.Code(err)
}

func (k *fake) As(any) bool                   { return false }
func (k *fake) ErrorAs(err error, i any) bool { return false }
func (k *fake) Close() error                  { return nil }

func (k *fake) Copy(context.Context, string, string, *driver.CopyOptions) error {
	return errors.ErrUnsupported
}

func (k *fake) SignedURL(context.Context, string, *driver.SignedURLOptions) (string, error) {
	return "", errors.ErrUnsupported
}

func (k *fake) Attributes(ctx context.Context, key string) (at *driver.Attributes, err error) {
	err = k.do(ctx, "attributes", key, func() error {
		o, ok := k.objects[key]
		if !ok {
			return errMissing
		}
		at = &driver.Attributes{ContentType: "x", ModTime: o.time, Size: int64(len(o.content))}
		return nil
	})
	return at, err
}

func (k *fake) ListPaged(ctx context.Context, o *driver.ListOptions) (page *driver.ListPage, err error) {
	err = k.do(ctx, "list", o.Prefix, func() error {
		page = &driver.ListPage{}
		for _, key := range slices.Sorted(maps.Keys(k.objects)) {
			if !strings.HasPrefix(key, o.Prefix) || key <= string(o.PageToken) {
				continue
			}
			if len(page.Objects) == o.PageSize {
				page.NextPageToken = []byte(page.Objects[len(page.Objects)-1].Key)
				break
			}
			x := k.objects[key]
			page.Objects = append(page.Objects, &driver.ListObject{Key: key, ModTime: x.time, Size: int64(len(x.content))})
		}
		return nil
	})
	return page, err
}

func (k *fake) Delete(ctx context.Context, key string, _ *driver.DeleteOptions) error {
	return k.do(ctx, "delete", key, func() error {
		if _, ok := k.objects[key]; !ok {
			return errMissing
		}
		delete(k.objects, key)
		return nil
	})
}

type fakeReader struct {
	io.Reader
	at driver.ReaderAttributes
}

func (r *fakeReader) Close() error                         { return nil }
func (r *fakeReader) As(any) bool                          { return false }
func (r *fakeReader) Attributes() *driver.ReaderAttributes { return &r.at }

func (k *fake) NewRangeReader(ctx context.Context, key string, off, n int64, _ *driver.ReaderOptions) (r driver.Reader, err error) {
	err = k.do(ctx, "read", key, func() error {
		o, ok := k.objects[key]
		if !ok {
			return errMissing
		}
		b := o.content[min(off, int64(len(o.content))):]
		if n >= 0 {
			b = b[:min(n, int64(len(b)))]
		}
		if k.content != nil {
			b = k.content(key, b)
		}
		r = &fakeReader{bytes.NewReader(b), driver.ReaderAttributes{ContentType: "x", ModTime: o.time, Size: int64(len(o.content))}}
		return nil
	})
	return r, err
}

type fakeWriter struct {
	bytes.Buffer
	close func(content []byte) error
}

func (w *fakeWriter) Close() error { return w.close(w.Bytes()) }

func (k *fake) NewTypedWriter(ctx context.Context, key, _ string, o *driver.WriterOptions) (driver.Writer, error) {
	return &fakeWriter{close: func(content []byte) error {
		return k.do(ctx, "write", key, func() error {
			if _, ok := k.objects[key]; ok && o.IfNotExist && !k.ignores {
				return errThere
			}
			k.objects[key] = fakeObject{bytes.Clone(content), k.now}
			return nil
		})
	}}, nil
}

// pass moves the clock.
func (k *fake) pass(d time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now = k.now.Add(d)
}

// keys returns the keys that begin with a prefix.
func (k *fake) keys(prefix string) (keys []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(k.objects)) {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	return keys
}

// newID returns a random id.
func newID() (id format.ID) {
	rand.Read(id[:])
	return id
}
