package build

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/pinion-index/pinion/scale/bucket"
)

func init() {
	register.DoFn2x0[[]byte, func(int64, string)](&listFn{})
	register.DoFn4x1[context.Context, int64, string, func(int64, []byte), error](&readFn{})
	register.DoFn4x1[context.Context, int64, func(*[]byte) bool, func(int64, []byte), error](&writeFn{})
	register.DoFn4x1[context.Context, int64, func(*[]byte) bool, func([]byte), error](&mergeFn{})
	register.DoFn3x1[context.Context, []byte, func(*[]byte) bool, error](&commitFn{})
	register.Emitter2[int64, string]()
	register.Emitter2[int64, []byte]()
	register.Emitter1[[]byte]()
	register.Iter1[[]byte]()
}

// Add adds to a pipeline the steps that build the index of the documents of inputs in the bucket of a URL, as
// bucket.OpenURL takes it. Inputs are local paths or URLs of objects that exchange.OpenDocuments reads; each is read by one worker.
// All workers must reach the inputs and the bucket, and the program must import the drivers of URLs. If there is an
// index at the URL already, the error matches bucket.ErrConflict.
func Add(ctx context.Context, s beam.Scope, url string, inputs []string, o Options) error {
	j, err := newJob(url, inputs, o)
	if err != nil {
		return err
	}
	if err := j.checkNew(ctx); err != nil {
		return err
	}
	s = s.Scope("pinion")
	listed := beam.ParDo(s, &listFn{inputs}, beam.Impulse(s))
	blocks := beam.ParDo(s, &readFn{*j}, beam.Reshuffle(s, listed))
	parts := beam.ParDo(s, &writeFn{*j}, beam.GroupByKey(s, blocks))
	joined := beam.ParDo(s, &mergeFn{*j}, beam.GroupByKey(s, parts))
	beam.ParDo0(s, &commitFn{*j}, beam.Impulse(s), beam.SideInput{Input: joined})
	return nil
}

// checkNew returns an error if there is an index where one is to be built.
func (j *job) checkNew(ctx context.Context) error {
	for shard := range j.Options.Shards {
		b, err := j.open(ctx, shard)
		if err != nil {
			return err
		}
		there := false
		if err = bucket.Prove(ctx, b); err == nil {
			there, err = bucket.Exists(ctx, b)
		}
		if err := errors.Join(err, b.Close()); err != nil {
			return err
		}
		if there {
			url, err := j.shard(shard)
			return errors.Join(err, fmt.Errorf("build: there is an index at %s: %w", url, bucket.ErrConflict))
		}
	}
	return nil
}

// Result says what a build has done.
type Result struct {
	Read    int64 // documents
	Skipped int64 // bad ones, with Options.Skip
	// NotUTF8 are documents, and Undecoded characters, as exchange.Documents counts them.
	NotUTF8, Undecoded int64
}

// Run builds an index by a pipeline of its own (Add) with the runner of a name that is registered, such as prism. beam.Init must have been called.
// It waits for the end. If it fails, there is no index at the URL, or if there are several shards, perhaps some of them; the same
// build then has to go elsewhere.
func Run(ctx context.Context, runner, url string, inputs []string, o Options) (r Result, err error) {
	p, s := beam.NewPipelineWithRoot()
	if err := Add(ctx, s, url, inputs, o); err != nil {
		return r, err
	}
	res, err := beam.Run(ctx, runner, p)
	if err != nil {
		return r, err
	}
	counted := res.Metrics().Query(func(x metrics.SingleResult) bool { return x.Namespace() == "pinion" })
	for _, c := range counted.Counters() {
		switch c.Key.Name {
		case "read":
			r.Read += c.Result()
		case "skipped":
			r.Skipped += c.Result()
		case "not UTF-8":
			r.NotUTF8 += c.Result()
		case "undecoded":
			r.Undecoded += c.Result()
		}
	}
	return r, nil
}
