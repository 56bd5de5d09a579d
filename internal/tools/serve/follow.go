package serve

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/pinion-index/pinion/gpuload"
)

// recheck is how long a commit counts as the newest before the directory is listed again.
const recheck = time.Second

// current is an index as of its newest commit. Requests hold the source that they read;
// one that a newer commit has replaced is closed when the last of them is done.
type current struct {
	path string

	mu      sync.Mutex
	source  *source
	checked time.Time
	why     string // a newer commit does not open
	busy    bool   // a request looks for a newer commit
}

// follow opens the newest commit of the index at path.
func follow(path string) (*current, error) {
	x, err := open(path)
	if err != nil {
		return nil, err
	}
	x.users = 1
	return &current{path: path, source: x, checked: time.Now()}, nil
}

// use returns the source of the newest commit. The caller gives it back to done. A newer
// commit that does not open at all is passed over, and why says so.
func (c *current) use() (x *source, why string) {
	c.refresh()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.source.users++
	return c.source, c.why
}

func (c *current) done(x *source) {
	c.mu.Lock()
	x.users--
	last := x.users == 0
	c.mu.Unlock()
	if last {
		x.close()
	}
}

// close gives back the source that requests would get next.
func (c *current) close() { c.done(c.source) }

// refresh opens a newer commit if there is one. Other requests go on meanwhile with the
// commit that they have.
func (c *current) refresh() {
	c.mu.Lock()
	x := c.source
	if c.busy || time.Since(c.checked) < recheck {
		c.mu.Unlock()
		return
	}
	c.busy = true
	x.users++
	c.mu.Unlock()
	defer c.done(x)

	var fresh *source
	now, err := x.newest()
	if err == nil && now != x.stamp {
		fresh, err = open(c.path)
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	c.checked, c.busy, c.why = time.Now(), false, ""
	switch {
	case err != nil:
		c.why = fmt.Sprintf("Commit %d is shown; what is newer does not open: %v", x.stamp.generation, err)
	case fresh != nil:
		fresh.users = 1
		c.source = fresh
		x.users-- // it is not the newest any more; done closes it
	}
}

// shown are the indexes that a request sees.
type shown struct {
	main, other *source           // other is nil without Options.With
	gpu         *gpuload.Executor // nil without Options.GPU
	notes       []string
	verify      *verification
}

// view holds the newest commits for a request, until end is called.
func (s *Server) view() (v *shown, end func()) {
	v = &shown{verify: &s.verify, gpu: s.gpu}
	use := func(c *current) *source {
		x, why := c.use()
		if x.Manifest != nil && why == "" {
			if err := x.Manifest.Committed(); err != nil {
				why = err.Error()
			}
		}
		if why != "" {
			v.notes = append(v.notes, c.path+": "+why)
		}
		return x
	}
	v.main = use(s.main)
	if s.other == nil {
		return v, func() { s.main.done(v.main) }
	}
	v.other = use(s.other)
	return v, func() {
		s.main.done(v.main)
		s.other.done(v.other)
	}
}

// page gathers what a template shows.
type page func(*shown, *http.Request) (any, error)
