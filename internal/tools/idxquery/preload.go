package idxquery

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
)

// preload begins to load the lists that --preload names. stop ends that, and waits for it.
func (d *device) preload() (stop func(), err error) {
	if d.f.dot != "" {
		return func() {}, d.preloadDots()
	}
	if d.f.preload == "" {
		return func() {}, nil
	}
	queries, err := d.preloads()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := d.gpus.Preload(ctx, queries); err != nil && !errors.Is(err, context.Canceled) {
			fmt.Fprintf(d.stderr, "--preload: %v\n", err)
		}
	}()
	return func() {
		cancel()
		<-ended
	}, nil
}

// preloadDots loads the field of --dot, which otherwise the first query would begin to load while the CPU answers.
func (d *device) preloadDots() error {
	one := query.Dot{Field: d.f.dots.Field, Terms: []query.WeightedTerm{{Term: "any", Weight: 1}}}
	err := d.gpus.Preload(context.Background(), []search.Query{{Node: one, K: 1}})
	if errors.Is(err, gpu.ErrDevice) || errors.Is(err, gpu.ErrMemory) {
		fmt.Fprintf(d.stderr, "--dot: %v\n", err)
		err = nil // the CPU answers
	}
	return err
}

// preloads reads the file of --preload.
func (s *session) preloads() ([]search.Query, error) {
	if exchange.ReadOnce(s.f.preload) {
		return nil, errors.New("--preload cannot be read from standard input or a pipe: it is read twice")
	}
	plan, err := isPlan(s.f.preload)
	if err != nil {
		return nil, err
	}
	if plan {
		return readPlan(s.f.preload)
	}
	src, _, err := exchange.OpenQueries(s.f.preload, exchange.QueriesAuto)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	var queries []search.Query
	for {
		d, err := src.Next()
		if err == io.EOF {
			return queries, nil
		}
		if err != nil {
			return nil, err
		}
		if cli.HasParts(s.snapshot) {
			queries = append(queries, search.Query{Text: string(d.Contents), K: s.f.k, Mode: s.mode})
			continue
		}
		terms, _, err := s.searcher.AppendTerms(nil, nil, string(d.Contents))
		if err != nil {
			return nil, err
		}
		queries = append(queries, search.Query{RawTerms: terms, K: s.f.k, Mode: s.mode})
	}
}

// isPlan reports whether a file begins with a JSON object that has lists or more than one
// line, which no query log does.
func isPlan(name string) (bool, error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var plan struct{ Lists json.RawMessage }
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line[0] == '{' && (json.Unmarshal(line, &plan) != nil || plan.Lists != nil), nil
		}
		switch err {
		case nil:
		case io.EOF:
			return false, nil
		default:
			return false, err
		}
	}
}

// readPlan reads what idxinspect gpu-plan --json has printed: a query for each of its
// lists.
func readPlan(name string) ([]search.Query, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var p struct {
		Lists []struct {
			Term planTerm `json:"term"`
		} `json:"lists"`
	}
	if err := json.Unmarshal(b, &p); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var queries []search.Query
	for _, l := range p.Lists {
		queries = append(queries, search.Query{RawTerms: [][]byte{l.Term}, K: 1})
	}
	return queries, nil
}

// planTerm is a term as cli.Text writes it: a string, or an object if it is not UTF-8.
type planTerm []byte

func (t *planTerm) UnmarshalJSON(b []byte) error {
	if b[0] != '{' {
		var s string
		err := json.Unmarshal(b, &s)
		*t = planTerm(s)
		return err
	}
	var o struct {
		Base64 []byte `json:"base64"`
	}
	err := json.Unmarshal(b, &o)
	*t = o.Base64
	return err
}
