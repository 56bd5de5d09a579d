// Package lag makes a bucket, or an HTTP server, as slow and as unreliable as object storage, for tests and
// measurements: the time until an answer begins is lognormal, bytes come at a rate by request, and some
// answers are 503s. It counts what is asked for.
package lag

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
)

// Model says how slow requests are. The zero Model is as fast as what is behind it.
type Model struct {
	Median time.Duration // until an answer begins
	P999   time.Duration // of one in a thousand, at least Median
	Rate   int64         // bytes a second; 0: no limit
	Errors float64       // share of answers that are 503s
}

// S3 is like the object storage that docs/scale.md gives figures for: 63 ms until an answer begins, 118 ms for one in a
// thousand, and 80 MB/s. One answer in two hundred is a 503.
var S3 = Model{Median: 63 * time.Millisecond, P999: 118 * time.Millisecond, Rate: 80e6, Errors: 0.005}

// quantile is the 99.9 % quantile of the standard normal distribution.
const quantile = 3.0902

// Counts are how many requests were sent, and the bytes that came.
type Counts struct {
	Requests, Lists, Bytes atomic.Int64
}

// Meter delays requests and counts them. It is safe for concurrent use.
type Meter struct {
	Counts
	model Model
	mu    sync.Mutex
	r     *rand.Rand

	// Fail, unless nil, is called before a request for a key, "" for a listing. Its error is the answer.
	Fail func(ctx context.Context, key string) error
	// Cut, unless nil, returns how many of n bytes of a key come before the answer ends early.
	Cut func(key string, n int64) int64
	// Body, unless nil, returns what comes instead of the n bytes of r at off of a key.
	Body func(ctx context.Context, key string, off, n int64, r io.Reader) io.Reader
}

// New returns a Meter whose delays follow from seed.
func New(m Model, seed uint64) *Meter {
	return &Meter{model: m, r: rand.New(rand.NewPCG(seed, 1))}
}

// errBusy is the answer of a server that is too busy.
var errBusy = errors.New("lag: 503 Slow Down")

// Wait waits until an answer begins, or ctx ends.
func (m *Meter) Wait(ctx context.Context) error {
	m.mu.Lock()
	d := time.Duration(0)
	if m.model.Median > 0 {
		sigma := math.Log(float64(m.model.P999)/float64(m.model.Median)) / quantile
		d = time.Duration(float64(m.model.Median) * math.Exp(sigma*m.r.NormFloat64()))
	}
	busy := m.r.Float64() < m.model.Errors
	m.mu.Unlock()
	if err := sleep(ctx, d); err != nil {
		return err
	}
	if busy {
		return errBusy
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin counts a request, of a listing with key "", and waits for its answer.
func (m *Meter) begin(ctx context.Context, key string) error {
	m.Requests.Add(1)
	if key == "" {
		m.Lists.Add(1)
	}
	if m.Fail != nil {
		if err := m.Fail(ctx, key); err != nil {
			return err
		}
	}
	return m.Wait(ctx)
}

// paced is a body whose bytes come at the model's rate.
type paced struct {
	io.Reader
	m    *Meter
	ctx  context.Context
	from time.Time
	n    int64
}

func (m *Meter) pace(ctx context.Context, r io.Reader) *paced {
	return &paced{Reader: r, m: m, ctx: ctx, from: time.Now()}
}

func (p *paced) Read(b []byte) (int, error) {
	if p.m.model.Rate > 0 && len(b) > 64<<10 {
		b = b[:64<<10]
	}
	n, err := p.Reader.Read(b)
	p.n += int64(n)
	p.m.Bytes.Add(int64(n))
	if p.m.model.Rate > 0 {
		due := time.Duration(float64(p.n) / float64(p.m.model.Rate) * float64(time.Second))
		if e := sleep(p.ctx, due-time.Since(p.from)); e != nil {
			return n, e
		}
	}
	return n, err
}

// Bucket returns a bucket that answers as b, but later.
func (m *Meter) Bucket(b *blob.Bucket) *blob.Bucket { return blob.NewBucket(&bucket{b: b, m: m}) }

// bucket is the part of driver.Bucket that reading needs.
type bucket struct {
	driver.Bucket // nil: what else is called panics
	b             *blob.Bucket
	m             *Meter
}

func (d *bucket) ErrorCode(err error) gcerrors.ErrorCode {
	if errors.Is(err, errBusy) {
		return gcerrors.Unknown
	}
	return gcerrors.Code(err)
}

func (d *bucket) As(any) bool { return false }

func (d *bucket) ErrorAs(error, any) bool { return false }

func (d *bucket) Close() error { return nil }

func (d *bucket) ListPaged(ctx context.Context, o *driver.ListOptions) (*driver.ListPage, error) {
	if err := d.m.begin(ctx, ""); err != nil {
		return nil, err
	}
	token := o.PageToken
	if len(token) == 0 {
		token = blob.FirstPageToken
	}
	objects, next, err := d.b.ListPage(ctx, token, o.PageSize, &blob.ListOptions{Prefix: o.Prefix, Delimiter: o.Delimiter})
	if err != nil {
		return nil, err
	}
	page := &driver.ListPage{NextPageToken: next}
	for _, x := range objects {
		page.Objects = append(page.Objects, &driver.ListObject{Key: x.Key, ModTime: x.ModTime, Size: x.Size, MD5: x.MD5, IsDir: x.IsDir})
	}
	return page, nil
}

func (d *bucket) NewRangeReader(ctx context.Context, key string, off, n int64, _ *driver.ReaderOptions) (driver.Reader, error) {
	if err := d.m.begin(ctx, key); err != nil {
		return nil, err
	}
	r, err := d.b.NewRangeReader(ctx, key, off, n, nil)
	if err != nil {
		return nil, err
	}
	var body io.Reader = r
	if n < 0 {
		n = r.Size() - off
	}
	if d.m.Cut != nil {
		body = io.LimitReader(r, d.m.Cut(key, n))
	}
	if d.m.Body != nil {
		body = d.m.Body(ctx, key, off, n, body)
	}
	return &object{d.m.pace(ctx, body), r}, nil
}

// object is an object that is read.
type object struct {
	*paced
	r *blob.Reader
}

func (o *object) Close() error { return o.r.Close() }

func (o *object) Attributes() *driver.ReaderAttributes {
	return &driver.ReaderAttributes{ContentType: o.r.ContentType(), ModTime: o.r.ModTime(), Size: o.r.Size()}
}

func (o *object) As(any) bool { return false }

// Handler returns a handler that answers as h, but later.
func (m *Meter) Handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.URL.Path
		if err := m.begin(r.Context(), key); err != nil {
			http.Error(w, fmt.Sprint(err), http.StatusServiceUnavailable)
			return
		}
		h.ServeHTTP(&answer{w, m, r.Context(), time.Now(), 0}, r)
	})
}

// answer is an answer whose bytes leave at the model's rate.
type answer struct {
	http.ResponseWriter
	m    *Meter
	ctx  context.Context
	from time.Time
	n    int64
}

func (a *answer) Write(b []byte) (int, error) {
	n, err := a.ResponseWriter.Write(b)
	a.n += int64(n)
	a.m.Bytes.Add(int64(n))
	if a.m.model.Rate > 0 {
		due := time.Duration(float64(a.n) / float64(a.m.model.Rate) * float64(time.Second))
		if e := sleep(a.ctx, due-time.Since(a.from)); e != nil && err == nil {
			err = e
		}
	}
	return n, err
}
