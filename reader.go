package pinion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// Reader searches an index that others change, in this process or another. It takes no lock, writes nothing, and goes on to
// newer commits by itself: over a directory each search sees what was durable when it began, over a Source, or with
// ReaderOptions.Refresh, what was so a while before. It is safe for concurrent use, Close included. The zero value is a closed Reader.
type Reader struct {
	front
	every time.Duration // how long a commit is taken for the newest; 0 for no time

	moving sync.Mutex // held while it looks for a newer commit
	looked time.Time  // when it did last
}

// DefaultRefresh is the default of ReaderOptions.Refresh over a Source.
const DefaultRefresh = time.Second

// ReaderOptions configure a Reader. The zero value means the defaults.
type ReaderOptions struct {
	// Refresh is how long a Reader takes a commit for the newest: the first search after that time looks for another, and
	// waits for it. 0 means no time over a directory, where that takes some 50 microseconds, and DefaultRefresh over a Source.
	Refresh time.Duration
	// Memory bounds what is kept in memory of what is read from a Source, in bytes. 0 means reader.DefaultCacheSize.
	Memory int64
	// Observe, if not nil, is told of newer commits, slow searches, damage and faults, as Options.Observe is.
	Observe func(Event)
	// Slow is that of Options.
	Slow time.Duration
	// CacheBytes and NoCache are those of Options.
	CacheBytes int
	NoCache    bool
	// Params are those of Options.
	Params query.Params
	// Executor is that of Options.
	Executor Executor
	// Embed is that of Options: what makes vectors of texts of queries.
	Embed []Embed
}

// OpenReader opens the index in a directory, which must have one, only to search it. The caller closes the Reader.
func OpenReader(ctx context.Context, dir string) (*Reader, error) {
	return ReaderOptions{}.OpenReader(ctx, dir)
}

// OpenReader is the function OpenReader with these options.
func (o ReaderOptions) OpenReader(ctx context.Context, dir string) (*Reader, error) {
	return o.open(ctx, reader.Dir(dir), o.Refresh)
}

// OpenSource opens the index whose files a Source has, only to search it. reader.FromFS makes one of an fs.FS, such as files that are
// embedded in the program, a zip file or memory; host.Open of a web server (package reader/host); module scale/bucket of a bucket. A
// program may have its own. The Reader goes on to newer commits where the Source does. The caller closes the Reader, and then the Source.
func OpenSource(ctx context.Context, s reader.Source) (*Reader, error) {
	return ReaderOptions{}.OpenSource(ctx, s)
}

// OpenSource is the function OpenSource with these options.
func (o ReaderOptions) OpenSource(ctx context.Context, s reader.Source) (*Reader, error) {
	return o.open(ctx, s, cmp.Or(o.Refresh, DefaultRefresh))
}

func (o ReaderOptions) open(ctx context.Context, s reader.Source, every time.Duration) (*Reader, error) {
	ctx = orBackground(ctx)
	if o.Refresh < 0 || o.Memory < 0 || o.Slow < 0 {
		return nil, fmt.Errorf("%w: a Reader refreshed after %v, with %d bytes of memory, slow after %v", ErrInvalid, o.Refresh, o.Memory, o.Slow)
	}
	room, err := cacheBytes(o.CacheBytes, o.NoCache)
	if err != nil {
		return nil, err
	}
	x := &Reader{every: every, front: front{
		cache: newCache(room), params: o.Params, executor: o.Executor, slow: cmp.Or(o.Slow, DefaultSlow), observe: o.Observe}}
	if x.r, err = reader.Open(ctx, s, reader.Options{CacheSize: o.Memory}); err != nil {
		return nil, err
	}
	x.looked = time.Now()
	if _, err = x.advance(ctx, func(context.Context) (bool, error) { return true, nil }); err == nil {
		err = x.view(func(v *View) error { // an option that is wrong is so now
			if err := x.setEmbeds(o.Embed, v.Snapshot().Schema()); err != nil {
				return err
			}
			_, err := v.searcher()
			return err
		})
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// follow goes on to a newer commit, if there may be one: when it has not looked for a while, or the one that it has is gone.
func (x *Reader) follow(ctx context.Context, gone *state) error {
	if x.r == nil { // the zero Reader
		return errClosed
	}
	x.moving.Lock()
	defer x.moving.Unlock()
	began := time.Now()
	if gone == nil && began.Sub(x.looked) < x.every || gone != nil && !x.sees(gone) {
		return nil
	}
	changed, err := x.advance(ctx, x.r.Refresh)
	if x.looked = time.Now(); changed || err != nil && !errors.Is(err, ErrClosed) {
		x.report(EventRefresh, time.Since(began), err)
	}
	return err
}

// View calls f with the newest commit, which stays open and as it is until f returns: pages and counts that belong together
// see the same documents. If there may be a newer commit, but it cannot be read, the error says why, and f is not called.
//
// A commit behind a Source may be removed, after its time, while it is searched. If f returns an error that matches reader.ErrExpired, View
// calls it once more, with a newer one.
func (x *Reader) View(ctx context.Context, f func(*View) error) error {
	ctx = orBackground(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	var seen *state
	see := func(gone *state) error {
		if err := x.follow(ctx, gone); err != nil {
			if errors.Is(err, reader.ErrClosed) {
				return errClosed
			}
			return err
		}
		return x.view(func(v *View) error {
			seen = v.s
			return f(v)
		})
	}
	if f == nil {
		return ErrInvalid
	}
	err := see(nil)
	if seen == nil || !errors.Is(err, reader.ErrExpired) {
		return err
	}
	return see(seen)
}

// sees reports whether s is what searches see, nil if there is nothing.
func (x *front) sees(s *state) bool {
	x.seeing.Lock()
	defer x.seeing.Unlock()
	return x.cur == s
}

// Search returns the page that r asks for, of the newest commit. Pages may come from a cache, so they must not be modified.
func (x *Reader) Search(ctx context.Context, r Request) (page Page, err error) {
	err = x.View(ctx, func(v *View) error {
		page, err = v.Search(ctx, r)
		return err
	})
	return page, err
}

// Schema returns a copy of the schema of the newest commit that was seen. It is never nil: that of a closed Reader is the
// implicit one.
func (x *Reader) Schema() *schema.Schema {
	s := x.hold()
	if s == nil {
		return schema.Implicit("", "", false)
	}
	defer s.release()
	return s.snapshot.Schema()
}

// Close closes the Reader. Searches under way return their results, Views in use stay valid, later calls return errClosed.
// Further calls return nil.
func (x *Reader) Close() error {
	if x.r == nil {
		return nil
	}
	x.leave()
	return x.r.Close()
}
