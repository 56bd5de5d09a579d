package pinion

import (
	"fmt"
	"time"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Defaults of Options.
const (
	DefaultVisible    = 100 * time.Millisecond
	DefaultDurable    = time.Second
	DefaultSlow       = 100 * time.Millisecond
	DefaultCacheBytes = 512 << 10
	DefaultMemory     = 64 << 20
)

// Options configure an Index. The zero value means the defaults.
type Options struct {
	// Schema describes the documents. Nil means the schema of the index, or none for a new
	// index: documents of one text. writer.Options says what may differ from the index's.
	Schema *schema.Schema
	// Analyzer cuts documents of one text into terms. Nil means the analyzer of the index, or
	// standard for a new one. With a schema each field has its own.
	Analyzer analysis.Analyzer
	// Order, if it is not "", is the writer.OrderField by which the documents of each segment are
	// sorted: of a new index, or as the index has it. "" means what the index has.
	Order writer.Order
	// Unstored says that the texts of a new index without a schema are not stored, so that
	// pages cannot show them.
	Unstored bool
	// Visible bounds how long it takes until searches see a change: 0 means
	// DefaultVisible. If it is negative, Add and Delete return when they do.
	Visible time.Duration
	// Durable bounds how long it takes until a change survives a crash: 0 means
	// DefaultDurable. If it is negative, Add and Delete return when it does.
	Durable time.Duration
	// Observe, if not nil, is called with what happens. It is called by one goroutine at a
	// time and should return soon. It must not call the Index.
	Observe func(Event)
	// Slow is how long a search takes that Observe is told of. 0 means DefaultSlow, a negative
	// value none.
	Slow time.Duration
	// CacheBytes bounds the memory for pages that were asked for. 0 means DefaultCacheBytes, a
	// negative value none.
	CacheBytes int
	// Memory is the memory budget for writing, as in writer.Options. 0 means DefaultMemory. It
	// bounds the length of a document's text, to a thirty-second of it.
	Memory int64
	// Threads is the number of goroutines that cut documents into terms; 0 means
	// runtime.GOMAXPROCS.
	Threads int
	// KeepCommits is how many commits are kept, as in writer.Options.
	KeepCommits int
	// Params are the parameters of BM25 where the schema has none.
	Params query.Params
}

// withDefaults sets the defaults, except for Analyzer, and checks what others do not.
func (o Options) withDefaults() (Options, error) {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&o.Visible, DefaultVisible)
	set(&o.Durable, DefaultDurable)
	set(&o.Slow, DefaultSlow)
	if o.CacheBytes == 0 {
		o.CacheBytes = DefaultCacheBytes
	}
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Schema != nil && o.Unstored {
		return o, fmt.Errorf("%w: with a schema, each field says whether it is stored", ErrInvalid)
	}
	return o, nil
}

// writer returns the options of the writer.
func (o *Options) writer() writer.Options {
	return writer.Options{Schema: o.Schema, Order: o.Order, Analyzer: o.Analyzer, Memory: o.Memory, Threads: o.Threads, KeepCommits: o.KeepCommits}
}
