package idxinspect

import (
	"context"
	"io"
	"math/bits"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/segment"
)

// Regressions is what `idxinspect sizes --regression` prints: the linearity of the lists
// that have blocks, by length.
type Regressions struct {
	Lists  int               `json:"lists"`
	Groups []RegressionGroup `json:"groups"` // shortest first, none empty
}

// RegressionGroup is the lists of From to To - 1 postings. Contraction and R2 are means
// over the lists.
type RegressionGroup struct {
	From  int `json:"from"`
	To    int `json:"to"`
	Lists int `json:"lists"`
	inspect.Linearity
	LeastR2 float64 `json:"least_r2"`
}

// regressions fits a line to every list with blocks.
func regressions(ctx context.Context, stderr io.Writer, path string) (*Regressions, error) {
	out := &Regressions{}
	var groups [32]RegressionGroup // by the bits of the length
	err := inspect.With(path, func(x *inspect.Index) error {
		total := int64(0)
		for _, g := range x.Segs {
			total += int64(g.Meta().Terms)
		}
		p := cli.NewProgress(stderr, "fit", total, cli.ItemRate("terms"))
		defer p.Stop()
		var done int64
		var l segment.List
		return eachEntry(x, func(g *inspect.Segment, it *segment.TermIterator) error {
			done++
			e := it.Entry()
			if err := ctx.Err(); err != nil || e.Kind != segment.KindExtent {
				return err
			}
			p.Set(done)
			err := g.Lists().Init(&l, e)
			var fit *inspect.Linearity
			if err == nil {
				fit, err = inspect.FitLine(&l)
			}
			if err != nil {
				return format.Locate(err, format.Place{List: string(it.Term()), Block: format.NoBlock})
			}
			out.Lists++
			groups[bits.Len32(uint32(l.N))-1].add(fit)
			return nil
		})
	})
	for i, g := range groups {
		if g.Lists > 0 {
			g.From, g.To = 1<<i, 1<<(i+1)
			g.Contraction /= float64(g.Lists)
			g.R2 /= float64(g.Lists)
			out.Groups = append(out.Groups, g)
		}
	}
	return out, err
}

// add adds a list. The means are sums until all are there.
func (g *RegressionGroup) add(fit *inspect.Linearity) {
	if g.Lists == 0 || fit.R2 < g.LeastR2 {
		g.LeastR2 = fit.R2
	}
	g.Lists++
	g.Contraction += fit.Contraction
	g.R2 += fit.R2
}

func (r *Regressions) Text(w io.Writer) {
	t := cli.NewTable(">postings from", ">below", ">lists", ">contraction ratio", ">R²", ">least R²")
	for _, g := range r.Groups {
		t.Row(cli.Count(g.From), cli.Count(g.To), cli.Count(g.Lists), cli.Float(g.Contraction, 4), cli.Float(g.R2, 4), cli.Float(g.LeastR2, 4))
	}
	t.WriteTo(w)
}
