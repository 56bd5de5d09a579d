package main

import (
	"fmt"
	"strings"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/papers/internal/ao"
	"github.com/pinion-index/pinion/papers/internal/ding"
	"github.com/pinion-index/pinion/papers/internal/griffin"
	"github.com/pinion-index/pinion/papers/internal/mallia"
	"github.com/pinion-index/pinion/papers/internal/paper"
	"github.com/pinion-index/pinion/papers/internal/tatikonda"
)

func papers() []*paper.Paper {
	return []*paper.Paper{ding.Paper(), tatikonda.Paper(), ao.Paper(), griffin.Paper(), mallia.Paper()}
}

// drawing is an experiment to draw.
type drawing struct {
	p *paper.Paper
	x *paper.Experiment
}

// paperNames are the names that draw something.
func paperNames() []string {
	all := []string{"all"}
	for _, p := range papers() {
		all = append(all, p.Key)
		for i := range p.Experiments {
			all = append(all, p.Experiments[i].Name)
		}
	}
	return all
}

// paperList lists the names, a line for each paper.
func paperList() string {
	list := "name all, a paper (ding) or one of its tables and figures (ding-fig3):"
	for _, p := range papers() {
		list += fmt.Sprintf("\n  %-9s ", p.Key)
		for i := range p.Experiments {
			list += " " + strings.TrimPrefix(p.Experiments[i].Name, p.Key+"-")
		}
	}
	return list
}

// choose returns the experiments with the names.
func choose(names []string) ([]drawing, error) {
	var out []drawing
	found := map[string]bool{}
	for _, p := range papers() {
		for i := range p.Experiments {
			x := &p.Experiments[i]
			for _, n := range names {
				if n == "all" || n == p.Key || n == x.Name {
					found[n] = true
					if len(out) == 0 || out[len(out)-1].x.Name != x.Name {
						out = append(out, drawing{p, x})
					}
				}
			}
		}
	}
	for _, n := range names {
		if !found[n] {
			return nil, cli.Usage("no table or figure %q%s\n%s", n, cli.DidYouMean(n, paperNames()), paperList())
		}
	}
	return out, nil
}
