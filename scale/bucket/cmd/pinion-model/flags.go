package main

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/internal/cli"
)

// limits are the least and the greatest value of each flag, or of each of its values; of times, in seconds. Beyond them the models mean
// nothing: they would divide by 0, or never end.
var limits = map[string][2]float64{
	"docs": {1, 1e15}, "segment-docs": {1, 1 << 32}, "queries": {1, 1e9}, "most": {0, 1e9},
	"searchers": {1, 1e6}, "nodes": {1, 1e6}, "replicas": {1, 1e3}, "cores": {1, 1e4},
	"cache": {0, 1}, "share": {0, 1}, "stalls": {0, 1}, "errors": {0, 0.9}, "load": {0.001, 0.99}, "spread": {0, 10},
	"rate": {1, math.MaxFloat64}, "gigabit": {0.001, 1e6}, "get": {0, 1e9}, "storage": {0, 1e9}, "hour": {0, 1e9},
	"median": {1e-9, 1e6}, "p999": {1e-9, 1e6}, "mtbf": {1, 1e12}, "repair": {1, 1e12}, "stall": {0, 1e6}, "net": {0, 1e6},
}

// check returns an error for the first flag whose value is not within its limits.
func check(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		l, some := limits[f.Name]
		if !some || err != nil {
			return
		}
		for text := range strings.SplitSeq(strings.Trim(f.Value.String(), "[]"), ",") {
			x, bad := strconv.ParseFloat(text, 64)
			low, high := strconv.FormatFloat(l[0], 'g', -1, 64), strconv.FormatFloat(l[1], 'g', -1, 64)
			if d, e := time.ParseDuration(text); bad != nil && e == nil {
				x, bad, low, high = d.Seconds(), nil, low+" s", high+" s"
			}
			if bad != nil || !(x >= l[0] && x <= l[1]) {
				err = cli.Usage("--%s %s: from %s to %s is wanted", f.Name, text, low, high)
				return
			}
		}
	})
	return err
}
