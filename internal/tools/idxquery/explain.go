package idxquery

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/pinion-index/pinion/query"
)

// TraceOptions are what `idxinspect explain --trace` can choose.
type TraceOptions struct {
	Mode, Algorithm string // values of --mode and --algo
	Device, Steps   string // values of --device and --steps
	K               int
	Params          query.Params
}

// Explain answers one query and returns the answer with its trace, and the text that
// idxquery --trace prints to out. Without a device for hybrid the CPU answers, which stderr says.
func Explain(ctx context.Context, out, stderr io.Writer, index, text string, o TraceOptions) (*Answer, []byte, error) {
	f := newFlags()
	f.index, f.k, f.own, f.trace = index, o.K, o.Params, true
	if err := f.mode.Set(o.Mode); err != nil {
		return nil, nil, err
	}
	if err := f.algo.Set(o.Algorithm); err != nil {
		return nil, nil, err
	}
	if err := f.device.Set(o.Device); err != nil {
		return nil, nil, err
	}
	if err := f.steps.Set(o.Steps); err != nil {
		return nil, nil, err
	}
	var a *Answer
	var lines bytes.Buffer
	err := f.with(func(s *session) (err error) {
		s.out = out
		w := &worker{s: s}
		var finder finder = s.searcher
		if o.Device != "cpu" {
			steps, release, err := s.stepper(stderr)
			switch {
			case err == nil:
				defer release()
				finder = steps
			case o.Device == "gpu":
				return err
			default:
				fmt.Fprintf(stderr, "answering on the CPU: %v\n", err)
			}
		}
		if err := w.find(ctx, finder, question{id: "1", text: text}); err != nil {
			return err
		}
		if a, err = w.answer(&w.reply); err != nil {
			return err
		}
		return s.table(&lines, a, false)
	})
	return a, lines.Bytes(), err
}
