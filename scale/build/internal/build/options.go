package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	"gocloud.dev/blob"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/scale/bucket"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// ErrInvalid is matched by the errors of options and arguments that make no sense.
var ErrInvalid = errors.New("build: invalid argument")

const (
	// DefaultPartitions is the default of Options.Partitions.
	DefaultPartitions = 8
	// DefaultMemory is the default of Options.Memory.
	DefaultMemory = 128 << 20
	// MaxShards and MaxPartitions are the greatest numbers of shards, and of partitions of all shards.
	MaxShards, MaxPartitions = 1024, 1 << 14
)

// Options say how an index is built. The zero value means the defaults. Answers depend on what the index is, and on Shards and
// Partitions; all else is about speed.
type Options struct {
	// Documents says how each input is read. Its Schema is that of the index; nil means documents of one text. AutoID and
	// formats that make ids up need inputs that are local files.
	Documents exchange.DocumentOptions
	// Analyzer and AnalyzerOptions name the analyzer of an index without a schema; "" means standard.
	Analyzer, AnalyzerOptions string
	// Stored is whether an index without a schema stores the texts of documents.
	Stored bool
	// Skip passes over bad documents, which otherwise fail the build.
	Skip bool

	// Shards is the number of indexes: 0 means 1. If there are more, that of shard 3 lies in the folder shard-0003 below
	// the URL, and has the documents for whose ids the hash xxHash64 has 3 as its remainder, as node.ShardOf says.
	Shards int
	// Partitions is into how many parts the documents of a shard are divided, each of which is written by one worker;
	// 0 means DefaultPartitions. It determines the order of documents. One partition takes up to 2 GB of documents with the runner
	// Prism, which also keeps all of them in memory.
	Partitions int
	// Segments is how many segments a shard has: 0 means 1. Each is of as many neighboring partitions, which one worker joins. It is
	// at most Partitions.
	Segments int
	// Memory is the budget of each writer (writer.Options.Memory): 0 means DefaultMemory.
	Memory int64
	// Workers is how many bundles of work a process does at the same time: 0 means one for each CPU. Runners may do fewer.
	Workers int
	// Scratch is the local folder for files of bundles; "" means that of temporary files.
	Scratch string
}

// job is a build, as it travels to workers in JSON.
type job struct {
	URL     string
	Options Options
}

// newJob checks a job and sets its defaults.
func newJob(url string, inputs []string, o Options) (*job, error) {
	invalid := func(msg string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(msg, args...))
	}
	o.Shards, o.Partitions, o.Segments = cmp.Or(o.Shards, 1), cmp.Or(o.Partitions, DefaultPartitions), cmp.Or(o.Segments, 1)
	o.Memory = cmp.Or(o.Memory, DefaultMemory)
	d := o.Documents
	switch {
	case len(inputs) == 0:
		return nil, invalid("no inputs")
	case o.Shards < 1 || o.Shards > MaxShards:
		return nil, invalid("%d shards, not 1 to %d", o.Shards, MaxShards)
	case o.Partitions < 1 || o.Partitions > MaxPartitions/o.Shards:
		return nil, invalid("%d partitions of each of %d shards, not 1 to %d in all", o.Partitions, o.Shards, MaxPartitions)
	case o.Segments < 1 || o.Segments > o.Partitions:
		return nil, invalid("%d segments of %d partitions", o.Segments, o.Partitions)
	case o.Memory < writer.MinMemory:
		return nil, invalid("%d bytes of memory, at least %d are needed", o.Memory, writer.MinMemory)
	case o.Workers < 0:
		return nil, invalid("%d workers", o.Workers)
	case d.Schema != nil && (o.Analyzer != "" || o.AnalyzerOptions != "" || o.Stored):
		return nil, invalid("an analyzer or stored texts of an index with a schema, which has its own")
	case d.Format.Postings():
		return nil, invalid("%s holds posting lists, not documents", d.Format)
	}
	for _, in := range inputs {
		if in == exchange.Stdin {
			return nil, invalid("standard input cannot be read by workers")
		}
		if d.AutoID && isURL(in) {
			return nil, invalid("ids are made up of paths, but %s is a URL", in)
		}
	}
	if strings.HasPrefix(url, "mem:") {
		return nil, invalid("%s: workers do not share memory", url)
	}
	j := &job{url, o}
	_, err := j.writer(1)
	return j, err
}

// isURL reports whether an input is a URL, not a local path.
func isURL(input string) bool { return strings.Contains(input, "://") }

// writer returns the options of a writer of so many threads.
func (j *job) writer(threads int) (writer.Options, error) {
	o := writer.Options{Schema: j.Options.Documents.Schema, Memory: j.Options.Memory, Threads: threads, MergePolicy: writer.NoMerges}
	if o.Schema != nil {
		return o, nil
	}
	o.Schema = schema.Implicit(cmp.Or(j.Options.Analyzer, "standard"), j.Options.AnalyzerOptions, j.Options.Stored)
	_, err := analysis.New(o.Schema.Fields[0].Analysis())
	return o, err
}

// partition returns the number of the partition of a document: the partitions of the first shard come first.
func (j *job) partition(id []byte) int {
	h, shards, each := xxhash.Sum64(id), uint64(j.Options.Shards), uint64(j.Options.Partitions)
	return int(h%shards*each + h/shards%each)
}

// group returns the number of the segment that a partition goes into: the segments of the first shard come first.
func (j *job) group(partition int) int {
	shard, p := partition/j.Options.Partitions, partition%j.Options.Partitions
	return shard*j.Options.Segments + p*j.Options.Segments/j.Options.Partitions
}

// shard returns the URL of the index of a shard.
func (j *job) shard(n int) (string, error) {
	if j.Options.Shards == 1 {
		return j.URL, nil
	}
	u, err := url.Parse(j.URL)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return u.JoinPath(fmt.Sprintf("shard-%04d", n)).String(), nil
}

// open opens the bucket of a shard.
func (j *job) open(ctx context.Context, shard int) (*blob.Bucket, error) {
	url, err := j.shard(shard)
	if err != nil {
		return nil, err
	}
	return bucket.CreateURL(ctx, url)
}

// slots are what bundles hold while they work, by the value of Options.Workers.
var slots sync.Map

// begin waits until the process may do one more bundle, which end ends.
func (j *job) begin(ctx context.Context) (end func(), err error) {
	n := cmp.Or(j.Options.Workers, runtime.GOMAXPROCS(0))
	x, _ := slots.LoadOrStore(n, make(chan struct{}, n))
	slot := x.(chan struct{})
	select {
	case slot <- struct{}{}:
		return func() { <-slot }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
