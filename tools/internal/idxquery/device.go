package idxquery

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/tools/internal/cli"
)

// checkDevice returns an error if other flags exclude the device of --device.
func (f *flags) checkDevice() error {
	switch {
	case f.device.Value == "cpu":
		return nil
	case f.trace:
		return cli.Usage("--trace takes --device cpu")
	case f.threads > 1:
		return cli.Usage("--threads takes --device cpu")
	}
	return nil
}

// onDevice is like each, on a GPU. The CPU answers what the device cannot. With hybrid
// it answers everything if the device cannot be opened or fails.
func (s *session) onDevice(cmd *cobra.Command, qs []question, text bool, p *cli.Progress, f func(*Answer) error) error {
	var x query.Executor
	name, release, err := s.executor(&x)
	if err != nil {
		if s.f.device.Value != "hybrid" {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "answering on the CPU: %v\n", err)
		x, name, release = s.searcher, "the CPU", func() {}
	}
	defer func() { release() }()
	total, searching := len(qs), time.Duration(0)
	for done := 0; len(qs) > 0; {
		n := min(16*batchSize, len(qs))
		answers, queries := make([]*Answer, n), make([]query.Query, n)
		for i, q := range qs[:n] {
			var err error
			if answers[i], queries[i], err = s.prepare(q); err != nil {
				return err
			}
		}
		start := time.Now()
		results, err := x.Execute(cmd.Context(), queries)
		if err != nil && s.f.device.Value == "hybrid" && errors.Is(err, gpuload.ErrDevice) {
			fmt.Fprintf(cmd.ErrOrStderr(), "answering on the CPU: %v\n", err)
			x, name = s.searcher, "the CPU"
			results, err = x.Execute(cmd.Context(), queries)
		}
		if err != nil {
			return err
		}
		took := time.Since(start)
		searching += took
		for i, a := range answers {
			a.took = took
			a.Seconds = took.Seconds()
			if err := s.fill(a, results[i].Hits, text); err != nil {
				return err
			}
			if err := f(a); err != nil {
				return err
			}
		}
		qs, done = qs[n:], done+n
		p.Set(int64(done))
	}
	p.Stop()
	if s.f.queries != "" && total > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s queries in %s on %s: %s queries/s\n", cli.Count(total), cli.Seconds(searching), name,
			cli.Rate(float64(total), searching))
	}
	return nil
}

// executor opens a device and puts an executor with the snapshot's lists on it.
func (s *session) executor(x *query.Executor) (name string, release func(), err error) {
	dev, err := gpuload.OpenDevice()
	if err != nil {
		return "", nil, err
	}
	g, err := gpuload.New(dev, s.snapshot, gpuload.Options{CPU: s.searcher, Scorer: s.searcher.Scorer()})
	if err != nil {
		return "", nil, errors.Join(err, dev.Close())
	}
	*x = g
	return dev.Info().Name, func() {
		_ = errors.Join(g.Close(), dev.Close()) // all answers have arrived
	}, nil
}
