package pinion

import (
	"cmp"
	"fmt"
	"time"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Defaults of Options.
const (
	DefaultDurable    = time.Second
	DefaultSlow       = 100 * time.Millisecond
	DefaultCacheBytes = 512 << 10
	DefaultMemory     = 64 << 20
)

// Options configure an Index. The zero value means the defaults.
type Options struct {
	// Schema describes the documents. Nil means the schema of the index, or the implicit one for a new
	// index: documents of one text, which is stored. schema.Implicit("", "", false) is that without storing it, so that pages
	// cannot show texts. A schema may be older than the index's: fields that it does not have stay,
	// and so it may be newer (Evolve). writer.Options says what else may differ.
	Schema *schema.Schema
	// Analyzer cuts documents of one text into terms. Nil means the analyzer of the index, or
	// standard for a new one, and one with the default options of its name stands for those that the index has. It must be what its name
	// and Options make (analysis.New): a program registers its own. With a schema each field has its own.
	Analyzer analysis.Analyzer
	// Language is what texts are in, by its tag (BCP 47), such as en or pt-BR: its analyzer cuts documents of one text, and fields of text
	// whose Analyzer and Options are empty (analysis.ForLanguage). An index that was made with another one is an error. Languages
	// other than English need an import of analysis/languages; the error says so.
	Language string
	// Order, if it is not "", is the writer.OrderField by which the documents of each segment are
	// sorted: of a new index, or as the index has it. "" means what the index has.
	Order writer.Order
	// Visible is by how long searches may lag behind changes. 0 means not at all: one that begins when Add, Delete or
	// DeleteWhere has returned sees what it did, and waits for a publication if it must, which other searches share. Above 0
	// no search waits, and a change is normally seen after that time. A publication then begins early by twice what the last
	// one took; one that waits for a commit under way, or takes longer than that, is late by as much.
	Visible time.Duration
	// Durable is how long after its call has returned a change normally survives a crash: 0 means
	// DefaultDurable. A commit begins early by twice what the last one took, so it is through in time
	// unless it takes more than twice as long, or the machine is too busy to begin it: it is late by
	// as much then. Commits that take longer than Durable follow each other without a pause. What must survive waits:
	// SyncEach and Sync promise it.
	Durable time.Duration
	// SyncEach says that Add, Delete and DeleteWhere return when their change survives a crash. Calls of many goroutines
	// share a commit.
	SyncEach bool
	// Observe, if not nil, is called with what happens. It is called by one goroutine at a
	// time and should return soon. It must not call the Index.
	Observe func(Event)
	// Slow is how long a search takes that Observe is told of. 0 means DefaultSlow.
	Slow time.Duration
	// CacheBytes bounds the memory for pages that were asked for. 0 means DefaultCacheBytes.
	CacheBytes int
	// NoCache says that no pages are kept.
	NoCache bool
	// Memory is the memory budget for writing, as in writer.Options. 0 means DefaultMemory. It
	// bounds the size of a document, to a quarter of it: 16 MiB by default.
	Memory int64
	// Threads is the number of goroutines that cut documents into terms; 0 means
	// runtime.GOMAXPROCS.
	Threads int
	// KeepCommits is how many commits are kept, as in writer.Options.
	KeepCommits int
	// Params, where they are not 0, are the parameters of BM25 in place of those of the schema. Those of a Request are in place of both.
	Params query.Params
	// Executor, if not nil, answers searches in place of the CPU. Close it after the Index.
	Executor Executor
	// Embed says which vectors are made of texts, of documents and queries: one for each field of vectors, at most.
	Embed []Embed
}

// withDefaults sets the defaults, except for Analyzer, and checks what others do not.
func (o Options) withDefaults() (Options, error) {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&o.Durable, DefaultDurable)
	set(&o.Slow, DefaultSlow)
	var err error
	if o.CacheBytes, err = cacheBytes(o.CacheBytes, o.NoCache); err != nil {
		return o, err
	}
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	switch {
	case o.Visible < 0:
		return o, fmt.Errorf("%w: Visible is %v: 0 means that searches do not lag", ErrInvalid, o.Visible)
	case o.Slow < 0:
		return o, fmt.Errorf("%w: Slow is %v", ErrInvalid, o.Slow)
	case o.Durable < 0:
		return o, fmt.Errorf("%w: Durable is %v: SyncEach makes each change durable before its call returns", ErrInvalid, o.Durable)
	}
	if o.Language != "" {
		if err := o.setLanguage(); err != nil {
			return o, err
		}
	}
	if o.Analyzer != nil && o.Schema != nil {
		return o, o.setAnalyzer()
	}
	return o, nil
}

// cacheBytes returns the room of a cache of pages.
func cacheBytes(bytes int, none bool) (int, error) {
	switch {
	case bytes < 0 || none && bytes > 0:
		return 0, fmt.Errorf("%w: a cache of %d bytes, NoCache %t", ErrInvalid, bytes, none)
	case none:
		return 0, nil
	}
	return cmp.Or(bytes, DefaultCacheBytes), nil
}

// setLanguage has the analyzer of Language where no other is named.
func (o *Options) setLanguage() error {
	name, ok := analysis.ForLanguage(o.Language)
	if !ok {
		return fmt.Errorf("%w: Language is %q, for which there is no analyzer: without, texts are cut by standard", ErrInvalid, o.Language)
	}
	a, err := analysis.New(name, "")
	switch {
	case err != nil:
		return fmt.Errorf("%w: Language is %q: %w", ErrInvalid, o.Language, err)
	case o.Analyzer != nil:
		return fmt.Errorf("%w: Language is %q, and there is an Analyzer", ErrInvalid, o.Language)
	case o.Schema == nil:
		o.Analyzer = a
		return nil
	}
	if l := o.Schema.Language; l != "" && l != o.Language {
		return fmt.Errorf("%w: Language is %q, and in the schema %q", ErrInvalid, o.Language, l)
	}
	o.Schema = o.Schema.Clone()
	o.Schema.Language = o.Language
	return nil
}

// setAnalyzer makes Analyzer that of Schema, the implicit one.
func (o *Options) setAnalyzer() error {
	if !o.Schema.IsImplicit() {
		return fmt.Errorf("%w: there is an Analyzer, and in the schema each field has its own", ErrInvalid)
	}
	name, options := analyzerOf(o.Analyzer)
	s := o.Schema.Clone()
	f := &s.Fields[0]
	if f.Options != "" {
		a, err := analysis.New(f.Analysis())
		if err != nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		f.Analyzer, f.Options = a.Name(), a.Options()
	}
	if s.Language != "" || f.Analyzer != "" && f.Analyzer != name || f.Options != "" && f.Options != o.Analyzer.Options() {
		return fmt.Errorf("%w: the Analyzer is %s(%s), in the schema it is %q(%s), the language %q", ErrInvalid, name, o.Analyzer.Options(), f.Analyzer, f.Options, s.Language)
	}
	f.Analyzer, f.Options = name, cmp.Or(f.Options, options)
	o.Schema = s
	return nil
}

// analyzerOf returns what a schema has of an analyzer: without options, if they are the defaults, for those that the index has.
func analyzerOf(a analysis.Analyzer) (name, options string) {
	if d, err := analysis.New(a.Name(), ""); err == nil && d.Options() == a.Options() {
		return a.Name(), ""
	}
	return a.Name(), a.Options()
}

// text returns the schema for documents of one text that Analyzer asks for, and stored, or nil if neither asks for anything.
func (o *Options) text(stored bool) *schema.Schema {
	switch {
	case o.Analyzer != nil:
		name, options := analyzerOf(o.Analyzer)
		return schema.Implicit(name, options, stored)
	case stored:
		return schema.Implicit("", "", true)
	}
	return nil
}

// writer returns the options of the writer.
func (o *Options) writer() writer.Options {
	return writer.Options{Schema: o.Schema, Order: o.Order, Memory: o.Memory, Threads: o.Threads, KeepCommits: o.KeepCommits}
}
