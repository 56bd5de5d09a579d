package sim

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"runtime"

	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/choose"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Past is what an index has that the options of its next Writer may leave to it.
type Past struct {
	Stored bool // its documents' texts are stored, or will be
	Exists bool // a commit
	Filled bool // documents

	Fields bool           // whether it has a schema, or will
	Schema *schema.Schema // of the commit
}

// DrawOptions draws all options of a Writer, each independently of the others as far as they go
// together: a defect may need two that are seldom used together.
func DrawOptions(r *rand.Rand, p Past) writer.Options {
	o := writer.Options{
		Memory:       int64(r.IntN(4)) * writer.MinMemory, // 0 is the default
		Threads:      r.IntN(4),
		Schema:       schema.Implicit("", "", p.Stored && (!p.Filled || r.IntN(2) == 0)),
		KeepCommits:  r.IntN(4),
		Perm:         fs.FileMode(r.IntN(2) * 0o640), // not of files in memory
		MergePolicy:  drawPolicy(r),
		MergeRate:    int64(r.IntN(2)) << (20 + r.IntN(10)),
		MergeThreads: r.IntN(3),
	}
	if p.Fields {
		o.Schema = drawSchema(r, p.Schema)
		if p.Schema == nil { // later ones keep it
			o.Order = drawOrder(r, o.Schema)
		}
	} else if text := &o.Schema.Fields[0]; !p.Exists || r.IntN(2) == 0 {
		text.Analyzer = "whitespace"
	} else if !text.Stored {
		o.Schema = nil // that of the index
	}
	docs, freqs := drawCodecs(r)
	o.DocsCodec, o.FreqsCodec = codec.Name(docs), codec.Name(freqs)
	if r.IntN(2) == 0 {
		o.MergeFailed = func(error) { runtime.Gosched() }
	}
	if r.IntN(2) == 0 {
		o.Refused = func([]byte, error) { runtime.Gosched() }
	}
	if r.IntN(2) == 0 {
		o.Merged = func(writer.MergeStats) { runtime.Gosched() }
	}
	if r.IntN(2) == 0 {
		o.Progress = func(writer.Progress) { runtime.Gosched() }
	}
	return o
}

// drawOrder draws the order of documents: none, or by one of the columns.
func drawOrder(r *rand.Rand, s *schema.Schema) writer.Order {
	if f := s.Fields[r.IntN(len(s.Fields))]; f.Column {
		return writer.OrderField(f.Name, r.IntN(2) == 0)
	}
	return ""
}

// drawCodecs draws codecs that go together, or nil for some, and a policy for those that it can replace.
func drawCodecs(r *rand.Rand) (docs, freqs codec.Codec) {
	codecs, usual := registry.All(), choose.Candidates()[0].BlockLen()
	length := func(c codec.Codec) int {
		if c == nil {
			return usual
		}
		return c.BlockLen()
	}
	if r.IntN(2) == 0 {
		docs = codecs[r.IntN(len(codecs))]
	}
	if r.IntN(2) == 0 {
		freqs = codecs[r.IntN(len(codecs))]
	}
	switch {
	case length(docs) == length(freqs):
	case docs == nil:
		docs = freqs
	default:
		freqs = docs
	}
	return docs, freqs
}

// drawPolicy draws a MergePolicy: the default one, none, or one that merges early.
func drawPolicy(r *rand.Rand) writer.MergePolicy {
	switch r.IntN(4) {
	case 0:
		return writer.NoMerges
	case 1:
		return writer.Tiered{PerTier: 2 + r.IntN(3), MinSize: 1 << r.IntN(12), MaxSize: 1 << (8 + r.IntN(12)), MaxDeleted: 1 + r.IntN(60)}.Runs
	}
	return nil
}

func describe(o writer.Options) string {
	return fmt.Sprintf("%d bytes, %d threads, keeps %d, codecs %q and %q, merges: policy %v, %d bytes a second, %d threads; callbacks %v %v, schema %v",
		o.Memory, o.Threads, o.KeepCommits, o.DocsCodec, o.FreqsCodec,
		o.MergePolicy != nil, o.MergeRate, o.MergeThreads, o.MergeFailed != nil, o.Progress != nil, describeSchema(o.Schema))
}

func describeSchema(s *schema.Schema) string {
	if s == nil {
		return "none"
	}
	text, err := s.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	return string(text)
}
