package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/internal/gpu/residency"
	"github.com/pinion-index/pinion/internal/gpu/stages"
	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// StepOptions configure a Stepper. The zero value selects the defaults.
type StepOptions struct {
	Rule StepRule
	// Choose decides instead of Rule and Sooner, for comparisons. The answers do not depend on it. A
	// choice of the GPU is void where lists are missing and neither Load nor Rule.Load has
	// them copied.
	Choose func(StepState) StepChoice
	// Sooner predicts whether the GPU answers a disjunction sooner than a core if its lists are there, as
	// hybrid.StepOptions does. It decides on disjunctions of an eighth of Rule.Or or more; nil means
	// that Rule decides on all. It must be safe for concurrent use.
	Sooner func(q *search.Query) bool
	// Load copies missing lists to the device before the step that needs them, and decides
	// as if they were there. Otherwise lists are copied as Rule.Load says.
	Load bool

	sorted int // keys that are copied for the CPU to select from; set by tests only
}

// Disjunctions of less than StepRule.Or/leastPredicted postings cost a core too little for a prediction.
const leastPredicted = 8

// maxSorted is the default of StepOptions.sorted.
const maxSorted = 4096

// Stepper answers single queries on two processors, a conjunction step by step (Griffin
// 2018, section 3.2): it begins with the two shortest lists and decides before each
// intersection where it runs. Once the intermediate result has moved to the CPU, the query
// ends there. By default it decides once, for all of the query (StepRule.Each). Other queries
// are answered by one processor.
//
// It is safe for concurrent use. Its answers are those of the Searcher to the bit.
type Stepper struct {
	x       *Executor
	cpu     *search.Searcher
	o       StepOptions
	rooms   []room    // by stream; each belongs to the query that has the stream's stage
	found   sync.Pool // of *resolver
	behind  sync.WaitGroup
	left    [reasonCount]atomic.Int64 // queries that the CPU has answered, by why
	full    atomic.Bool               // no lists are copied behind queries any more
	mu      sync.Mutex                // guards the fields below
	ruler   kernels.Ptr               // the endpoints of blocks of intermediate results, or 0
	missed  map[residency.Key]float64 // work that queries had for want of a list on the GPU
	loading bool
	closed  bool
}

// room is device memory for two intermediate results: the current one and the next.
type room struct {
	at   [2]kernels.Ptr
	size int64 // of each, in docIDs
}

// NewStepper returns a Stepper over the snapshot of x and cpu, which must have the same parameters.
// It retains cpu; close it before x. The error matches ErrClosed if x or cpu is closed, and
// query.ErrInvalid if one is nil, they are of different snapshots, score with the numbers of others or an option is invalid.
func NewStepper(x *Executor, cpu *search.Searcher, o StepOptions) (*Stepper, error) {
	if x == nil || cpu == nil {
		return nil, fmt.Errorf("%w: a stepper takes a GPU's executor and a searcher", query.ErrInvalid)
	}
	if err := x.enter(); err != nil {
		return nil, err
	}
	defer x.leave()
	if x.snapshot != nil && !x.Serves(cpu) {
		return nil, fmt.Errorf("%w: a stepper over two snapshots", query.ErrInvalid)
	}
	if x.part || !cpu.OwnStatistics() {
		return nil, fmt.Errorf("%w: a stepper that scores with the statistics of another index", query.ErrInvalid)
	}
	cpu, err := cpu.Retain()
	if err != nil {
		return nil, err
	}
	o.Rule.setDefaults()
	s := &Stepper{x: x, cpu: cpu, o: o, rooms: make([]room, stages.Count), missed: map[residency.Key]float64{}}
	s.found.New = func() any { return &resolver{x: x} }
	if o.sorted == 0 {
		s.o.sorted = maxSorted
	}
	if o.Choose != nil {
		s.o.Sooner = nil
	}
	return s, nil
}

// Close waits for lists that are being loaded and frees the device memory of intermediate
// results. No Search may be in progress. Further calls do nothing.
func (s *Stepper) Close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	s.behind.Wait()
	if closed {
		return nil
	}
	if s.x == nil {
		return nil
	}
	errs := []error{s.cpu.Close()}
	for _, r := range s.rooms {
		for _, p := range r.at {
			if p != 0 {
				errs = append(errs, s.x.dev.Free(p))
			}
		}
	}
	if s.ruler != 0 {
		errs = append(errs, s.x.dev.Free(s.ruler))
	}
	return errors.Join(errs...)
}

// OnCPUs returns how many queries the CPU has answered alone, by the reason.
func (s *Stepper) OnCPUs() (n Reasoned) {
	for why := range s.left {
		n[why] = s.left[why].Load()
	}
	return n
}

// onCPU answers a query on the CPU alone.
func (s *Stepper) onCPU(ctx context.Context, q *search.Query, t *StepTrace, state StepState, why Reason) (search.Result, error) {
	s.left[why].Add(1)
	done := t.step(Step{Choice: StepCPU, Whole: true, State: state, Why: why})
	r, err := s.cpu.Search(ctx, *q)
	t.onCPU(&r)
	done(int64(len(r.Hits)))
	return r, err
}

// valid returns the error of a query that nobody answers.
func (s *Stepper) valid(ctx context.Context, q *search.Query) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return q.CheckPart(false)
}

// complete gives q what it leaves to defaults.
func (s *Stepper) complete(q *search.Query) error {
	own, err := s.cpu.Complete([]search.Query{*q})
	if err != nil {
		return errors.Unwrap(err)
	}
	*q = own[0]
	return nil
}

// stepping is a conjunction on its way.
type stepping struct {
	s    *Stepper
	ctx  context.Context
	q    search.Query // its mode is And
	p    *plan
	t    *StepTrace
	st   *stages.Stage // since the first step on the GPU
	done int           // terms that the intermediate result holds
	cur  interim       // the intermediate result, once done is 2
	head []byte        // its first docIDs, in pinned memory

	loaded int64 // postings of lists that have been copied for the next step
}

// interim is an intermediate result: docIDs in device memory, segment by segment, local to
// the segments.
type interim struct {
	at     kernels.Ptr
	starts []uint32 // by segment, and the end
}

func (c *interim) len() int64 { return int64(c.starts[len(c.starts)-1]) }

// flush submits the batch of the stage and waits for it.
func (w *stepping) flush() error {
	if err := w.s.x.dev.Submit(&w.st.Batch); err != nil {
		return err
	}
	return w.s.x.dev.Wait(w.st.Stream)
}
