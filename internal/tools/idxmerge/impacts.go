package idxmerge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// Quantized is what idxmerge --impacts prints.
type Quantized struct {
	Index    string  `json:"index"`
	Field    string  `json:"field"`
	Scale    float64 `json:"scale"` // the greatest score / 255
	Docs     int     `json:"documents"`
	Postings uint64  `json:"postings"`
	Zeroed   uint64  `json:"zero_weights"` // postings left out
	Bytes    int64   `json:"bytes"`
	Seconds  float64 `json:"seconds"`
	took     time.Duration
}

// runImpacts makes an index of the BM25 scores of a field of text.
func (f *flags) runImpacts(cmd *cobra.Command, src string, o writer.Options) (err error) {
	ctx, start := cmd.Context(), time.Now()
	s, end, err := cli.Snapshot(src)
	if err != nil {
		return err
	}
	defer end()
	q, err := f.quantizer(s)
	if err != nil {
		return err
	}
	r := &Quantized{Field: f.impacts, Scale: q.field.Scale, Docs: len(q.lengths)}
	o.Schema = &schema.Schema{Fields: []schema.Field{q.field}}
	err = cli.Change(ctx, &f.out, cli.AnyChange, func() error {
		q.postings, q.zeroed = 0, 0
		return f.writeImpacts(ctx, r, q, o)
	})
	if err != nil {
		return err
	}
	r.Index, r.Postings, r.Zeroed, r.took = f.out, q.postings, q.zeroed, time.Since(start)
	r.Seconds = r.took.Seconds()
	return cli.Show(cmd, r)
}

// writeImpacts makes the index in f.out.
func (f *flags) writeImpacts(ctx context.Context, r *Quantized, q *quantizer, o writer.Options) (err error) {
	fresh := cli.NewFresh(f.out)
	if fresh.Was() {
		return cli.Usage("--impacts makes a new index, and there is one at %s", f.out)
	}
	defer func() {
		if err != nil {
			fresh.Undo()
		}
	}()
	w, err := writer.Open(ctx, f.out, o)
	if err != nil {
		return cli.Opening(err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	in, err := q.inverted()
	if err != nil {
		return err
	}
	if err := w.AddInverted(ctx, in); err != nil {
		return err
	}
	if order := writer.Order(f.order.Value); order != writer.OrderInput {
		if _, err := w.Merge(ctx, writer.MergeOptions{Order: order, Seed: f.seed}); err != nil {
			return err
		}
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	report, err := newReport(f.out, writer.MergeStats{}, 0)
	if err == nil {
		r.Bytes = report.Bytes
	}
	return err
}

// quantizer makes weights of the scores of a field's postings.
type quantizer struct {
	from    *reader.Snapshot
	name    string // of the field there
	field   schema.Field
	scorer  *search.Scorer
	lengths []uint32 // of the documents that are not deleted

	postings, zeroed uint64
}

// quantizer returns the one of the field that --impacts names, whose scale is the greatest score / 255.
func (f *flags) quantizer(s *reader.Snapshot) (q *quantizer, err error) {
	q = &quantizer{from: s, field: schema.Field{Name: f.impacts, Kind: schema.Impacts}}
	if !s.Schema().IsImplicit() {
		q.name = f.impacts
		if x, ok := s.Schema().Field(q.name); !ok || !x.HasLengths() {
			return nil, cli.Usage("--impacts: %s is no field of text with frequencies", cli.Quote(q.name))
		}
	}
	if err := q.field.Check(); err != nil {
		return nil, cli.Usage("--impacts: %w", err)
	}
	if q.scorer, err = search.NewFieldScorer(s, q.name, query.Params{}); err != nil {
		return nil, err
	}
	x, err := exchange.FromField(s, q.name)
	if err != nil {
		return nil, err
	}
	in, most := x.Inverted(), float32(0)
	for d, err := range in.Docs {
		if err != nil {
			return nil, err
		}
		q.lengths = append(q.lengths, d.Len)
	}
	for l, err := range in.Lists {
		if err != nil {
			return nil, err
		}
		for _, score := range q.scores(&l) {
			most = max(most, score)
		}
	}
	if q.field.Scale = float64(most) / 255; most == 0 {
		return nil, fmt.Errorf("no posting of field %q scores above 0", q.name)
	}
	return q, q.field.Check()
}

// scores yields the scores of the postings of a list for a query of its term alone.
func (q *quantizer) scores(l *writer.InvertedList) iter.Seq2[int, float32] {
	return func(yield func(int, float32) bool) {
		w := q.scorer.Weight(uint64(len(l.Docs)), 1)
		for i, doc := range l.Docs {
			if !yield(i, q.scorer.Score(w, float32(l.Freqs[i]), q.scorer.Norm(q.lengths[doc]))) {
				return
			}
		}
	}
}

// inverted returns the documents, and lists of their weights.
func (q *quantizer) inverted() (writer.Inverted, error) {
	x, err := exchange.FromField(q.from, q.name)
	if err != nil {
		return writer.Inverted{}, err
	}
	in := x.Inverted()
	lists := in.Lists
	in.Field, in.Lists = q.field.Name, func(yield func(writer.InvertedList, error) bool) {
		for l, err := range lists {
			if err == nil {
				err = q.quantize(&l)
			}
			if err == nil && len(l.Docs) == 0 {
				continue
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
	return in, nil
}

// quantize puts weights into the place of frequencies, and drops postings whose weight is 0.
func (q *quantizer) quantize(l *writer.InvertedList) error {
	n := 0
	for i, score := range q.scores(l) {
		w, err := q.field.Quantize(float64(score))
		if err != nil {
			return err
		}
		if w > 0 {
			l.Docs[n], l.Freqs[n] = l.Docs[i], uint32(w)
			n++
		}
	}
	q.postings += uint64(n)
	q.zeroed += uint64(len(l.Docs) - n)
	l.Postings = l.Slice(0, n)
	return nil
}

func (r *Quantized) Text(w io.Writer) {
	t := cli.NewTable("", "")
	t.Row("field", fmt.Sprintf("%s of impacts in steps of %s", cli.Quote(r.Field), cli.Float(r.Scale, 4)))
	t.Row("postings", fmt.Sprintf("%s in %s", cli.Count(r.Postings), cli.Seconds(r.took)))
	if r.Zeroed > 0 {
		t.Row("left out", cli.Number(r.Zeroed, "posting")+" of weight 0")
	}
	t.Row("index", r.Index)
	t.Row("documents", cli.Count(r.Docs))
	t.Row("size", cli.Bytes(r.Bytes))
	t.WriteTo(w)
}

// checkImpacts returns what is wrong with --impacts beside other flags.
func (f *flags) checkImpacts(sources []string) error {
	switch {
	case f.impacts == "":
		return nil
	case f.out == "" || len(sources) != 1:
		return cli.Usage("--impacts goes with --out and one SRC")
	case f.salvage:
		return cli.Usage("--impacts and --salvage exclude each other")
	case strings.HasPrefix(f.order.Value, "field:"):
		return cli.Usage("--impacts makes an index without columns, by which --order sorts")
	}
	return nil
}
