package paper

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/papers/internal/chart"
)

// Report is an experiment with its rows, the paper's numbers and the verdicts.
type Report struct {
	Experiment string    `json:"experiment"`
	Paper      string    `json:"paper"`
	Number     string    `json:"number"`
	Title      string    `json:"title"`
	Runs       []*Run    `json:"runs"`
	Entries    Table     `json:"entries"`
	Verdicts   []Verdict `json:"verdicts"`
	x          *Experiment
	p          *Paper
}

// NewReport puts the rows of runs, some of which may be nil, beside the paper's numbers.
func NewReport(p *Paper, x *Experiment, runs ...*Run) *Report {
	r := &Report{Experiment: x.Name, Paper: p.Title, Number: x.Number, Title: x.Title, x: x, p: p}
	seen := map[Key]bool{}
	for _, run := range runs {
		if run == nil {
			continue
		}
		for _, row := range x.shown(run) {
			if seen[row.Key()] {
				continue // the earlier run counts
			}
			seen[row.Key()] = true
			e := Entry{Row: row, Ours: true, Run: len(r.Runs)}
			if v, ok := x.Paper[row.Key()]; ok {
				e.Paper = &v
			}
			r.Entries = append(r.Entries, e)
		}
		r.Runs = append(r.Runs, run)
	}
	var rest Table
	for k, v := range x.Paper {
		if !seen[k] {
			at, _ := strconv.ParseFloat(k.At, 64)
			rest = append(rest, Entry{Row: Row{Metric: k.Metric, Series: k.Series, At: k.At, X: at}, Paper: &v})
		}
	}
	slices.SortFunc(rest, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Series, b.Series), cmp.Compare(a.X, b.X), cmp.Compare(a.At, b.At))
	})
	r.Entries = append(r.Entries, rest...)
	r.judge()
	return r
}

// shown returns the rows of a run, with those that follow from them.
func (x *Experiment) shown(run *Run) []Row {
	rows := slices.Clone(run.Rows)
	if x.Follow == nil {
		return rows
	}
	more := x.Follow(rows)
	rows = slices.DeleteFunc(rows, func(r Row) bool {
		return slices.ContainsFunc(more, func(m Row) bool { return m.Metric == r.Metric })
	})
	return append(rows, finite(more)...)
}

func (r *Report) judge() {
	if r.x.Judge != nil && len(r.Runs) > 0 {
		r.Verdicts = r.x.Judge(r.Entries)
		r.unmix()
	}
	for _, c := range r.x.Claims {
		if !slices.ContainsFunc(r.Verdicts, func(v Verdict) bool { return v.Claim == c }) {
			why := "no run has the rows for it"
			if m := r.x.missing(r.own()); m != "" {
				why = m
			}
			r.Verdicts = append(r.Verdicts, Verdict{Claim: c, Holds: Untested, Why: why})
		}
	}
	slices.SortStableFunc(r.Verdicts, func(a, b Verdict) int { return a.Claim - b.Claim })
}

// State says in a few words what an experiment draws.
func State(x *Experiment) string {
	switch {
	case x.CPU == nil && x.GPU == nil:
		return "missing"
	case x.missing(hasOwn(x)) != "":
		return "in part"
	}
	return "drawn"
}

// hasOwn reports whether there is a recorded run of the own kernels.
func hasOwn(x *Experiment) bool {
	r, err := Recorded(x.Name, OwnHalf)
	return err == nil && r != nil
}

// missing says what an experiment lacks with or without rows of the own kernels.
func (x *Experiment) missing(own bool) string {
	if own || x.OwnAdds == "" {
		return x.Missing
	}
	add := "a run of the own kernels: " + x.OwnAdds
	if x.Missing == "" {
		return add
	}
	return x.Missing + "; " + add
}

// own reports whether a report has a run of the own kernels.
func (r *Report) own() bool {
	return slices.ContainsFunc(r.Runs, func(run *Run) bool { return run.Half == OwnHalf })
}

// Write writes the report's chart, CSV and JSON into a directory.
func (r *Report) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for ext, write := range map[string]func(io.Writer) error{
		"svg": r.Draw, "csv": r.CSV, "json": func(w io.Writer) error { return cli.JSON(w, r) },
	} {
		name := r.Experiment + "." + ext
		if err := cli.WriteFile(filepath.Join(dir, name), false, write); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// Text prints the report.
func (r *Report) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, %s\n%s\n", r.Experiment, r.p.Title, r.Number, r.Title)
	if r.x.Data != "" {
		fmt.Fprintf(w, "data: %s\n", r.x.Data)
	}
	for i, run := range r.Runs {
		mark := ""
		if len(r.Runs) > 1 {
			mark = fmt.Sprintf("[%d] ", i+1)
		}
		fmt.Fprintf(w, "%s%s\n", mark, run.Where())
		if s := run.Stale(); s != "" {
			fmt.Fprintf(w, "%sstale: %s since then\n", mark, s)
		}
	}
	if d := r.differ(); d != "" {
		fmt.Fprintf(w, "mixed: %s\n", d)
	}
	if m := r.x.missing(r.own()); m != "" {
		fmt.Fprintf(w, "missing: %s\n", m)
	}
	fmt.Fprintln(w)
	r.table().WriteTo(w)
	fmt.Fprintln(w)
	for _, v := range r.Verdicts {
		fmt.Fprintf(w, "claim %d %s: %s\n  (%s)\n", v.Claim, v.Holds, v.Why, r.p.Claims[v.Claim-1])
	}
	for _, n := range r.x.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
}

// cells returns the paper's number, ours and the ratio as text.
func (e *Entry) cells() (theirs, ours, ratio string) {
	theirs, ours, ratio = "not in the text", "-", "-"
	if e.Paper != nil {
		theirs = cli.Float(*e.Paper, 4)
	}
	if e.Ours {
		ours = cli.Float(e.Value, 4)
		if e.Paper != nil && *e.Paper != 0 {
			ratio = cli.Float(e.Value / *e.Paper, 3)
		}
	}
	return theirs, ours, ratio
}

func (r *Report) table() *cli.Table {
	heads := []string{"what", "of", "at", ">paper", ">ours", ">ours/paper", "unit"}
	if len(r.Runs) > 1 {
		heads = append(heads, "run")
	}
	t := cli.NewTable(heads...)
	for i := range r.Entries {
		e := &r.Entries[i]
		theirs, ours, ratio := e.cells()
		row := []any{e.Metric, e.Series, e.At, theirs, ours, ratio, e.Unit}
		if len(r.Runs) > 1 {
			mark := ""
			if e.Ours {
				mark = fmt.Sprintf("[%d]", e.Run+1)
			}
			row = append(row, mark)
		}
		t.Row(row...)
	}
	return t
}

// CSV writes the rows, with an empty field where there is no number.
func (r *Report) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	_ = c.Write([]string{"experiment", "metric", "series", "at", "unit", "paper", "ours", "ratio", "half", "machine", "scale", "date", "commit"})
	for _, e := range r.Entries {
		row := []string{r.Experiment, e.Metric, e.Series, e.At, e.Unit, "", "", "", "", "", "", "", ""}
		if e.Paper != nil {
			row[5] = text(*e.Paper)
		}
		if e.Ours {
			run := r.Runs[e.Run]
			row[6] = text(e.Value)
			if e.Paper != nil && *e.Paper != 0 {
				row[7] = text(e.Value / *e.Paper)
			}
			machine := run.CPU
			if run.GPU != "" {
				machine = run.GPU + "; " + machine
			}
			row[8], row[9], row[10], row[11], row[12] = string(run.Half), machine, run.Scale, run.Date.Format("2006-01-02"), run.Commit
		}
		_ = c.Write(row)
	}
	c.Flush()
	return c.Error()
}

// Draw writes the report as a chart.
func (r *Report) Draw(w io.Writer) error {
	f := &chart.Figure{Title: fmt.Sprintf("%s: %s", r.Number, r.Title)}
	for i, run := range r.Runs {
		f.Notes = append(f.Notes, strings.TrimSpace(r.mark(i)+" "+run.Where()))
	}
	if d := r.differ(); d != "" {
		f.Notes = append(f.Notes, d)
	}
	metrics := r.Entries.Metrics()
	if lines := slices.DeleteFunc(slices.Clone(metrics), r.single); len(lines) > 0 && r.x.Plot.Kind == chart.Lines {
		metrics = lines // a table tells what has one place alone
	}
	for _, m := range metrics {
		f.Panels = append(f.Panels, r.panel(m))
	}
	_, err := f.WriteTo(w)
	return err
}

// single reports whether a metric has one place on the x axis.
func (r *Report) single(metric string) bool {
	var ats []string
	for _, e := range r.Entries {
		if e.Ours && e.Metric == metric && !slices.Contains(ats, e.At) {
			ats = append(ats, e.At)
		}
	}
	return len(ats) < 2
}

func (r *Report) panel(metric string) chart.Panel {
	p := chart.Panel{Title: metric, Kind: r.x.Plot.Kind, X: r.x.Plot.X, Y: chart.Axis{Log: r.x.Plot.LogY, Zero: !r.x.Plot.LogY}}
	var theirs, ours []chart.Series
	for _, name := range r.Entries.Series(metric) {
		mine, paper := chart.Series{Name: name}, chart.Series{Name: name + " (paper)"}
		if name == "" {
			mine.Name, paper.Name = "ours", "paper"
		}
		for _, run := range r.runsOf(metric, name) {
			mine.Name += r.mark(run)
		}
		paper.Beside = mine.Name
		for _, e := range r.Entries {
			if e.Metric != metric || e.Series != name {
				continue
			}
			x := e.X
			if p.Kind == chart.Bars {
				if x = float64(slices.Index(p.Names, e.At)); x < 0 {
					x, p.Names = float64(len(p.Names)), append(p.Names, e.At)
				}
			}
			if e.Ours {
				mine.Points = append(mine.Points, chart.Point{X: x, Y: e.Value})
				p.Y.Label = cmp.Or(e.Unit, p.Y.Label)
			}
			if e.Paper != nil {
				paper.Points = append(paper.Points, chart.Point{X: x, Y: *e.Paper})
			}
		}
		if len(mine.Points) > 0 {
			ours = append(ours, mine)
		}
		if len(paper.Points) > 0 {
			theirs = append(theirs, paper)
		}
	}
	p.Series = append(ours, theirs...)
	for i := range p.Series {
		slices.SortStableFunc(p.Series[i].Points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
	}
	return p
}
