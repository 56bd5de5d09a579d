package ao

import (
	"context"
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/papers/internal/chart"
	"github.com/pinion-index/pinion/papers/internal/coding"
	"github.com/pinion-index/pinion/papers/internal/corpus"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// schemes are the codecs of section 5.1.2: segments of 64 for gaps, of 256 for lines.
func schemes(share float64) map[string]coding.Scheme {
	out := map[string]coding.Scheme{}
	for _, k := range coding.Kinds() {
		s := coding.Scheme{Kind: k, Segment: 256, Share: share}
		if k <= coding.ParaPFD {
			s.Segment = 64
		}
		out[codecNames[k]] = s
	}
	return out
}

var codecNames = []string{"PFD", "NewPFD", "ParaPFD", "LRC", "LRCSeg", "SegLRC", "HS256_LRC"}

// shares are the proportions of exceptions in figures 7 and 8.
var shares = []float64{0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6}

// ratio returns 32 bits for each docID over the size of the lists.
func ratio(s coding.Scheme, lists []corpus.Weighted) (float64, error) {
	n, bits := 0.0, 0.0
	for _, l := range lists {
		x, err := s.Encode(l.Docs)
		if err != nil {
			return 0, err
		}
		n, bits = n+l.Weight*float64(len(l.Docs)), bits+l.Weight*float64(x.Bits())
	}
	return 32 * n / bits, nil
}

// some returns the sample's lists of at least 256 docIDs: a segment of the line kinds.
func some(s *corpus.Set) (out []corpus.Weighted) {
	for _, l := range s.Sample {
		if len(l.Docs) >= 256 {
			out = append(out, l)
		}
	}
	return out
}

var table2 = paper.Experiment{
	Name: "ao-tab2", Number: "Table 2", Title: "Optimal compression ratio",
	Data: standIns, Claims: []int{8, 10},
	Paper: paper.Values{}.Grid("compression ratio", codecNames,
		"GOV | 3.62 3.66 3.55 2.09 3.00 3.16 3.12",
		"GOVPR | 3.63 3.68 3.57 2.02 2.85 3.11 3.00",
		"GOVR | 3.61 3.64 3.53 2.62 3.26 3.23 3.22",
		"GOV2 | 3.71 3.75 3.63 1.73 2.82 3.19 3.18",
		"GOV2R | 3.60 3.62 3.51 2.41 3.24 3.22 3.21",
		"BD | 2.78 3.09 2.89 1.59 2.03 2.26 2.10",
		"BDR | 2.58 2.61 2.55 1.99 2.39 2.38 2.34"),
	CPU: func(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
		for _, name := range sets {
			s, err := e.SetOf(name, e.Scale*share(name))
			if err != nil {
				return nil, err
			}
			lists := some(s)
			for _, codec := range codecNames {
				best := 0.0
				for _, part := range []float64{0, 0.1, 0.2} {
					r, err := ratio(schemes(part)[codec], lists)
					if err != nil || ctx.Err() != nil {
						return nil, fmt.Errorf("%s: %w", codec, err)
					}
					best = max(best, r)
				}
				rows = append(rows, paper.Row{Metric: "compression ratio", Series: name, At: codec, Value: best})
			}
		}
		return rows, nil
	},
	Judge: func(t paper.Table) []paper.Verdict {
		at := func(set, codec string) float64 { v, _ := t.Get("compression ratio", set, codec); return v }
		segments := 0
		for _, set := range sets {
			if at(set, "LRCSeg") > 1.1*at(set, "LRC") && at(set, "SegLRC") > 1.1*at(set, "LRC") {
				segments++
			}
		}
		return []paper.Verdict{
			paper.Judge(8, segments == len(sets), segments > len(sets)/2, "LRCSeg and SegLRC are more than 10 %% smaller than LRC on %d of %d collections", segments, len(sets)),
			judgeOrders(at),
		}
	},
	Plot: paper.Plot{Kind: chart.Bars},
	Notes: []string{"every 1.25^i-th list of a collection by length, weighted by the lists that it stands for, down to 256 docIDs; the best of 0, 10 and 20 % exceptions",
		"each segment has a head and an offset of 32 bits; lines are in single precision", cutNote},
}

// judgeOrders judges claim 10 by all collections that have lists in random order too. Of the gap codecs the one that
// changes most counts.
func judgeOrders(at func(set, codec string) float64) paper.Verdict {
	gains := func(codec string) (least, most float64) {
		least = 1e18
		for _, set := range []string{"GOV", "GOV2", "BD"} {
			g := at(set+"R", codec) / at(set, codec)
			least, most = min(least, g), max(most, g)
		}
		return least, most
	}
	holds, weakly := true, true
	var why []string
	for _, codec := range []string{"LRC", "LRCSeg", "SegLRC"} {
		least, most := gains(codec)
		holds, weakly = holds && least > 1.02, weakly && least > 1
		why = append(why, fmt.Sprintf("%s %s to %s times", codec, paper.Num(least), paper.Num(most)))
	}
	lrc, _ := gains("LRC")
	for _, codec := range []string{"PFD", "NewPFD", "ParaPFD"} {
		least, most := gains(codec)
		holds = holds && least > 0.95 && most < 1.05
		why = append(why, fmt.Sprintf("%s %s to %s", codec, paper.Num(least), paper.Num(most)))
	}
	static := at("GOVPR", "LRC") / at("GOV", "LRC")
	return paper.Judge(10, holds && lrc > 1.1 && static <= 1, weakly && lrc > 1.05, "random docIDs against crawl order on GOV, GOV2 and BD: %s; static score against crawl order: LRC %s, where the paper has 0.967: our lists below 100 K are as wide in crawl order as by static score (Table 1)",
		strings.Join(why, ", "), paper.Num(static))
}
