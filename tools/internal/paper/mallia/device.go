package mallia

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/tools/internal/codecbench"
	"github.com/pinion-index/pinion/tools/internal/paper"
)

// deviceRate are integers decoded in a second: in the kernel, and with its launch and the
// wait for it.
type deviceRate struct{ kernel, call float64 }

// onDevice decodes the gaps of lists on the GPU and compares them with the CPU's.
func (m method) onDevice(e *paper.Env, lists []codecbench.Postings) (deviceRate, error) {
	c, err := m.find()
	if err != nil {
		return deviceRate{}, err
	}
	x, err := codecbench.Encode(c, codecbench.Freqs, lists)
	if err != nil {
		return deviceRate{}, err
	}
	t, err := e.OnDevice(x)
	if err != nil {
		return deviceRate{}, fmt.Errorf("%s: %w", m.name, err)
	}
	n := 0.0
	for _, l := range lists {
		n += float64(len(l.Freqs))
	}
	return deviceRate{n / t.Kernel, n / t.Call}, nil
}

// sweep is the GPU's half of figure 3.
func sweep(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	for log := 16; 1<<log <= dense(25, e.Scale); log++ {
		docs := draw(false, 1, 1<<log, 1)
		lists := []codecbench.Postings{{Docs: docs, Freqs: gaps(docs)}}
		for _, m := range methods {
			if !m.gpu || ctx.Err() != nil {
				continue
			}
			g, err := m.onDevice(e, lists)
			if err != nil {
				return nil, err
			}
			at, x := fmt.Sprintf("2^%d", log), float64(int(1)<<log)
			rows = append(rows, paper.Row{Metric: speed, Series: m.name, At: at, X: x, Value: g.kernel / 1e6, Unit: "M ints/s"},
				paper.Row{Metric: "with the launch", Series: m.name, At: at, X: x, Value: g.call / 1e6, Unit: "M ints/s"})
		}
	}
	return rows, ctx.Err()
}

// onQueries is the GPU's half of table 4.
func onQueries(ctx context.Context, e *paper.Env) (rows []paper.Row, err error) {
	for i, c := range collections {
		s, err := e.SetOf(c.set, e.Scale*c.share)
		if err != nil {
			return nil, err
		}
		for side := range 2 {
			lists := asked(s, side, e.Pick(20_000_000, 300_000))
			for _, m := range methods {
				if !m.gpu || ctx.Err() != nil {
					continue
				}
				g, err := m.onDevice(e, lists)
				if err != nil {
					return nil, err
				}
				rows = append(rows, paper.Row{Metric: speed, Series: m.name, At: table2At[2*i+side], Value: g.kernel / 1e6, Unit: "M ints/s"})
			}
		}
	}
	return rows, ctx.Err()
}
