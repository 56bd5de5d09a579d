package pinion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// embedder makes the vectors of a field.
type embedder struct {
	Embed
	field   *schema.Field
	queries *vectorMemory // of texts of queries

	mu      sync.Mutex
	flights map[string]*flight // the texts of documents that are being embedded
}

// flight is a text that one goroutine embeds and others wait for.
type flight struct {
	done   chan struct{}
	vector []float32 // nil if it has failed
}

// maxFailures is how many flights that fail a call waits for: then it embeds the text itself, so that many calls do not wait for each
// other in turn while a model is down.
const maxFailures = 2

// queryBytes is how much memory vectors of texts of queries take.
const queryBytes = 4 << 20

func newEmbedder(e Embed, f *schema.Field) *embedder {
	field := *f
	e.Field, e.From, e.Batch = f.Name, slices.Clone(e.From), cmp.Or(e.Batch, DefaultEmbedBatch)
	if e.Queries == nil {
		e.Queries = e.Texts
	}
	if e.Cache == nil {
		e.Cache = newVectorMemory(DefaultEmbedBytes)
	}
	return &embedder{Embed: e, field: &field, queries: newVectorMemory(queryBytes), flights: map[string]*flight{}}
}

// wording is a text of a document, or a part of one.
type wording struct {
	text  string
	of    int // the number of the change
	field string
}

// addTo adds vectors to the documents of changes that have none, and texts to make them of. A failure of the cache is told to failed.
func (e *embedder) addTo(ctx context.Context, s *schema.Schema, changes []writer.Change, failed func(error)) error {
	number, texts := s.Number(e.Field), []wording(nil)
	for i := range changes {
		if c := &changes[i]; !c.Delete && c.Set == nil && !slices.ContainsFunc(c.Doc.Values, func(v schema.Value) bool { return v.Field == number }) {
			texts = e.textsOf(texts, s, i, c.Doc.Values)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	vectors, err := e.vectors(ctx, texts, changes, failed)
	if err != nil {
		return err
	}
	of := -1
	for _, t := range texts { // those of a document are next to each other
		d := &changes[t.of].Doc
		if t.of != of {
			of, d.Values = t.of, slices.Clip(d.Values) // they may be the caller's
		}
		d.Values = append(d.Values, schema.VectorValue(number, vectors[t.text]))
	}
	return nil
}

// textsOf appends the parts of the texts of a document with these values.
func (e *embedder) textsOf(dst []wording, s *schema.Schema, of int, values []schema.Value) []wording {
	for _, name := range e.From {
		number := s.Number(name)
		for i := range values {
			if values[i].Field != number {
				continue
			}
			whole := string(values[i].Bytes())
			parts := []string{whole}
			if e.Split != nil {
				parts = e.Split(whole)
			}
			for _, p := range parts {
				if strings.TrimSpace(p) != "" {
					dst = append(dst, wording{p, of, name})
				}
			}
		}
	}
	return dst
}

// vectors returns the vector of each of texts.
func (e *embedder) vectors(ctx context.Context, texts []wording, changes []writer.Change, failed func(error)) (found map[string][]float32, err error) {
	found, failures := make(map[string][]float32, len(texts)), map[string]int{}
	for err == nil {
		own, others := e.claim(texts, found, failures)
		if len(own)+len(others) == 0 {
			return found, nil
		}
		err = e.embedOwn(ctx, own, found, changes, failed)
		for t, f := range others {
			if err != nil {
				break
			}
			select {
			case <-f.done:
				if f.vector != nil {
					found[t] = f.vector
				} else {
					failures[t]++
				}
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
	}
	return nil, err
}

// claimed is a text that the caller is to embed.
type claimed struct {
	wording
	flight *flight
}

// claim returns those of texts that are not found and that the caller is to embed, each once, and those that others are about to.
func (e *embedder) claim(texts []wording, found map[string][]float32, failures map[string]int) (own []claimed, others map[string]*flight) {
	twice := map[string]bool{}
	others = map[string]*flight{}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range texts {
		if found[t.text] != nil || twice[t.text] {
			continue
		}
		twice[t.text] = true
		f := e.flights[t.text]
		if f != nil && failures[t.text] < maxFailures {
			others[t.text] = f
			continue
		}
		f = &flight{done: make(chan struct{})}
		e.flights[t.text] = f
		own = append(own, claimed{t, f})
	}
	return own, others
}

// land says that t has a vector, or has none because it could not be embedded.
func (e *embedder) land(t claimed, vector []float32) {
	e.mu.Lock()
	if e.flights[t.text] == t.flight {
		delete(e.flights, t.text)
	}
	e.mu.Unlock()
	t.flight.vector = vector
	close(t.flight.done)
}

// embedOwn adds the vectors of claimed texts to found, from the cache or from the model.
func (e *embedder) embedOwn(ctx context.Context, own []claimed, found map[string][]float32, changes []writer.Change, failed func(error)) error {
	defer func() { // also if a function of the program panics
		for _, t := range own {
			if found[t.text] == nil {
				e.land(t, nil)
			}
		}
	}()
	take := func(t claimed, vector []float32) {
		found[t.text] = vector
		e.land(t, vector)
	}
	var missing []claimed
	for _, t := range own {
		if v := e.Cache.Get(e.field.Model, t.text); e.field.CheckVector(v) == nil {
			take(t, v)
		} else {
			missing = append(missing, t)
		}
	}
	for batch := range slices.Chunk(missing, e.Batch) {
		asked := make([]string, len(batch))
		for i, t := range batch {
			asked[i] = t.text
		}
		vectors, at, err := e.ask(ctx, e.Texts, asked)
		if err != nil {
			more, t := "", batch[max(at, 0)]
			if at < 0 && len(batch) > 1 {
				more = fmt.Sprintf(", and %d texts more", len(batch)-1)
			}
			return fmt.Errorf("%w: document %.80q, field %q%s: %w", ErrEmbed, changes[t.of].Doc.ID, t.field, more, err)
		}
		var problems []error
		for i, t := range batch {
			problems = append(problems, e.Cache.Put(e.field.Model, t.text, vectors[i]))
			take(t, vectors[i])
		}
		if err := errors.Join(problems...); err != nil {
			failed(fmt.Errorf("cache of vectors of field %q: %w", e.Field, err))
		}
	}
	return nil
}

// ask returns what a function of the program returns of texts, checked. An error is of the text of number at, or of all if that is below 0.
func (e *embedder) ask(ctx context.Context, f func(context.Context, []string) ([][]float32, error), texts []string) (vectors [][]float32, at int, err error) {
	if vectors, err = f(ctx, texts); err != nil {
		return nil, -1, err
	}
	if len(vectors) != len(texts) {
		return nil, -1, fmt.Errorf("%d vectors of %d texts", len(vectors), len(texts))
	}
	for i, v := range vectors {
		if err := e.field.CheckVector(v); err != nil {
			return nil, i, fmt.Errorf("%v", err) // it is not for the caller to match: the model has returned what is wrong
		}
	}
	return vectors, 0, nil
}

// ofQuery returns the vector of a text that is searched for.
func (e *embedder) ofQuery(ctx context.Context, text string) ([]float32, error) {
	if v := e.queries.Get("", text); v != nil {
		return v, nil
	}
	vectors, _, err := e.ask(ctx, e.Queries, []string{text})
	if err != nil {
		return nil, fmt.Errorf("%w: a query, field %q: %w", ErrEmbed, e.Field, err)
	}
	return vectors[0], e.queries.Put("", text, vectors[0])
}
