package pinion

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/schema"
)

// Embed says how the vectors of a field are made of texts: those of documents, which From names, when they are added, and those
// of queries (query.Nearest.Text), when they are searched for. A function of package embedding, or of the program, asks the model.
type Embed struct {
	// Field is the field of vectors. Its schema.Field.Model should name the model: then an index refuses vectors of another.
	Field string
	// From are the fields of text or keywords whose values are embedded, when a document is added that has no vector in Field itself:
	// each value gives a vector, or several (Split), in the order of From, of the values and of their parts. Texts without anything but
	// white space give none. A ReaderOptions has no use for From.
	From []string
	// Texts returns a vector of each text, in their order. It is called with up to Batch texts that are not in Cache, each once, and may be
	// called by several goroutines at a time. What it returns must not change afterwards.
	Texts func(ctx context.Context, texts []string) ([][]float32, error)
	// Queries does so for texts of queries, of models that tell these from documents. Nil means Texts.
	Queries func(ctx context.Context, texts []string) ([][]float32, error)
	// Split, unless nil, returns the parts of a text, of which each gives a vector. The nearest part of a document counts.
	Split func(text string) []string
	// Batch is the greatest number of texts of a call. 0 means DefaultEmbedBatch.
	Batch int
	// Cache keeps vectors of documents' texts, so that only new and changed texts are embedded. Nil means memory of DefaultEmbedBytes. Others
	// need a schema.Field.Model, which tells the vectors of a model from those of others.
	Cache EmbedCache
}

// Defaults of Embed.
const (
	DefaultEmbedBatch = 64
	DefaultEmbedBytes = 32 << 20
)

// EmbedCache keeps vectors by the name of their model and their text. It is safe for concurrent use. That of package embedding is a file.
type EmbedCache interface {
	// Get returns the vector of a text, or nil. It is not modified. One that a field cannot have is as good as none.
	Get(model, text string) []float32
	// Put keeps the vector of a text, which must not change afterwards. Observe is told of an error, as an EventEmbed; all else goes on.
	Put(model, text string, vector []float32) error
}

// ErrEmbed is matched by the errors of texts that could not be embedded, because a function of Embed failed or has not returned the
// vectors it should have. They name the document, if it is of one, and the field. Nothing was added then, and the Index remains usable.
var ErrEmbed = errors.New("cannot embed a text")

// check returns what is wrong with e in an index with a schema, whose field it returns.
func (e *Embed) check(s *schema.Schema) (*schema.Field, error) {
	f, ok := s.Field(e.Field)
	bad := func(text string, args ...any) error {
		return fmt.Errorf("%w: Embed of field %q: %s", ErrInvalid, e.Field, fmt.Sprintf(text, args...))
	}
	switch {
	case !ok:
		return nil, bad("there is no such field")
	case f.Kind != schema.Vector:
		return nil, bad("it is of kind %v, not vector", f.Kind)
	case e.Texts == nil:
		return nil, bad("there is no function Texts")
	case e.Batch < 0:
		return nil, bad("batches of %d texts", e.Batch)
	case e.Cache != nil && f.Model == "":
		return nil, bad("a Cache of vectors of no model: schema.Field.Model names it")
	}
	for i, name := range e.From {
		switch from, ok := s.Field(name); {
		case slices.Contains(e.From[:i], name):
			return nil, bad("it is from field %q twice", name)
		case !ok:
			return nil, bad("there is no field %q that it is from", name)
		case from.Kind != schema.Text && from.Kind != schema.Keyword:
			return nil, bad("it is from field %q of kind %v, which has no texts", name, from.Kind)
		case from.Of != "":
			return nil, bad("it is from field %q, which has the values of field %q: name that one", name, from.Of)
		}
	}
	return f, nil
}

// setEmbeds sets what x embeds texts by.
func (x *front) setEmbeds(all []Embed, s *schema.Schema) error {
	for i := range all {
		f, err := all[i].check(s)
		if err != nil {
			return err
		}
		if x.embedder(f.Name) != nil {
			return fmt.Errorf("%w: Embed of field %q is there twice", ErrInvalid, f.Name)
		}
		x.embeds = append(x.embeds, newEmbedder(all[i], f))
	}
	return nil
}

// embedder returns what embeds texts for a field, or nil.
func (x *front) embedder(field string) *embedder {
	i := slices.IndexFunc(x.embeds, func(e *embedder) bool { return e.Field == field })
	if i < 0 {
		return nil
	}
	return x.embeds[i]
}

// embed sets the vectors of the texts in nodes of r, which are copied.
func (v *View) embed(ctx context.Context, r *Request) (err error) {
	if v.f == nil || len(v.f.embeds) == 0 {
		return nil
	}
	for _, n := range r.own() {
		if *n, err = v.embedded(ctx, *n); err != nil {
			return err
		}
	}
	return nil
}

// embedded returns a node with the vectors of its texts. Those of fields that nothing embeds stay as they are, for the search to refuse.
func (v *View) embedded(ctx context.Context, n query.Node) (query.Node, error) {
	if v.f == nil || len(v.f.embeds) == 0 || n == nil {
		return n, nil
	}
	return query.Embed(n, func(field, text string) ([]float32, error) {
		e := v.f.embedder(field)
		if e == nil {
			return nil, nil
		}
		return e.ofQuery(orBackground(ctx), text)
	})
}
