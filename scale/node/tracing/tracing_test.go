package tracing

import (
	"errors"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/pinion-index/pinion/scale/node"
)

// A request is a child of what its context has, as long as it took.
func TestObserve(t *testing.T) {
	ended := tracetest.NewSpanRecorder()
	tracer := sdk.NewTracerProvider(sdk.WithSpanProcessor(ended)).Tracer("test")
	ctx, parent := tracer.Start(t.Context(), "http")
	Observe(tracer)(node.Observation{Context: ctx, What: "search", Began: time.Now(), Took: 7 * time.Millisecond, Nodes: time.Millisecond, Rounds: 2, Attempts: 6, Err: errors.New("no")})
	all := ended.Ended()
	if len(all) != 1 {
		t.Fatalf("%d spans", len(all))
	}
	s := all[0]
	if s.Name() != "pinion.search" || s.Parent().SpanID() != parent.SpanContext().SpanID() || s.EndTime().Sub(s.StartTime()) != 7*time.Millisecond || s.Status().Code != codes.Error {
		t.Errorf("%+v", s)
	}
	want := attribute.NewSet(attribute.Int("pinion.rounds", 2), attribute.Int("pinion.attempts", 6), attribute.Int("pinion.node_us", 1000))
	if got := attribute.NewSet(s.Attributes()...); !got.Equals(&want) {
		t.Errorf("%v", s.Attributes())
	}
}
