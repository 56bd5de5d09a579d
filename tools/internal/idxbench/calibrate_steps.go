package idxbench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/pinion-index/pinion/gpuload"
	"github.com/pinion-index/pinion/gpuload/hybrid"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/query"
)

// StepFit is StepRule.Work of package gpuload, fitted to single conjunctions whose lists are on the device.
type StepFit struct {
	Train   int   `json:"train"`   // queries
	Test    int   `json:"test"`    // queries
	Default int64 `json:"default"` // docIDs that a core looks up
	Fitted  int64 `json:"fitted"`  // the default, unless another is faster for the test queries
	// Mean times of the test queries, in microseconds.
	CPU         float64 `json:"cpu_us"`
	GPU         float64 `json:"gpu_us"`
	WithDefault float64 `json:"default_us"`
	WithFitted  float64 `json:"fitted_us"`
}

// stepSample is a query that was answered alone: on a core, and as one step on the GPU.
type stepSample struct {
	work     int64 // StepState.Work
	cpu, gpu time.Duration
}

// Another threshold than the default saves 1/leastSaved of the time of leastSamples test queries or more: less is
// within what runs differ by.
const leastSaved, leastSamples = 50, 32

// steps measures conjunctions, the first of which are for training, as single steps on the first GPU, and fits
// the threshold.
func (c *calibrator) steps(ctx context.Context, queries []query.Query, train int) (err error) {
	s, err := gpuload.NewStepper(c.gpu.x.Executors()[0], c.searcher, gpuload.StepOptions{
		Load: true, Choose: func(gpuload.StepState) gpuload.StepChoice { return gpuload.StepRest }})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var some []query.Query
	var halves [2][]stepSample
	var at [][2]int // of each of some in halves
	for i := range queries {
		var t gpuload.StepTrace
		if _, err := s.Search(ctx, queries[i], &t); err != nil {
			return err
		}
		// A query of one list is always the CPU's, and so is one whose lists do not fit on the device.
		if len(t.Steps) != 1 || t.Steps[0].Choice != gpuload.StepRest || t.Steps[0].State.Terms == 1 {
			continue
		}
		half := 0
		if i >= train {
			half = 1
		}
		some, at = append(some, queries[i]), append(at, [2]int{half, len(halves[half])})
		halves[half] = append(halves[half], stepSample{work: t.Steps[0].State.Work()})
	}
	if len(some) == 0 {
		return nil
	}
	took, err := c.turns(some, c.core(ctx), func(q *query.Query) error {
		_, err := s.Search(ctx, *q, nil)
		return err
	})
	if err != nil {
		return err
	}
	for i := range some {
		sample := &halves[at[i][0]][at[i][1]]
		sample.cpu, sample.gpu = took[0][i], took[1][i]
	}
	c.step = fitSteps(halves[0], halves[1])
	return nil
}

// fitSteps returns the threshold by which the queries of train take least, or the default if those of test
// take no less by it.
func fitSteps(train, test []stepSample) *StepFit {
	const builtIn = gpuload.DefaultStepWork
	fit := &StepFit{Train: len(train), Test: len(test), Default: builtIn}
	found := leastThreshold(train, builtIn)
	without, with := stepTime(test, builtIn), stepTime(test, found)
	if len(test) < leastSamples || without-with < without/leastSaved {
		found, with = builtIn, without
	}
	mean := func(t time.Duration) float64 { return float64(t) / 1e3 / float64(max(len(test), 1)) }
	fit.Fitted, fit.WithDefault, fit.WithFitted = found, mean(without), mean(with)
	fit.CPU, fit.GPU = mean(stepTime(test, math.MaxInt64)), mean(stepTime(test, 0))
	return fit
}

// stepTime returns what queries take if those of some work or more are the GPU's.
func stepTime(samples []stepSample, threshold int64) (sum time.Duration) {
	for _, s := range samples {
		if s.work >= threshold {
			sum += s.gpu
		} else {
			sum += s.cpu
		}
	}
	return sum
}

// leastThreshold returns the work from which queries are the GPU's if samples are to take least. Where no sample has
// that much or that little, the default decides.
func leastThreshold(samples []stepSample, builtIn int64) int64 {
	if len(samples) == 0 {
		return builtIn
	}
	samples = slices.SortedFunc(slices.Values(samples), func(a, b stepSample) int { return cmp.Compare(a.work, b.work) })
	took := stepTime(samples, samples[0].work) // all on the GPU
	least, at := took, 0
	for i, s := range samples {
		took += s.cpu - s.gpu
		if (i+1 == len(samples) || samples[i+1].work > s.work) && took < least {
			least, at = took, i+1
		}
	}
	switch at {
	case 0:
		return min(builtIn, samples[0].work)
	case len(samples):
		return max(builtIn, samples[at-1].work+1)
	}
	return samples[at].work
}

// setSteps sets the threshold of a model, if it is not the default.
func (c *calibrator) setSteps(m *hybrid.Model) {
	if c.step != nil && c.step.Fitted != c.step.Default {
		m.Steps.Work = c.step.Fitted
	}
}

// stepsText prints the threshold of single conjunctions.
func (c *Calibration) stepsText(w io.Writer) {
	r := c.Step
	if r == nil {
		return
	}
	fmt.Fprintf(w, "\nA single conjunction goes to the GPU from so many docIDs that a core looks up; mean times of test queries, us\n")
	t := cli.NewTable(">fitted to", ">tested on", ">default", ">fitted", ">CPU", ">GPU", ">by default", ">as fitted")
	t.Row(r.Train, r.Test, int(r.Default), int(r.Fitted), cli.Float(r.CPU, 3), cli.Float(r.GPU, 3), cli.Float(r.WithDefault, 3), cli.Float(r.WithFitted, 3))
	t.WriteTo(w)
}
