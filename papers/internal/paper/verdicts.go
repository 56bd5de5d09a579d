package paper

import (
	"fmt"

	"github.com/pinion-index/pinion/internal/cli"
)

// Compare judges a claim that a quantity is as large as the paper says: it holds if ours
// is at least 70 % of the paper's, weakly if it exceeds the neutral value, and not
// otherwise.
func Compare(claim int, ours, paper, neutral float64, what string) Verdict {
	v := Verdict{Claim: claim, Why: fmt.Sprintf("%s: %s, the paper's %s", what, cli.Float(ours, 3), cli.Float(paper, 3))}
	up := paper > neutral
	switch {
	case up && ours-neutral >= 0.7*(paper-neutral), !up && neutral-ours >= 0.7*(neutral-paper):
		v.Holds = Holds
	case up && ours > neutral, !up && ours < neutral:
		v.Holds = Weakly
	default:
		v.Holds = Fails
	}
	return v
}

// Judge judges a claim by a condition, and by a weaker one.
func Judge(claim int, holds, weakly bool, why string, args ...any) Verdict {
	v := Verdict{Claim: claim, Holds: Fails, Why: fmt.Sprintf(why, args...)}
	if weakly {
		v.Holds = Weakly
	}
	if holds {
		v.Holds = Holds
	}
	return v
}

// Given marks a verdict of what the collections were generated to show.
func Given(v Verdict) Verdict {
	if v.Holds == Holds {
		v.Holds = Made
	}
	return v
}

// Num prints a number for a verdict.
func Num(v float64) string { return cli.Float(v, 3) }
