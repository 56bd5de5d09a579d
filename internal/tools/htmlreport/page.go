package htmlreport

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/internal/tools/svgchart"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// page is what the template gets.
type page struct {
	*Report
	CSS        template.CSS
	JS         template.JS
	Data       data
	Maps       []treeMap
	Kinds      []kind
	Totals     []total
	Histograms []figure
	DocsChart  template.HTML
	FreqsChart template.HTML
	PlanChart  template.HTML
	Step       uint64
}

// data is what the script gets.
type data struct {
	Lists   []List  `json:"lists"`
	Queries []Query `json:"queries"`
}

// kind is an entry of the treemap's legend.
type kind struct {
	Kind  Kind
	Name  string
	Bytes int64
	Share string
}

// total is the share of one part of an index.
type total struct {
	Name, What string
	Bytes      int64
	Share      string
}

// figure is a histogram.
type figure struct {
	*inspect.Histogram
	Chart     template.HTML
	Quantiles string
}

var kindNames = []string{"stored text", "ids", "dictionary", "docIDs", "frequencies", "skip headers and bounds", "lengths", "columns", "positions", "other"}

var funcs = template.FuncMap{
	"count":   cli.CountOf,
	"number":  cli.NumberOf,
	"size":    size,
	"bin":     binRange,
	"fixed":   func(v float64) string { return cli.Float(v, 3) },
	"percent": func(v float64) string { return percent(v, 1) },
	"share":   func(part, whole uint64) string { return percent(float64(part), float64(whole)) },
	"add":     func(a, b float64) float64 { return a + b },
}

var pageTemplate = template.Must(template.New("page").Funcs(funcs).Parse(pageHTML))

// Write writes the page.
func Write(w io.Writer, r *Report) error {
	p := &page{Report: r, CSS: template.CSS(pageCSS + svgchart.CSS), JS: template.JS(pageJS), Maps: maps(r.Segments),
		Data: data{Lists: r.Lists, Queries: r.Queries}}
	if p.Data.Lists == nil {
		p.Data.Lists = []List{}
	}
	if p.Data.Queries == nil {
		p.Data.Queries = []Query{}
	}
	p.totals()
	if err := p.figures(); err != nil {
		return err
	}
	return pageTemplate.Execute(w, p)
}

// totals sums the bytes of all segments by kind.
func (p *page) totals() {
	var sums [Other + 1]int64
	all := int64(0)
	for _, s := range p.Segments {
		for _, t := range s.Parts {
			sums[t.Kind] += t.Bytes
			all += t.Bytes
		}
	}
	for k, n := range sums {
		if n > 0 {
			p.Kinds = append(p.Kinds, kind{Kind(k), kindNames[k], n, percent(float64(n), float64(all))})
		}
	}
	if all == 0 {
		return
	}
	add := func(name, what string, n int64) {
		p.Totals = append(p.Totals, total{name, what, n, percent(float64(n), float64(all))})
	}
	add("index of terms", "dictionary, postings, skip headers, bounds, lengths, checksums", all-sums[Text]-sums[IDs]-sums[Columns]-sums[Positions])
	add("of it the dictionary", "terms and the lists that lie in their entries", sums[Dictionary])
	add("ids", "external ids, their index and their hashes", sums[IDs])
	add("stored text", "the documents, compressed", sums[Text])
	if n := sums[Columns]; n > 0 {
		add("columns", "values by document", n)
	}
	if n := sums[Positions]; n > 0 {
		add("positions", "where in documents terms are", n)
	}
}

func (p *page) figures() (err error) {
	if p.Stats != nil {
		p.Step = p.Stats.Sample.Step
		for _, h := range p.Stats.Histograms {
			if h.Count == 0 {
				continue
			}
			f := figure{Histogram: h, Quantiles: quantiles(h)}
			if f.Chart, err = histogram(h); err != nil {
				return err
			}
			p.Histograms = append(p.Histograms, f)
		}
	}
	if c := p.Codecs; c != nil {
		if p.DocsChart, err = codecs(c.Docs, "docIDs"); err != nil {
			return err
		}
		if p.FreqsChart, err = codecs(c.Freqs, "frequencies"); err != nil {
			return err
		}
	}
	if p.Plan != nil {
		p.PlanChart, err = curve(p.Plan)
	}
	return err
}

// quantiles returns a line of quantiles.
func quantiles(h *inspect.Histogram) string {
	var b strings.Builder
	for i, q := range h.Quantiles {
		if q.Share == 0.5 || q.Share == 0.9 || q.Share == 0.99 {
			name := [...]string{2: "median ", 4: ", 90 % to ", 5: ", 99 % to "}[i]
			b.WriteString(name + count(q.Value))
		}
	}
	return b.String() + ", greatest " + count(h.Max) + ", mean " + cli.Float(h.Mean, 3)
}
