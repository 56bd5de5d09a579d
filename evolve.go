package pinion

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/schema"
)

// Evolve gives the index another schema, while searches and changes go on: it returns when searches see it, and it survives a crash,
// with all that was added and deleted before. Fields that s has and the index does not are added, and the documents that are there have
// no values in them. Fields that the index has and s does not stay. K1, B and Boost are those of s. The text of an index that began
// without fields is the field "text" then: its segments are written anew, once, while changes wait.
//
//	err := index.Evolve(ctx, index.Schema().Set(schema.Field{Name: "stock", Kind: schema.Integer, Column: true}))
//
// The error for what cannot change, such as the kind or the analyzer of a field, names the field and matches ErrInvalid. So does the one
// for a schema that was made of another than the index has now, because some other call of Evolve has changed it: take Schema again.
//
// Programs with an older schema go on: they open the index, and the fields that they do not know stay. A document that they
// replace loses its values in those.
func (x *Index) Evolve(ctx context.Context, s *schema.Schema) error {
	switch {
	case x.done == nil:
		return errClosed
	case s == nil:
		return fmt.Errorf("%w: no schema", ErrInvalid)
	}
	if x.o.Language != "" && s.Language == "" {
		s = x.inLanguage(s)
	}
	ctx = orBackground(ctx)
	n, err := x.written(ctx, func(ctx context.Context) error {
		x.evolving.Lock()
		defer x.evolving.Unlock()
		if err := x.w.Evolve(ctx, s); err != nil {
			return err
		}
		x.schema.Store(x.w.Schema())
		return nil
	})
	if err != nil {
		return err
	}
	x.mu.Lock()
	x.unkept = overdue // a commit without changes, after which searches go on to it
	x.mu.Unlock()
	x.nudge(false)
	return x.await(ctx, &x.kept, n)
}

// inLanguage returns s with the analyzer of Options.Language in the fields that the index does not have yet.
func (x *Index) inLanguage(s *schema.Schema) *schema.Schema {
	name, _ := analysis.ForLanguage(x.o.Language) // Open has checked it
	s = s.Clone()
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Kind == schema.Text && f.Analyzer == "" && f.Options == "" && x.schema.Load().Number(f.Name) < 0 {
			f.Analyzer = name
		}
	}
	return s
}
