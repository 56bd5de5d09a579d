package main

import (
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/scale/bucket/internal/model"
)

func nodesCommand() *cobra.Command {
	var (
		docs, nodes = 1_000_000_000, 100
		replicas    = []int{2, 4}
		loads       = []float64{0.3, 0.45, 0.6}
		c           = model.Cluster{Cores: 8, Spread: 0.1, Stalls: 0.001, Stall: 20 * time.Millisecond, Net: 300 * time.Microsecond, Deadline: 10 * time.Second, Queries: 20000, Seed: 1}
		f           = model.Failures{MTBF: 90 * 24 * time.Hour, Repair: 30 * time.Minute, Time: 250 * 8760 * time.Hour, Seed: 1}
		hour        = 0.33
	)
	cmd := &cobra.Command{
		Use:   "nodes TRACE",
		Short: "Predict shards on nodes that fail",
		Long: `Nodes predicts the times of queries on nodes that have an equal part of the
documents in memory, by the times that the queries of the trace took, extended
to the documents of a shard; and how often a shard has no node.`,
		Example: "  pinion-model nodes 1m.trace --nodes 100 --replicas 2,4",
		Args:    cli.Want("TRACE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := readTrace(args[0])
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			fleet := newTable(w, "replicas", "shards", "M docs/shard", "nodes fail a year", "hours/year with one replica", "outages/year", "s/year without a shard", "by formula")
			for _, f.Replicas = range replicas {
				f.Shards = nodes / f.Replicas
				o, years := f.Run(), f.Time.Hours()/8760
				fleet.row(f.Replicas, f.Shards, float64(docs)/float64(f.Shards)/1e6, float64(o.Failures)/years, o.Lone.Hours()/years,
					float64(o.Outages)/years, o.Down.Seconds()/years, f.Down()*8760*3600)
			}
			if err := fleet.w.Flush(); err != nil {
				return err
			}
			fmt.Fprintln(w)
			out := newTable(w, "replicas", "load", "queries/s", "nodes", "p50 ms", "p99", "p99.9", "slowest", "failed", "sent again", "$/M queries")
			for _, c.Replicas = range replicas {
				c.Shards = nodes / c.Replicas
				c.Service = nil
				for _, q := range t.Grow(docs / c.Shards).Queries {
					c.Service = append(c.Service, q.CPU)
				}
				for _, load := range loads {
					c.Rate = c.Load(load)
					for _, state := range []string{"all", "one down, known", "not known"} {
						c := c
						c.Since = time.Duration(float64(c.Queries) / c.Rate / 4 * float64(time.Second))
						switch state {
						case "one down, known":
							c.Kill = c.Since
						case "not known":
							c.Kill, c.Known = c.Since, math.MaxInt64/2
						}
						got := c.Run()
						out.row(c.Replicas, load, c.Rate, state, model.Quantile(got.Times, 0.5), model.Quantile(got.Times, 0.99), model.Quantile(got.Times, 0.999),
							model.Quantile(got.Times, 1), got.Failed, float64(got.Again)/float64(got.Requests), float64(nodes)*hour/3600*1e6/c.Rate)
					}
				}
			}
			return out.w.Flush()
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&docs, "docs", docs, "documents `N`")
	fl.IntVar(&nodes, "nodes", nodes, "nodes `N`")
	fl.IntSliceVar(&replicas, "replicas", replicas, "nodes of each shard")
	fl.Float64SliceVar(&loads, "load", loads, "shares of what nodes bear")
	fl.IntVar(&c.Cores, "cores", c.Cores, "cores of a node")
	fl.Float64Var(&c.Spread, "spread", c.Spread, "standard deviation of the logarithm of a shard's time for a query")
	fl.Float64Var(&c.Stalls, "stalls", c.Stalls, "share of searches held up by a pause of the node")
	fl.DurationVar(&c.Stall, "stall", c.Stall, "mean length of such a pause")
	fl.DurationVar(&c.Net, "net", c.Net, "time of a request and its answer on the network")
	fl.IntVar(&c.Queries, "queries", c.Queries, "queries `N` to simulate")
	fl.Uint64Var(&c.Seed, "seed", c.Seed, "seed of the simulation")
	fl.BoolVar(&c.NoHedge, "no-hedge", false, "send nothing again")
	fl.DurationVar(&f.MTBF, "mtbf", f.MTBF, "mean time until a node fails")
	fl.DurationVar(&f.Repair, "repair", f.Repair, "mean time until it is back")
	fl.Float64Var(&hour, "hour", hour, "dollars for a node for an hour")
	return cmd
}
