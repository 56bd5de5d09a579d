package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/engine/pool"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/gputrial"
	"github.com/pinion-index/pinion/internal/hybrid"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/writer"
)

// TestHybrid answers random queries over random collections, of every codec that kernels
// decode, on the CPU and up to two devices together, by every way into a hybrid.Executor and
// by a Stepper. Half of the devices fail, hang or are full at some moment.
func TestHybrid(t *testing.T) {
	device := openDevice(t)
	var sum tally
	overSeeds(t, func(seed uint64) (int, error) { return askHybrid(seed, device, &sum) })
	t.Logf("%d taken by the CPU, %d by a device, %d of them answered again by the CPU; %d refused; %d step by step; %d of %d devices failed; %d devices given up, %d of them hung",
		sum.cpu.Load(), sum.gpu.Load(), sum.again.Load(), sum.refused.Load(), sum.stepped.Load(), sum.failed.Load(), sum.devices.Load(), sum.retired.Load(), sum.hung.Load())
	if n := sum.gpu.Load(); device != nil && (n == 0 || !testing.Short() && *queries >= 6000 && (sum.failed.Load() == 0 || sum.again.Load() == 0)) {
		t.Error("the devices had nothing to do, or none failed")
	}
}

// tally counts what hybrid.Executors did.
type tally struct {
	cpu, gpu, again, refused, stepped, devices, failed, retired, hung atomic.Int64
}

// mixed is a pool, devices, and the Executor over both.
type mixed struct {
	*collection
	pool    *pool.Pool
	devices []*gpu.Device
	faults  []*fault
	gpu     search.Executor // nil if it cannot be opened
	bare    bool            // gpu does not answer on the Pool what the device cannot
	members []*gpu.Executor // of gpu
	close   func() error    // closes gpu
	options hybrid.Options
	hybrid  *hybrid.Executor
}

// askHybrid makes a collection, puts a hybrid.Executor over it, and queries both.
func askHybrid(seed uint64, shared *gpu.Device, sum *tally) (asked int, err error) {
	r := rand.New(rand.NewPCG(seed, 6))
	c, err := newCollection(r, decodable(r, DrawOptions(r, Past{Fields: r.IntN(4) == 0})))
	if err != nil {
		return 0, err
	}
	defer func() {
		if !errors.Is(err, errLost) {
			err = errors.Join(err, c.close())
		}
	}()
	m := &mixed{collection: c, close: func() error { return nil }}
	m.pool, err = pool.New(c.searcher, pool.Options{Workers: 1 + r.IntN(3), Model: []pool.Model{pool.Inter, pool.FineGrained}[r.IntN(2)], SpinFor: -1})
	if err != nil {
		return 0, err
	}
	defer func() {
		if !errors.Is(err, errLost) {
			m.pool.Close()
		}
	}()
	if shared != nil {
		if err := m.openDevices(r, shared, sum); err != nil {
			return 0, err
		}
	}
	m.options = drawHybrid(r, slices.ContainsFunc(m.faults, func(f *fault) bool { return f.kind == failHangs }))
	if m.hybrid, err = hybrid.New(m.pool, m.gpu, m.options); err != nil {
		return 0, errors.Join(err, m.closeDevices(shared))
	}
	for _, f := range m.faults {
		f.armed.Store(true)
	}
	asked, err = m.ask(r)
	err = errors.Join(err, m.retired())
	if n := len(m.members); n > 0 && r.IntN(3) == 0 {
		asked += 40
		sum.stepped.Add(40)
		err = errors.Join(err, m.step(r, m.members[r.IntN(n)]))
	}
	sum.add(m.hybrid.Stats(), m.faults)
	if errors.Is(err, errLost) { // Close would wait for it
		err = fmt.Errorf("%w: %+v", err, m.hybrid.Stats())
	} else {
		err = errors.Join(err, m.hybrid.Close(), m.shut(), m.closeDevices(shared))
	}
	if err != nil {
		err = fmt.Errorf("%s, %d devices, %v, %v, batches of %d, %d lanes, queue %d: %w",
			describe(c.options), len(m.members), m.faults, m.options.Mode, m.options.Batch, m.options.Lanes, m.options.Queue, err)
	}
	return asked, err
}

// decodable draws codecs that kernels decode.
func decodable(r *rand.Rand, o writer.Options) writer.Options {
	names := gputrial.Codecs()
	if n := r.IntN(len(names) + 3); n < len(names) {
		o.DocsCodec, o.FreqsCodec = names[n], names[n]
	}
	return o
}

// drawHybrid draws options. A device that hangs is found out in some of them.
func drawHybrid(r *rand.Rand, hangs bool) hybrid.Options {
	o := hybrid.Options{Mode: []hybrid.Mode{hybrid.Parallel, hybrid.Parallel, hybrid.OnlyGPU}[r.IntN(3)],
		Batch: 1 + r.IntN(1<<r.IntN(9)), Lanes: 1 + r.IntN(4), Deadline: time.Duration(r.IntN(3)) * 500 * time.Microsecond}
	if r.IntN(4) == 0 {
		o.Queue = 1 + r.IntN(100)
	}
	if r.IntN(16) == 0 {
		o.Mode = hybrid.OnlyCPU
	}
	if hangs && r.IntN(2) == 0 {
		o.Hang = hangLimit
	}
	return o
}

// openDevices puts executors on one device or two, some of which are made to fail: those are
// devices of their own. m.gpu stays nil if one fails before it is open, as with hybrid.Open.
func (m *mixed) openDevices(r *rand.Rand, shared *gpu.Device, sum *tally) error {
	for range 1 + r.IntN(3)/2 {
		device := shared
		if r.IntN(2) == 0 {
			var err error
			if device, err = gpu.OpenDevice(); err != nil {
				return errors.Join(err, m.closeDevices(shared))
			}
			f := drawFault(r, device)
			f.armed.Store(r.IntN(6) == 0)
			m.faults = append(m.faults, f)
		}
		m.devices = append(m.devices, device)
		sum.devices.Add(1)
	}
	o := gpu.Options{CPU: m.pool, Scorer: m.searcher.Scorer(), FilterBytes: r.IntN(24) - 2, Memory: 1 << (16 + r.IntN(7)), Threshold: 1 << (12 + r.IntN(7)),
		Presence: int64(r.IntN(3) - 1), AsStored: r.IntN(3) == 0}
	o.NoFilters, o.NoPresence = o.FilterBytes < 0, o.Presence < 0
	o.FilterBytes, o.Presence = max(o.FilterBytes, 0), max(o.Presence, 0)
	var err error
	if len(m.devices) == 1 {
		if r.IntN(3) > 0 && m.collection.options.Schema == nil { // with fields, their parameters are CPU's
			o.CPU, m.bare = nil, true // the hybrid.Executor asks the Pool
		}
		var x *gpu.Executor
		if x, err = gpu.New(m.devices[0], m.snapshot, o); err == nil {
			m.gpu, m.close, m.members = x, x.Close, []*gpu.Executor{x}
		}
	} else {
		var g *gpu.Group
		if g, err = gpu.NewGroup(m.devices, m.snapshot, o); err == nil {
			m.gpu, m.close, m.members = g, g.Close, g.Executors()
		}
	}
	if err != nil && !(slices.ContainsFunc(m.faults, (*fault).began) && (errors.Is(err, gpu.ErrMemory) || errors.Is(err, gpu.ErrDevice))) {
		return errors.Join(err, m.closeDevices(shared))
	}
	return nil
}

// closeDevices closes what openDevices has opened. Devices say what memory was not freed.
func (m *mixed) closeDevices(shared *gpu.Device) error {
	errs := []error{m.close()}
	for _, d := range m.devices {
		if d != shared {
			errs = append(errs, d.Close())
		}
	}
	errs = slices.DeleteFunc(errs, func(err error) bool { return len(m.faults) > 0 && errors.Is(err, gpu.ErrDevice) })
	return errors.Join(errs...)
}

// ask queries m.hybrid in every way: one after the other, or all at the same time.
func (m *mixed) ask(r *rand.Rand) (asked int, err error) {
	small := m.options.Queue > 0
	ways := []struct {
		what string
		e    search.Executor
		n    int
	}{
		{"many", m.hybrid, 64 + r.IntN(150)},
		{"few", m.hybrid, 1 + r.IntN(60)},
		{"submitted", &submitting{x: m.hybrid, small: small, seed: r.Uint64()}, 1 + r.IntN(200)},
		{"alone", &searching{x: m.hybrid, small: small}, 1 + r.IntN(60)},
	}
	r.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
	together := r.IntN(2) == 0
	errs := make([]error, len(ways))
	var group sync.WaitGroup
	for i, w := range ways {
		asked += w.n
		own := rand.New(rand.NewPCG(r.Uint64(), 1))
		group.Go(func() {
			if err := m.collection.ask(own, patient{w.e}, w.n); err != nil {
				errs[i] = fmt.Errorf("%s: %w", w.what, err)
			}
		})
		if !together {
			group.Wait()
		}
	}
	group.Wait()
	return asked, errors.Join(errs...)
}

// retired returns an error if a device was given up without a reason.
func (m *mixed) retired() error {
	switch why := m.hybrid.Stats().Retired; {
	case why == nil, m.gpu == nil:
		return nil
	case m.options.Hang > 0 && errors.Is(why, hybrid.ErrHung),
		m.bare && errors.Is(why, gpu.ErrUnsupported),
		slices.ContainsFunc(m.faults, (*fault).began) && (errors.Is(why, gpu.ErrDevice) || errors.Is(why, gpu.ErrMemory)):
		return nil
	default:
		return fmt.Errorf("retired: %w", why)
	}
}

// shut checks that a closed Executor takes no query.
func (m *mixed) shut() error {
	q := search.Query{RawTerms: [][]byte{[]byte("w1")}, K: 1}
	err := m.hybrid.Submit(context.Background(), &q, func([]search.Hit, error) { panic("a query that was refused is answered") })
	if !errors.Is(err, hybrid.ErrClosed) {
		return fmt.Errorf("after Close: %v", err)
	}
	return nil
}

// step answers queries step by step, each step where r says.
func (m *mixed) step(r *rand.Rand, x *gpu.Executor) error {
	o := gpu.StepOptions{Load: r.IntN(2) == 0}
	if r.IntN(3) > 0 {
		own := rand.New(rand.NewPCG(r.Uint64(), 2))
		o.Choose = func(gpu.StepState) gpu.StepChoice { return gpu.StepChoice(own.IntN(3)) }
	}
	s, err := gpu.NewStepper(x, m.searcher, o)
	if err != nil {
		return err
	}
	if err := m.collection.ask(r, patient{stepping{s}}, 40); err != nil {
		return fmt.Errorf("step by step: %w", err)
	}
	return s.Close()
}

// add adds what one Executor did.
func (t *tally) add(s hybrid.Stats, faults []*fault) {
	t.cpu.Add(s.CPU.Queries)
	t.gpu.Add(s.GPU.Queries)
	t.again.Add(s.Again)
	t.refused.Add(s.Shed)
	for _, f := range faults {
		if f.began() {
			t.failed.Add(1)
		}
	}
	if s.Retired != nil {
		t.retired.Add(1)
		if errors.Is(s.Retired, hybrid.ErrHung) {
			t.hung.Add(1)
		}
	}
}
