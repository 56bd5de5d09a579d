package mallia

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/papers/internal/paper"
)

// deviceRate are integers decoded in a second: in the kernel, with its launch and the wait
// for it, and with the copy of the compressed lists as well.
type deviceRate struct{ kernel, call, moved float64 }

// onDevice decodes the gaps (Freqs) or docIDs of lists on the GPU and compares them with the
// CPU's.
func (m method) onDevice(e *paper.Env, side codecbench.Side, lists []format.Postings) (deviceRate, error) {
	c, err := m.find()
	if err != nil {
		return deviceRate{}, err
	}
	x, err := codecbench.Encode(c, side, lists)
	if err != nil {
		return deviceRate{}, err
	}
	t, err := e.OnDevice(x)
	if err != nil {
		return deviceRate{}, fmt.Errorf("%s: %w", m.name, err)
	}
	n := 0.0
	for _, l := range lists {
		n += float64(len(l.Docs))
	}
	return deviceRate{n / t.Kernel, n / t.Call, n / t.Moved}, nil
}

// onDevice3 decodes lists with the GPU's codecs, once for figure 3 and table 3.
func onDevice3(ctx context.Context, e *paper.Env, d data3) ([]paper.Row, error) {
	return paper.Once(e, "mallia on the device, "+d.metric, func() (rows []paper.Row, err error) {
		err = each3(ctx, e, d, func(log int, lists []format.Postings) error {
			for _, m := range methods {
				if !m.gpu {
					continue
				}
				g, err := m.onDevice(e, d.side, lists)
				if err != nil {
					return err
				}
				rows = append(rows, row3(d.metric, m, log, g.kernel))
				if d.metric == speed {
					rows = append(rows, row3("with the launch", m, log, g.call), row3("with the launch and the copy of the list", m, log, g.moved))
				}
			}
			return nil
		})
		return rows, err
	})
}

// onQueries is the GPU's half of table 4.
func onQueries(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	for i, c := range collections {
		s, err := e.SetOf(c.set, e.Scale*c.share)
		if err != nil {
			return nil, err
		}
		for side := range 2 {
			lists := asked(s, side, e.Pick(20_000_000, 60_000))
			for _, m := range methods {
				if !m.gpu || ctx.Err() != nil {
					continue
				}
				g, err := m.onDevice(e, codecbench.Freqs, lists)
				if err != nil {
					return nil, err
				}
				rows = append(rows, paper.Row{Metric: speed, Series: m.name, At: table2At[2*i+side], Value: g.kernel / 1e6, Unit: "M ints/s"})
			}
		}
	}
	return rows, ctx.Err()
}
