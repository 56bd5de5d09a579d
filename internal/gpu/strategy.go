package gpu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/kernels"
	"github.com/pinion-index/pinion/query"
)

// Strategy is an algorithm for intersecting lists. All give the same results.
type Strategy uint8

// The strategies. Probe searches for the docIDs of the shortest list in those blocks of
// the other lists that may contain them, and decodes only these. MergePath first decodes all
// lists of a batch, each once; it takes no lists of 2^31 postings or more.
const (
	Auto Strategy = iota // Element or Probe, depending on codecs
	Probe
	MergePath       // merge in equal shares, Griffin 2018 section 3.1.2
	ProbeSkip       // Probe by binary search in the skip header, Ding 2009 section 8
	ProbeRegression // Probe by safe ranges, Ao 2011 section 3.3
	ProbeHash       // Probe by hash buckets, Ao 2011 section 3.4
	Element         // Probe, but searches lists of the linear-regression codecs by single elements, Ao 2011 section 4.3, Algorithm 1

	strategyCount
)

var strategyNames = [strategyCount]string{Auto: "auto", Probe: "probe", MergePath: "mergepath", ProbeSkip: "skip", ProbeRegression: "lr", ProbeHash: "hash", Element: "element"}

// Strategies returns all strategies.
func Strategies() []Strategy {
	all := make([]Strategy, strategyCount)
	for i := range all {
		all[i] = Strategy(i)
	}
	return all
}

// MarshalText returns the name of s.
func (s Strategy) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText sets s to the strategy with a name that String returns. The error matches query.ErrInvalid.
func (s *Strategy) UnmarshalText(name []byte) error {
	i := slices.Index(strategyNames[:], string(name))
	if i < 0 {
		return fmt.Errorf("%w: unknown strategy %q (known: %s)", query.ErrInvalid, name, strings.Join(strategyNames[:], ", "))
	}
	*s = Strategy(i)
	return nil
}

// choose returns Element if most postings of the longer lists are in a codec with access
// to single elements, and otherwise Probe.
func choose(plans []*plan, views int) Strategy {
	var long, elements int64
	for _, p := range plans {
		if p.done || p.why != OnDevice {
			continue
		}
		for seg := range views {
			if _, ok := p.conjunctive(seg, views); !ok {
				continue
			}
			for t := 1; t < len(p.weights); t++ {
				o := &p.lists[t*views+seg]
				long += int64(o.n)
				if o.small == nil && o.want.List.Elements {
					elements += int64(o.n)
				}
			}
		}
	}
	if 2*elements > long {
		return Element
	}
	return Probe
}

// A list with mostMerged postings or more is not merged: kernels that do (kernels/merge.h) have
// sums of positions in two lists, in 32 bits.
const mostMerged uint32 = 1 << 31

// mergeable reports whether the lists of plans can be merged.
func mergeable(plans []*plan) bool {
	for _, p := range plans {
		if slices.ContainsFunc(p.lists, func(o posting) bool { return o.n >= mostMerged }) {
			return false
		}
	}
	return true
}

// locate returns how the strategy finds blocks.
func (s Strategy) locate(o Options) uint32 {
	if s < ProbeSkip || s > ProbeHash {
		return o.locate
	}
	return kernels.LocateSkip + uint32(s-ProbeSkip)
}

// String returns the name of the strategy.
func (s Strategy) String() string {
	if s < strategyCount {
		return strategyNames[s]
	}
	return fmt.Sprintf("strategy(%d)", uint8(s))
}
