package hybrid

import (
	"errors"
	"fmt"
	"time"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// Errors of an Executor.
var (
	// ErrOverload means that as many queries wait as Options.Queue allows.
	ErrOverload = errors.New("hybrid: too many queries wait")
	// ErrClosed means that the Executor has been closed. It matches reader.ErrClosed.
	ErrClosed = fmt.Errorf("hybrid: %w", reader.ErrClosed)
	// ErrHung means that the GPU was given up because a batch, or a query that was alone, took
	// longer than Options.Hang.
	ErrHung = errors.New("hybrid: the GPU does not answer")
)

// Mode is which processors an Executor uses, of Ding 2009, Figure 7. The zero value is Parallel.
type Mode uint8

// The modes.
const (
	Parallel Mode = iota // both at the same time
	OnlyCPU              // the CPU
	OnlyGPU              // the GPU, and the CPU for queries that the GPU cannot answer
)

var modeNames = [...]string{Parallel: "hybrid", OnlyCPU: "cpu", OnlyGPU: "gpu"}

// String returns the name of --device: hybrid, cpu, gpu.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("mode(%d)", uint8(m))
}

// MarshalText returns the name of m.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText sets m to the mode of a name that String returns. The error matches query.ErrInvalid.
func (m *Mode) UnmarshalText(name []byte) error {
	for is, n := range modeNames {
		if n == string(name) {
			*m = Mode(is)
			return nil
		}
	}
	return fmt.Errorf("%w: unknown mode %q (known: hybrid, cpu, gpu)", query.ErrInvalid, name)
}

// Options configure an Executor. The zero value selects the defaults.
type Options struct {
	// Mode is which processors are used.
	Mode Mode
	// Deadline is how long after its arrival a query should be answered. A query whose
	// context ends earlier has that deadline instead. A query with half of its time gone
	// goes before others.
	// No query is dropped because of its deadline. 0 means none.
	Deadline time.Duration
	// Queue is the maximum number of queries in the Executor. Search and Submit fail with
	// ErrOverload beyond it; Execute waits. 0 means 262,144.
	Queue int
	// Batch is the maximum number of queries in a batch for the GPU. 0 means 4,096.
	Batch int
	// Lanes is the number of batches that the GPU works on at the same time. 0 means 4.
	Lanes int
	// Hang is how long a batch, or a query that is alone, may take before the GPU is given up.
	// The CPU then answers its queries. 0 means 10 s.
	Hang time.Duration
}

// check returns an error matching query.ErrInvalid unless o is valid.
func (o *Options) check() error {
	switch {
	case int(o.Mode) >= len(modeNames):
		return fmt.Errorf("%w: hybrid %v", query.ErrInvalid, o.Mode)
	case o.Deadline < 0 || o.Hang < 0:
		return fmt.Errorf("%w: hybrid with deadline %v, hang %v", query.ErrInvalid, o.Deadline, o.Hang)
	case o.Queue < 0 || o.Batch < 0 || o.Lanes < 0 || o.Lanes > maxLanes:
		return fmt.Errorf("%w: hybrid with queue %d, batch %d, lanes %d", query.ErrInvalid, o.Queue, o.Batch, o.Lanes)
	}
	return nil
}

const (
	maxLanes = 64
	// farthestDeadline, 73 years, can be added to the time of an arrival.
	farthestDeadline = time.Duration(1 << 61)
)

// setDefaults replaces zeros by the defaults.
func (o *Options) setDefaults() {
	o.Deadline = min(o.Deadline, farthestDeadline)
	if o.Queue == 0 {
		o.Queue = 1 << 18
	}
	if o.Batch == 0 {
		o.Batch = 4096
	}
	if o.Lanes == 0 {
		o.Lanes = 4
	}
	if o.Hang == 0 {
		o.Hang = 10 * time.Second
	}
}
