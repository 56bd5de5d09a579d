package idxbuild

import (
	"bytes"
	"context"
	"slices"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// sample counts words of the texts that are added first.
type sample struct{ bytes, words, common int }

// sampleBytes is how much text a sample takes.
const sampleBytes = 64 << 10

// commonWords are words that make up an eighth of English text, and little of any other.
var commonWords = []string{"the", "of", "and", "that", "with"}

func (s *sample) add(text []byte) {
	if s.bytes >= sampleBytes {
		return
	}
	text = text[:min(len(text), sampleBytes-s.bytes)]
	s.bytes += len(text)
	for word := range bytes.FieldsSeq(text) {
		s.words++
		if len(word) <= 4 && slices.Contains(commonWords, string(bytes.ToLower(word))) {
			s.common++
		}
	}
}

// english reports whether the texts look English: whether one in 14 words of the first 64 KiB, of which there are 100 at least, is the,
// of, and, that or with.
func (s *sample) english() bool { return s.words >= 100 && s.common*14 >= s.words }

// sampled are changes of which the texts go into a sample too.
type sampled struct {
	changes
	sample *sample
}

// Add implements changes.
func (c sampled) Add(ctx context.Context, d writer.Doc) error {
	for i := range d.Values {
		if d.Values[i].Kind == schema.Text {
			c.sample.add(d.Values[i].Bytes())
		}
	}
	return c.changes.Add(ctx, d)
}

// unnamed reports whether documents have one text, or a field of text that names no analyzer.
func unnamed(s *schema.Schema) bool {
	return s == nil || s.Language == "" && slices.ContainsFunc(s.Fields, func(f schema.Field) bool {
		return f.Kind == schema.Text && f.Indexing() != schema.IndexNone && f.Analyzer == ""
	})
}
