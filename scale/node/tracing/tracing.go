// Package tracing makes spans for OpenTelemetry of the requests that a node.Router answers.
package tracing

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/pinion-index/pinion/scale/node"
)

// Observe returns what makes a span of each request, for node.RouterOptions.Observe: a child of the span in the request's
// context, with the rounds, the attempts, and the microseconds in which the slowest nodes searched.
func Observe(t trace.Tracer) func(node.Observation) {
	return func(o node.Observation) {
		_, s := t.Start(o.Context, "pinion."+o.What, trace.WithTimestamp(o.Began), trace.WithAttributes(
			attribute.Int("pinion.rounds", o.Rounds),
			attribute.Int("pinion.attempts", o.Attempts),
			attribute.Int64("pinion.node_us", o.Nodes.Microseconds())))
		if o.Err != nil {
			s.SetStatus(codes.Error, o.Err.Error())
		}
		s.End(trace.WithTimestamp(o.Began.Add(o.Took)))
	}
}
