package node

import (
	"fmt"
	"io"
	"sync/atomic"
)

// metrics are sums over the requests of a Router.
type metrics struct {
	requests, failed, rounds, attempts atomic.Uint64
	took, nodes                        atomic.Int64 // nanoseconds
}

func (m *metrics) add(o *Observation) {
	m.requests.Add(1)
	if o.Err != nil {
		m.failed.Add(1)
	}
	m.rounds.Add(uint64(o.Rounds))
	m.attempts.Add(uint64(o.Attempts))
	m.took.Add(int64(o.Took))
	m.nodes.Add(int64(o.Nodes))
}

// WriteMetrics writes sums over all requests in Prometheus' text format, as httpapi.Options.Metrics takes it. Attempts beyond
// rounds times shards are those that were sent again.
func (r *Router) WriteMetrics(w io.Writer) {
	m, shards, onDevices, revision := &r.metrics, 0, 0, uint64(0)
	if v := r.view.Load(); v != nil {
		shards, revision = len(v.Shards), v.revision
		for i := range v.Shards {
			if len(v.Shards[i].Devices) > 0 {
				onDevices++
			}
		}
	}
	for _, x := range []struct {
		name, kind, help string
		value            any
	}{
		{"pinion_router_requests_total", "counter", "Searches, counts and suggestions.", m.requests.Load()},
		{"pinion_router_failed_total", "counter", "Those that ended with an error.", m.failed.Load()},
		{"pinion_router_rounds_total", "counter", "How many times all shards were asked.", m.rounds.Load()},
		{"pinion_router_attempts_total", "counter", "Requests to nodes, those sent again included.", m.attempts.Load()},
		{"pinion_router_seconds_total", "counter", "Time that requests took.", float64(m.took.Load()) / 1e9},
		{"pinion_router_node_seconds_total", "counter", "The part of it in which the slowest node of each round searched.", float64(m.nodes.Load()) / 1e9},
		{"pinion_router_shards", "gauge", "Shards in the map; 0 before all are there.", shards},
		{"pinion_router_gpu_shards", "gauge", "Those that a node answers on a GPU.", onDevices},
		{"pinion_router_map_revision", "gauge", "The state of the map.", revision},
	} {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n%s %v\n", x.name, x.help, x.name, x.kind, x.name, x.value)
	}
}
