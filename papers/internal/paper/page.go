package paper

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Page returns the page of all papers: claims with their verdicts first, then each table
// and figure, whose charts lie in a directory.
func Page(dir string, papers []*Paper, reports []*Report) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, pageHead, besideGPU(reports).Minutes())
	by := map[string]*Report{}
	for _, r := range reports {
		by[r.Experiment] = r
	}
	summary(&b, papers, by)
	for _, p := range papers {
		p.claims(&b, by)
	}
	for _, p := range papers {
		fmt.Fprintf(&b, "\n# %s: tables and figures\n", p.Title)
		for i := range p.Experiments {
			if r := by[p.Experiments[i].Name]; r != nil {
				r.markdown(&b, dir)
			}
		}
	}
	return b.Bytes()
}

// mark tells the run of a row or a series, if the report has several.
func (r *Report) mark(run int) string {
	if len(r.Runs) < 2 {
		return ""
	}
	return fmt.Sprintf(" [%d]", run+1)
}

// runsOf returns the runs that the rows of a series come from.
func (r *Report) runsOf(metric, series string) (runs []int) {
	for _, e := range r.Entries {
		if e.Ours && e.Metric == metric && e.Series == series && !slices.Contains(runs, e.Run) {
			runs = append(runs, e.Run)
		}
	}
	return runs
}

const pageHead = `# The papers' tables and figures

<!-- Written by: go test ./papers/cmd/paper -run TestPage -update. Do not edit. -->

` + "`go run ./papers/cmd/paper NAME`" + ` draws each table and figure of the five papers on the machine at hand, with the paper's number beside ours. This page
is drawn from recorded runs; each says on what machine, at what scale and from which commit ("a in b": commit a has become part of b);
one with older lists was made before the generator of its collections changed. Where a figure has several runs, their numbers stand in
brackets behind what they measured. A paper's number is given where its text has it; where the text has none, as for most curves, there is
none here. The claims were written down before measuring.

` + "`go run ./papers/cmd/paper all`" + ` takes 6.4 minutes on two cores without a GPU, at scale 1/4, 0.3 of them for the collections. The rows of this page that are
of hosts with an H200, of its CPU too, took %.1f minutes at scale 1, in parts of less than five; on 16 cores a collection takes 0.9 to 13
seconds of that to make. The notes say where a collection has fewer documents than the paper's at scale 1, and why. A log has 1,000 queries
times the square root of the share of the paper's documents; Ding's Figure 7 asks up to 200 of them, Griffin's Figures 14 and 15 up to 300,
and notes say where other figures ask fewer.

A claim *holds* if ours reaches about 70 %% of the effect that the paper reports, *holds more weakly* if the effect has the same direction, and
*does not hold* otherwise. It *holds by construction* where the generator of the collections was given what it says. No claim is
judged by rows of several machines, scales or numbers of documents; where only the numbers of cores are several the verdict says so.
`

// besideGPU returns how long the runs took that are of hosts with a GPU.
func besideGPU(reports []*Report) time.Duration {
	hosts, seconds := map[string]bool{}, 0.0
	for _, r := range reports {
		for _, run := range r.Runs {
			hosts[run.CPU] = hosts[run.CPU] || run.GPU != ""
		}
	}
	for _, r := range reports {
		for _, run := range r.Runs {
			if hosts[run.CPU] {
				seconds += run.Seconds
			}
		}
	}
	return time.Duration(seconds * float64(time.Second))
}

// summary counts the claims by verdict; where experiments differ, the weakest counts.
func summary(b *bytes.Buffer, papers []*Paper, by map[string]*Report) {
	order := []Judgement{Holds, Made, Weakly, Fails, Untested}
	fmt.Fprint(b, "\n| claims of |")
	for _, j := range order {
		fmt.Fprintf(b, " %s |", j)
	}
	fmt.Fprintf(b, "\n| --- |%s\n", strings.Repeat(" --- |", len(order)))
	for _, p := range papers {
		count := make([]int, len(order))
		for i := range p.Claims {
			weakest := -1
			holds, _ := p.verdict(i+1, by)
			for _, h := range holds {
				weakest = max(weakest, slices.Index(order, h))
			}
			count[weakest]++
		}
		fmt.Fprintf(b, "| %s |", p.Title)
		for _, n := range count {
			fmt.Fprintf(b, " %d |", n)
		}
		b.WriteByte('\n')
	}
}

// claims lists the paper's claims with the verdicts of all experiments.
func (p *Paper) claims(b *bytes.Buffer, by map[string]*Report) {
	fmt.Fprintf(b, "\n# %s: claims\n\n| | claim | verdict | why |\n| --- | --- | --- | --- |\n", p.Title)
	for i, claim := range p.Claims {
		holds, why := p.verdict(i+1, by)
		var words []string
		for _, h := range holds {
			words = append(words, string(h))
		}
		fmt.Fprintf(b, "| %d | %s | %s | %s |\n", i+1, cell(claim), strings.Join(words, "; "), cell(strings.Join(why, "; ")))
	}
}

// verdict returns the judgements of a claim by the experiments that test it, each once, and
// their reasons.
func (p *Paper) verdict(claim int, by map[string]*Report) (holds []Judgement, why []string) {
	for _, name := range p.Tests(claim) {
		r := by[name]
		if r == nil {
			continue
		}
		for _, v := range r.Verdicts {
			if v.Claim != claim || v.Holds == Untested {
				continue
			}
			if !slices.Contains(holds, v.Holds) {
				holds = append(holds, v.Holds)
			}
			why = append(why, fmt.Sprintf("[%s](#%s): %s", r.Number, r.Experiment, v.Why))
		}
	}
	if len(holds) == 0 {
		holds = []Judgement{Untested}
	}
	return holds, why
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// pageColumns is how many places on the x axis a table of the page may have.
const pageColumns = 24

func (r *Report) markdown(b *bytes.Buffer, dir string) {
	fmt.Fprintf(b, "\n## <a name=\"%s\"></a>%s: %s\n\n", r.Experiment, r.Number, r.Title)
	if r.x.Data != "" {
		fmt.Fprintf(b, "Data: %s.\n", r.x.Data)
	}
	for i, run := range r.Runs {
		fmt.Fprintf(b, "Run %d: %s.\n", i+1, run.Where())
	}
	if d := r.differ(); d != "" {
		fmt.Fprintf(b, "Mixed: %s.\n", d)
	}
	if m := r.x.missing(r.own()); m != "" {
		fmt.Fprintf(b, "Missing: %s.\n", m)
	}
	for _, n := range r.x.Notes {
		fmt.Fprintf(b, "Note: %s.\n", n)
	}
	if len(r.Runs) > 0 {
		fmt.Fprintf(b, "\n![%s](%s/%s.svg)\n", r.Title, dir, r.Experiment)
	}
	for _, m := range r.Entries.Metrics() {
		r.grid(b, m)
	}
	for _, v := range r.Verdicts {
		fmt.Fprintf(b, "\nClaim %d %s: %s.\n", v.Claim, v.Holds, v.Why)
	}
}

// grid writes the numbers of a metric, a line for each series: ours, and the paper's in
// brackets.
func (r *Report) grid(b *bytes.Buffer, metric string) {
	var ats []string
	unit, theirs := "", false
	for _, e := range r.Entries {
		if e.Metric == metric {
			if !slices.Contains(ats, e.At) {
				ats = append(ats, e.At)
			}
			if e.Unit != "" {
				unit = ", " + e.Unit
			}
			theirs = theirs || e.Paper != nil
		}
	}
	if len(ats) > pageColumns {
		fmt.Fprintf(b, "\n%s%s: %d numbers; see the chart.\n", metric, unit, len(ats))
		return
	}
	note := "the paper's numbers are in brackets"
	if !theirs {
		note = "the paper's text has no numbers"
	}
	fmt.Fprintf(b, "\n%s%s; %s:\n\n| | %s |\n| --- |%s\n", metric, strings.TrimSuffix(unit, ", "+metric), note, strings.Join(ats, " | "), strings.Repeat(" --- |", len(ats)))
	for _, s := range r.Entries.Series(metric) {
		line := make([]string, len(ats))
		runs, most := r.runsOf(metric, s), ""
		if len(runs) == 1 {
			most = r.mark(runs[0])
		}
		for _, e := range r.Entries {
			if e.Metric != metric || e.Series != s {
				continue
			}
			paper, ours, _ := e.cells()
			if e.Ours && len(runs) > 1 {
				ours += r.mark(e.Run)
			}
			text := ours
			if e.Paper != nil {
				text += " (" + paper + ")"
			}
			line[slices.Index(ats, e.At)] = text
		}
		fmt.Fprintf(b, "| %s%s | %s |\n", cell(s), most, strings.Join(line, " | "))
	}
}
