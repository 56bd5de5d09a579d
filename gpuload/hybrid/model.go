package hybrid

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/query"
)

// ModelVersion is the version of the files that WriteFile writes. ReadModel also accepts
// version 1, whose polynomials know Ding's features alone, version 2, without Model.Batches,
// version 3, whose polynomials have AndBasis terms in all modes, and version 4, whose Wakes are for
// queries of all modes and for the GPU, too, and are left out.
const ModelVersion = 5

// Model predicts what queries cost on one machine over one index. idxbench calibrate
// makes one. It is immutable once in use.
type Model struct {
	Version int `json:"version"`
	Key     Key `json:"key"`
	// Modes are the polynomials by mode (query.Mode.String).
	Modes map[string]*Polynomials `json:"modes"`
	// Batch is what a batch takes on the GPU beside its queries, in nanoseconds.
	Batch time.Duration `json:"batch_ns"`
	// Batches are what batches take, by mode. Modes that are not there take Batch, and
	// Each and Depth of version 2 for each query and for each nanosecond of their times.
	Batches map[string]*BatchTimes `json:"batches,omitempty"`
	Each    time.Duration          `json:"each_ns,omitempty"`
	Depth   float64                `json:"depth,omitempty"`
	// Launch is what a batch takes of the device and its driver while other batches wait,
	// beside its queries' work, in nanoseconds; a simulation needs it.
	Launch time.Duration `json:"launch_ns,omitempty"`
	// Host is the time of the cores for a query that the GPU answers, and for each of its
	// terms, in nanoseconds.
	Host [2]time.Duration `json:"host_ns"`
	// Load is the time to bring a byte of a list to the device, in nanoseconds.
	Load float64 `json:"load_ns,omitempty"`
	// Crowd is the time of a query on a core while all cores answer queries, over its time
	// on the core that measured it; a simulation needs it. 0 means 1.
	Crowd float64 `json:"crowd,omitempty"`
	// Queued is the time of a core for a query that has waited in the queues, beside the
	// query's own; a simulation needs it.
	Queued time.Duration `json:"queued_ns,omitempty"`
	// Wakes are how long queries wait for idle cores, by how long these have been idle,
	// ascending; a simulation needs them.
	Wakes []Wake `json:"wakes,omitempty"`
	// Spared are Wakes while a GPU is used: the Pool leaves cores to the goroutines that serve it.
	Spared []Wake `json:"spared,omitempty"`
	// Lanes are how much longer than Alone batches of one query take, by how long no batch was
	// answered before.
	Lanes []Wake `json:"lanes,omitempty"`
	// Steps decides where the steps of a query run that is alone. Thresholds that were not fitted are 0.
	Steps gpuload.StepRule `json:"steps,omitzero"`

	byMode  [3]*Polynomials
	batches [3]*BatchTimes
}

// Wake is how long queries wait for a core that has been idle for at least Idle, which
// spins or sleeps then, and how much slower they are on it: its caches hold less, and it is not the
// core that measured them. Cold is for any query, Slower a share of its time.
type Wake struct {
	Idle   time.Duration   `json:"idle_ns"`
	Cold   ByMode          `json:"cold_ns,omitzero"`
	Slower ByMode          `json:"slower"`
	Delays []time.Duration `json:"delays_ns"` // evenly spread quantiles, ascending
}

// ByMode is a number for each query.Mode. In a file it may be one number for all.
type ByMode [3]float64

// UnmarshalJSON accepts an array or a number.
func (b *ByMode) UnmarshalJSON(text []byte) error {
	var all *float64
	if json.Unmarshal(text, &all) == nil && all != nil {
		*b = ByMode{*all, *all, *all}
		return nil
	}
	var each []float64
	if err := json.Unmarshal(text, &each); err != nil {
		return err
	}
	if len(each) != len(b) {
		return fmt.Errorf("%d numbers for %d modes", len(each), len(b))
	}
	copy(b[:], each)
	return nil
}

// Key says where a Model holds.
type Key struct {
	Machine    string `json:"machine"` // processor and number of workers
	Device     string `json:"device"`
	Driver     string `json:"driver"` // its version; empty if unknown
	Index      string `json:"index"`  // a hash of the ids of its segments
	Generation uint64 `json:"generation"`
	// Directory of the index. It names the Model's file (File), and is not in it.
	Directory string `json:"-"`
}

// Polynomials give log2 of a time in nanoseconds by their coefficients: Basis or AndBasis for those
// of Features.Expand, or DingBasis.
type Polynomials struct {
	CPU []float64 `json:"cpu"`
	GPU []float64 `json:"gpu"`
}

// BatchTimes are what batches of one mode take on a GPU that does nothing else, from the
// call to the answers: what the query takes alone that takes longest so, and more for the
// others.
type BatchTimes struct {
	Alone []float64  `json:"alone"` // polynomial of the time of a batch of one query, as in Polynomials
	More  []MoreTime `json:"more"`  // by work, ascending
}

// MoreTime is how much longer a batch takes for queries whose times in large batches add up
// to Work. It grows more slowly than Work: the device is not full at first.
type MoreTime struct {
	Work time.Duration `json:"work_ns"`
	Time time.Duration `json:"time_ns"`
}

// more returns how much longer a batch takes for some work. Between two times it is a
// straight line in the logarithm of work; outside, it is in proportion.
func (b *BatchTimes) more(work time.Duration) time.Duration {
	n := len(b.More)
	if n == 0 || work <= 0 {
		return 0
	}
	at := 0
	for at < n && b.More[at].Work < work {
		at++
	}
	if at == 0 || at == n {
		of := &b.More[min(at, n-1)]
		return time.Duration(min(float64(of.Time)*float64(work)/float64(of.Work), 1<<60)) // of each mode
	}
	x, y := &b.More[at-1], &b.More[at]
	share := math.Log(float64(work)/float64(x.Work)) / math.Log(float64(y.Work)/float64(x.Work))
	return x.Time + time.Duration(share*float64(y.Time-x.Time))
}

// ascend reports whether times are above 0 and ascend, in the bounds of a Model.
func (b *BatchTimes) ascend() bool {
	last := MoreTime{}
	for _, m := range b.More {
		if m.Work <= last.Work || m.Time < last.Time || !inTime(m.Work, m.Time) {
			return false
		}
		last = m
	}
	return true
}

//go:embed default.json
var defaultModel []byte

// DefaultModel returns a Model measured on other machines: good enough to tell short
// lists from long ones. Executors correct its scale as they run.
func DefaultModel() *Model { return builtIn() }

var builtIn = sync.OnceValue(func() *Model {
	m, err := decodeModel(defaultModel)
	if err != nil {
		panic(err) // a test reads it
	}
	return m
})

// ReadModel reads a file that WriteFile wrote. The error says what is wrong with it.
func ReadModel(file string) (*Model, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m, err := decodeModel(text)
	if err != nil {
		return nil, fmt.Errorf("cost model %s: %w", file, err)
	}
	return m, nil
}

func decodeModel(text []byte) (*Model, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	m := new(Model)
	if err := d.Decode(m); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something follows the model")
	}
	return m, m.Prepare()
}

// WriteFile writes the Model as JSON.
func (m *Model) WriteFile(file string) error {
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}

// Write writes the Model as ReadModel reads it.
func (m *Model) Write(w io.Writer) error {
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// Prepare checks a Model and makes it ready for Predict. ReadModel has done so.
func (m *Model) Prepare() error {
	if m.Version < 1 || m.Version > ModelVersion {
		return fmt.Errorf("version %d, want %d: calibrate again", m.Version, ModelVersion)
	}
	if !inTime(m.Batch, m.Host[0], m.Host[1], m.Queued, m.Each, m.Launch) || !inFactor(mostFactor, m.Load) || !inFactor(mostFactor/1000, m.Crowd, m.Depth) {
		return fmt.Errorf("a time or factor below 0 or far too large")
	}
	if m.Version < ModelVersion {
		m.Wakes = nil
	}
	for _, wakes := range [][]Wake{m.Wakes, m.Spared, m.Lanes} {
		for i, w := range wakes {
			if len(w.Delays) == 0 || !w.valid() || i > 0 && w.Idle <= wakes[i-1].Idle {
				return fmt.Errorf("wakes that are out of order or empty, or have a time below 0 or far too large")
			}
		}
	}
	for i := range m.byMode {
		name := query.Mode(i).String()
		p := m.Modes[name]
		if p == nil || !m.fits(p.CPU) || !m.fits(p.GPU) {
			return fmt.Errorf("mode %s needs two polynomials of %d, %d or %d terms, each at most %g", name, Basis, AndBasis, DingBasis, mostFactor)
		}
		m.byMode[i] = p
		b := m.Batches[name]
		if b != nil && (m.Version < 3 || !m.fits(b.Alone) || !b.ascend()) {
			return fmt.Errorf("mode %s has times of batches that do not ascend, are incomplete or far too large", name)
		}
		m.batches[i] = b
	}
	return nil
}

// fits reports whether the file's version has polynomials of that length, and it is one that can
// be evaluated.
func (m *Model) fits(p []float64) bool {
	for _, c := range p {
		if !(math.Abs(c) <= mostFactor) {
			return false
		}
	}
	return len(p) == DingBasis || m.Version > 1 && len(p) == AndBasis || m.Version > 3 && len(p) == Basis
}

// Bounds of what a Model says: the time of the largest batch stays in the range of one.
const (
	mostTime   = time.Duration(1) << mostLog
	mostFactor = 1e6
)

// inTime reports whether times are in the bounds of a Model.
func inTime(times ...time.Duration) bool {
	for _, d := range times {
		if d < 0 || d > mostTime {
			return false
		}
	}
	return true
}

// inFactor reports whether factors are at least 0 and at most most.
func inFactor(most float64, factors ...float64) bool {
	for _, f := range factors {
		if !(f >= 0 && f <= most) {
			return false
		}
	}
	return true
}

// valid reports whether the numbers of w are in the bounds of a Model.
func (w *Wake) valid() bool {
	for _, slower := range w.Slower {
		if !(slower > -1 && slower <= mostFactor) {
			return false
		}
	}
	return inFactor(float64(mostTime), w.Cold[:]...) && inTime(w.Idle) && inTime(w.Delays...)
}

// Old returns an error if the Model is of a version that predicts worse than today's, nil
// otherwise. It works as it did.
func (m *Model) Old() error {
	if m.Version == ModelVersion {
		return nil
	}
	lacks := [...]string{1: "which knows lengths of lists alone", 2: "which knows little of batches", 3: "which knows little of disjunctions", 4: "which knows little of idle cores"}[m.Version]
	return fmt.Errorf("the cost model is of version %d, %s: calibrate again for version %d", m.Version, lacks, ModelVersion)
}

// Stale returns an error that says in what the Model's machine or index differs from key,
// nil if it does not.
func (m *Model) Stale(key Key) error {
	for _, v := range []struct{ what, is, was any }{
		{"machine", key.Machine, m.Key.Machine}, {"device", key.Device, m.Key.Device}, {"driver", key.Driver, m.Key.Driver},
		{"commit", key.Generation, m.Key.Generation}, // before the index, whose hash says less
		{"index", key.Index, m.Key.Index},
	} {
		if v.is != v.was {
			return fmt.Errorf("the cost model is of %s %v, not of %v: idxbench calibrate fits it again", v.what, v.was, v.is)
		}
	}
	return nil
}

// Load is what a batch on the GPU has to do, by mode (query.Mode).
type Load [3]struct {
	Queries int
	Work    time.Duration // sum of Cost.GPU
	Longest Cost          // of the query that takes longest alone
}

// Add adds a query.
func (l *Load) Add(mode query.Mode, c Cost) {
	of := &l[mode]
	of.Queries++
	of.Work += c.GPU
	if c.Alone > of.Longest.Alone || of.Queries == 1 {
		of.Longest = c
	}
}

// Alone returns how long a batch takes on a GPU that does nothing else: with launches,
// copies, and the host's half, which overlap with other batches. The GPU answers the
// modes one after the other.
func (m *Model) Alone(l *Load) (sum time.Duration) {
	var work, longest time.Duration // of modes that were not measured
	n := 0
	for i := range l {
		of := &l[i]
		switch b := m.batches[i]; {
		case of.Queries == 0:
		case b == nil:
			n += of.Queries
			work += of.Work
			longest = max(longest, of.Longest.Alone)
		default:
			sum += of.Longest.Alone + b.more(of.Work-of.Longest.GPU)
		}
	}
	switch {
	case n == 0:
	case m.Each == 0 && m.Depth == 0:
		sum += max(m.Batch+work, longest)
	default:
		sum += m.Batch + time.Duration(n)*m.Each + time.Duration(m.Depth*float64(work))
	}
	return sum
}

// Limits of a prediction, as log2 of nanoseconds: 30 ns and 18 minutes.
const leastLog, mostLog = 5, 40

// Predict returns what a query with these features costs.
func (m *Model) Predict(f *Features) Cost {
	if f.empty() {
		return Cost{CPU: time.Microsecond, GPU: time.Microsecond, Host: m.Host[0], Alone: m.Batch}
	}
	p, b, x := m.byMode[f.Mode], m.batches[f.Mode], expansion{f: f}
	load := time.Duration(m.Load * float64(f.Missing))
	c := Cost{CPU: x.power(p.CPU), GPU: x.power(p.GPU) + load, Host: m.Host[0] + time.Duration(f.Terms)*m.Host[1]}
	if c.Alone = m.Batch + c.GPU; b != nil {
		c.Alone = x.power(b.Alone) + load
	}
	return c
}

// core returns Predict's Cost.CPU.
func (m *Model) core(f *Features) time.Duration {
	if f.empty() {
		return time.Microsecond
	}
	x := expansion{f: f}
	return x.power(m.byMode[f.Mode].CPU)
}

// empty reports whether the query has no hits.
func (f *Features) empty() bool {
	return f.Terms == 0 || f.K <= 0 || f.Mode == query.And && f.Shortest == 0
}

// expansion holds the terms of the polynomials that have been needed.
type expansion struct {
	f    *Features
	all  [Basis]float64
	ding [DingBasis]float64

	hasAll, hasDing bool
}

// power returns 2 to the polynomial with the given coefficients.
func (x *expansion) power(c []float64) time.Duration {
	if len(c) == DingBasis {
		if !x.hasDing {
			x.f.ExpandDing(&x.ding)
			x.hasDing = true
		}
		return power(x.ding[:], c)
	}
	if !x.hasAll {
		x.f.Expand(&x.all)
		x.hasAll = true
	}
	return power(x.all[:len(c)], c)
}

// power returns 2 to the polynomial with the given coefficients, the greatest time if it has no value.
func power(x, c []float64) time.Duration {
	sum := 0.0
	for i := range x {
		sum += x[i] * c[i]
	}
	if !(sum < mostLog) {
		return mostTime
	}
	return time.Duration(math.Exp2(max(sum, leastLog)))
}
