package paper

import (
	"context"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/papers/internal/chart"
)

// Paper is one of the five papers.
type Paper struct {
	Key         string // first word of the names of its experiments
	Title       string
	Claims      []string // the paper's findings; written down before measuring
	Experiments []Experiment
}

// Experiment is a table or figure.
type Experiment struct {
	Name   string // of the command line: ao-tab1
	Number string // in the paper: Table 1
	Title  string
	Data   string // the paper's, and what stands in for it
	Claims []int  // of the paper, from 1, that it tests
	// Paper are the paper's numbers, as far as its text has them.
	Paper Values
	// CPU and GPU measure rows. Either may be nil.
	CPU, GPU Measure
	// Own measures rows with the papers' own kernels, OwnAdds says which.
	Own     Measure
	OwnAdds string
	// Follow returns rows that follow from those that a run measured, as ratios do. They are
	// worked out when a run is shown, in the place of recorded rows of their metrics.
	Follow func(rows []Row) []Row
	// Judge says for each of Claims whether the rows bear it out.
	Judge func(t Table) []Verdict
	// Plot lays the rows out as a chart.
	Plot Plot
	// Missing says why there are no rows, or not all, if that is so.
	Missing string
	// Notes say where the experiment departs from the paper's.
	Notes []string
}

// Measure measures rows. A row that cannot be had is left out.
type Measure func(ctx context.Context, e *Env) ([]Row, error)

// Plot says how the rows of an experiment are drawn: a panel for each metric, a series
// for each series.
type Plot struct {
	Kind chart.Kind
	X    chart.Axis
	LogY bool
	Wide bool // the table has a column for each series
}

// Row is one number.
type Row struct {
	Metric string  `json:"metric"`           // what was measured
	Series string  `json:"series,omitempty"` // of what
	At     string  `json:"at,omitempty"`     // where on the x axis, as a word or number
	X      float64 `json:"x,omitempty"`      // the same as a number, if it is one
	Value  float64 `json:"value"`
	Unit   string  `json:"unit,omitempty"`
}

// Key identifies a row: metric, series and place.
type Key struct{ Metric, Series, At string }

// Key returns the row's identity.
func (r Row) Key() Key { return Key{r.Metric, r.Series, r.At} }

// Values are numbers of a paper.
type Values map[Key]float64

// Grid adds a table of numbers: a line of text for each series, a word for each place.
// The first word of a line, up to a bar, is the series; "-" stands for no number.
func (v Values) Grid(metric string, at []string, lines ...string) Values {
	for _, line := range lines {
		series, rest, _ := strings.Cut(line, "|")
		for i, word := range strings.Fields(rest) {
			if word != "-" {
				v[Key{metric, strings.TrimSpace(series), at[i]}] = number(word)
			}
		}
	}
	return v
}

// Put adds a number.
func (v Values) Put(metric, series, at string, x float64) Values {
	v[Key{metric, series, at}] = x
	return v
}

// Judgement is whether a claim holds.
type Judgement string

// The judgements.
const (
	Holds    Judgement = "holds"
	Weakly   Judgement = "holds more weakly"
	Fails    Judgement = "does not hold"
	Untested Judgement = "not measured"
	// Made is the judgement of a claim that the generator of the collections was given: it
	// tells that the stand-in is one, and not that the claim is true.
	Made Judgement = "holds by construction"
)

// Verdict is the judgement of one claim, and why.
type Verdict struct {
	Claim int       `json:"claim"`
	Holds Judgement `json:"holds"`
	Why   string    `json:"why"`
}

// Table gives Judge access to rows.
type Table []Entry

// Entry is a row with the paper's number and where the row comes from.
type Entry struct {
	Row
	Paper *float64 `json:"paper,omitempty"`
	Ours  bool     `json:"ours"` // false: only the paper has the number
	Run   int      `json:"run"`  // index of Report.Runs
}

// Get returns our number, and whether there is one.
func (t Table) Get(metric, series, at string) (float64, bool) {
	for _, e := range t {
		if e.Ours && e.Key() == (Key{metric, series, at}) {
			return e.Value, true
		}
	}
	return 0, false
}

// Of returns the entries of ours of a metric and series, in order.
func (t Table) Of(metric, series string) (out []Entry) {
	for _, e := range t {
		if e.Ours && e.Metric == metric && e.Series == series {
			out = append(out, e)
		}
	}
	return out
}

// Series returns the series of a metric, in order of appearance.
func (t Table) Series(metric string) (out []string) {
	for _, e := range t {
		if e.Metric == metric && !slices.Contains(out, e.Series) {
			out = append(out, e.Series)
		}
	}
	return out
}

// Metrics returns the metrics, in order of appearance.
func (t Table) Metrics() (out []string) {
	for _, e := range t {
		if !slices.Contains(out, e.Metric) {
			out = append(out, e.Metric)
		}
	}
	return out
}

// Last returns the last of the entries of a metric and series.
func (t Table) Last(metric, series string) (Entry, bool) {
	of := t.Of(metric, series)
	if len(of) == 0 {
		return Entry{}, false
	}
	return of[len(of)-1], true
}

// Tests returns the experiments of p that test a claim.
func (p *Paper) Tests(claim int) (names []string) {
	for _, x := range p.Experiments {
		if slices.Contains(x.Claims, claim) {
			names = append(names, x.Name)
		}
	}
	return names
}
