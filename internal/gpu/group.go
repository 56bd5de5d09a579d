package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Group answers queries over one snapshot on several devices: each query on one of them. A
// query goes where its longest list is, so that long lists are spread over the devices,
// unless that device has clearly more to do than another. It implements search.Executor and
// is safe for concurrent use. When a device fails, the others answer its queries, and at
// last Options.CPU does. The zero value is a closed Group.
type Group struct {
	members []*member
	cpu     search.Executor
}

var _ search.Executor = (*Group)(nil)

// member is a device of a Group.
type member struct {
	x     *Executor
	group *Group
	load  atomic.Int64 // predicted cost of the queries that it has not answered yet
}

// NewGroup returns a Group with an Executor on each device, all with the same options,
// whose limits are for each device. The Group retains the snapshot and the devices until
// Close, so the caller may close both at any time. The error matches query.ErrInvalid
// without devices or without Options.CPU, and otherwise as that of New.
func NewGroup(devices []*Device, snapshot *reader.Snapshot, o Options) (*Group, error) {
	return newGroup(len(devices), o, func(i int, o Options) (*Executor, error) { return New(devices[i], snapshot, o) })
}

var errNoCPU = fmt.Errorf("%w: a group without devices or without Options.CPU", query.ErrInvalid)

// newGroup returns a Group of n Executors made by open.
func newGroup(n int, o Options, open func(i int, o Options) (*Executor, error)) (*Group, error) {
	if n == 0 || o.CPU == nil {
		return nil, errNoCPU
	}
	if s, ok := o.CPU.(interface{ Scorer() *search.Scorer }); ok && o.Scorer == nil {
		o.Scorer = s.Scorer()
	}
	g := &Group{cpu: o.CPU, members: make([]*member, n)}
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range g.members {
		m := &member{group: g}
		g.members[i] = m
		o := o
		o.CPU = m
		wg.Go(func() { m.x, errs[i] = open(i, o) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// behind returns what answers where no device does.
func (m *member) behind() search.Executor { return m.group.cpu }

// FieldScorer returns the scorer that the Group's CPU has for a field.
func (m *member) FieldScorer(field string) (*search.Scorer, bool) {
	c := fieldScorersOf(m.group.cpu)
	if c == nil {
		return nil, false
	}
	return c.FieldScorer(field)
}

// Executors returns the Executors of the Group, by device.
func (g *Group) Executors() []*Executor {
	xs := make([]*Executor, len(g.members))
	for i, m := range g.members {
		xs[i] = m.x
	}
	return xs
}

// Ready waits until all devices answer queries or are retired, as Executor.Ready. It
// returns an error if none answers.
func (g *Group) Ready(ctx context.Context) error {
	if len(g.members) == 0 {
		return ErrClosed
	}
	ctx = orBackground(ctx)
	errs := make([]error, len(g.members))
	for i, m := range g.members {
		if errs[i] = m.x.Ready(ctx); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if slices.Contains(errs, nil) {
		return nil
	}
	return errors.Join(errs...)
}

// Err returns nil as long as a device is in use, and then the errors that have retired the
// devices. Err of the Executors says what one of them has.
func (g *Group) Err() error {
	var errs []error
	for i, m := range g.members {
		err := m.x.Err()
		if err == nil {
			return nil
		}
		if len(g.members) > 1 {
			err = fmt.Errorf("GPU %d: %w", i, err)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Name returns the name of the devices, with their number if there are several.
func (g *Group) Name() string {
	if len(g.members) == 0 {
		return ""
	}
	var names []string
	for _, m := range g.members {
		if n := m.x.dev.Info().Name; !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	if name := strings.Join(names, ", "); len(g.members) > 1 {
		return fmt.Sprintf("%d GPUs (%s)", len(g.members), name)
	}
	return names[0]
}

// Serves reports whether s answers over the same snapshot as g.
func (g *Group) Serves(s *search.Searcher) bool {
	return len(g.members) > 0 && g.members[0].x.Serves(s)
}

// Stats returns the sums of the counters of all devices.
func (g *Group) Stats() Stats {
	var all Stats
	for _, m := range g.members {
		all.add(m.x.Stats())
	}
	return all
}

// Working returns the sum of Working of the Executors.
func (g *Group) Working() (n int) {
	for _, m := range g.members {
		n += m.x.Working()
	}
	return n
}

// Close closes the Executors.
func (g *Group) Close() error {
	var errs []error
	for _, m := range g.members {
		if m.x != nil {
			errs = append(errs, m.x.Close())
		}
	}
	return errors.Join(errs...)
}

// working returns the devices that answer queries.
func (g *Group) working() []*member {
	use := make([]*member, 0, len(g.members))
	for _, m := range g.members {
		if m.x.state.works.Load() {
			use = append(use, m)
		}
	}
	return use
}
