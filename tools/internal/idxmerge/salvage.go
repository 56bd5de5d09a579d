package idxmerge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/salvage"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// Salvaged is what idxmerge --salvage prints.
type Salvaged struct {
	Index    string `json:"index"`
	Segments int    `json:"segments"` // that were read
	Docs     uint64 `json:"documents"`
	Lists    uint64 `json:"lists"`
	Postings uint64 `json:"postings"`
	Mends    []Mend `json:"mends"`
	Losses   []Loss `json:"losses"`
}

// Mend is format.Mend with the file that it concerns.
type Mend struct {
	File string `json:"file"`
	What string `json:"what"`
}

// Loss is salvage.Loss with the file that it concerns.
type Loss struct {
	File  string `json:"file"`
	What  string `json:"what"`
	Field string `json:"field"`
	Where string `json:"where"`
	Count uint64 `json:"count"`
	Error string `json:"error"`
}

func (r *Salvaged) lose(file, what, where string, count uint64, err error) {
	r.Losses = append(r.Losses, Loss{File: file, What: what, Where: where, Count: count, Error: err.Error()})
}

// errLost ends a run that could not read everything.
var errLost = errors.New("not everything could be read")

func (f *flags) runSalvage(cmd *cobra.Command, sources []string, o writer.Options) error {
	opened, err := openDamaged(sources)
	defer func() {
		for _, s := range opened {
			s.close()
		}
	}()
	if err != nil {
		return err
	}
	return f.copyAll(cmd, opened, o)
}

// copyAll copies what can be read of all indexes, and prints what that is.
func (f *flags) copyAll(cmd *cobra.Command, opened []*damaged, o writer.Options) (err error) {
	r := &Salvaged{Index: f.out, Mends: []Mend{}, Losses: []Loss{}}
	fresh := cli.NewFresh(f.out)
	added := 0
	for i, s := range opened {
		if i == 0 {
			o.Perm = s.dir.Perm()
		}
		o.Perm &= s.dir.Perm()
	}
	for _, s := range opened {
		before := *r
		if err = r.index(cmd.Context(), f.out, s, o); err != nil {
			*r = before // the others are committed
			break
		}
		added++
	}
	if added == 0 {
		fresh.Undo()
		return err
	}
	if f.json {
		err = cmp.Or(err, cli.JSON(cmd.OutOrStdout(), r))
	} else {
		r.text(cmd.OutOrStdout())
	}
	if err == nil && len(r.Losses) > 0 {
		err = errLost
	}
	return err
}

// index adds what can be read of s to the index in out.
func (r *Salvaged) index(ctx context.Context, out string, s *damaged, o writer.Options) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	w, err := s.openOut(ctx, out, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for i := range s.parts {
		if err := r.segment(ctx, w, s, &s.parts[i]); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

// openOut opens the index in out, which must be able to hold what is in s.
func (s *damaged) openOut(ctx context.Context, out string, o writer.Options) (w *writer.Writer, err error) {
	if s.commit.Schema == nil {
		if o.Analyzer, err = analysis.New(s.commit.Analyzer, s.commit.AnalyzerOptions); err != nil {
			return nil, err
		}
		o.Stored = s.stored()
	} else if !cli.NewFresh(out).Was() {
		o.Schema = s.commit.Schema.Clone()
	}
	if w, err = writer.Open(ctx, out, o); err != nil {
		return nil, cli.Opening(err)
	}
	if err := s.fits(w, out, o); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// fits returns why the index in out, which w has opened with options o, cannot hold what is in s.
func (s *damaged) fits(w *writer.Writer, out string, o writer.Options) error {
	if s.commit.Schema != nil || w.Schema() != nil {
		if err := w.Schema().Extends(s.commit.Schema); err != nil {
			return fmt.Errorf("%s and %s: %w", out, s.dir, err)
		}
		return nil
	}
	if a := w.Analyzer(); a.Options() != o.Analyzer.Options() { // the index adopts the defaults of a name
		return differ(out, a.Name(), a.Options(), s.dir.String(), s.commit.Analyzer, s.commit.AnalyzerOptions)
	}
	if w.Stored() && !o.Stored {
		return fmt.Errorf("%w: %s has none, unlike %s", writer.ErrStored, s.dir, out)
	}
	return nil
}

// segment adds what can be read of p, a segment of s.
func (r *Salvaged) segment(ctx context.Context, w *writer.Writer, s *damaged, p *part) error {
	info := p.info
	file := store.SegmentName(info.File)
	if p.err != nil {
		r.lose(file, "documents", "all", uint64(info.Docs-info.Deleted), p.err)
		return nil
	}
	for _, m := range p.mended.Mends {
		r.Mends = append(r.Mends, Mend{file, m.String()})
	}
	for _, m := range p.deletesMends {
		r.Mends = append(r.Mends, Mend{store.DeletesName(info.DeletesFile), m.String()})
	}
	plain, err := segment.Open(file, p.mended.Data)
	if err != nil {
		return err
	}
	plain.Raw().SkipPageChecks()
	if p.deletesErr != nil {
		r.lose(store.DeletesName(info.DeletesFile), "deletes", "all: these documents are back", uint64(info.Deleted), p.deletesErr)
	}
	source := salvage.New(p.seg, plain, func(doc uint32) bool { return has(p.deletes, doc) })
	in := writer.Inverted{Docs: r.docs(source), Lists: r.lists(source.Lists(), 0), ForeignLengths: true}
	if s.commit.Schema != nil {
		in = r.fields(source, keptOf(p.seg, s.commit.Schema))
	}
	if err := w.AddInverted(ctx, in); err != nil {
		return err
	}
	r.Segments++
	for _, l := range source.Losses() {
		r.Losses = append(r.Losses, Loss{file, l.What, l.Field, l.Where, l.Count, l.Err.Error()})
	}
	return nil
}

func has(deletes *roaring.Bitmap, doc uint32) bool { return deletes != nil && deletes.Contains(doc) }

func (r *Salvaged) docs(s *salvage.Source) iter.Seq2[writer.InvertedDoc, error] {
	return func(yield func(writer.InvertedDoc, error) bool) {
		for d := range s.Docs() {
			r.Docs++
			if !yield(writer.InvertedDoc{ID: d.ID, Len: d.Len, Text: d.Text}, nil) {
				return
			}
		}
	}
}

// lists yields lists as those of field of a collection.
func (r *Salvaged) lists(lists iter.Seq[salvage.List], field int) iter.Seq2[writer.InvertedList, error] {
	return func(yield func(writer.InvertedList, error) bool) {
		for l := range lists {
			r.Lists++
			r.Postings += uint64(len(l.Docs))
			if !yield(writer.InvertedList{Term: l.Term, Field: field, Postings: l.Postings, Gaps: l.Gaps}, nil) {
				return
			}
		}
	}
}

func (r *Salvaged) text(w io.Writer) {
	t := cli.NewTable("", "")
	t.Row("index", r.Index)
	t.Row("segments", r.Segments)
	t.Row("documents", r.Docs)
	t.Row("lists", r.Lists)
	t.Row("postings", r.Postings)
	t.WriteTo(w)
	if len(r.Mends) > 0 {
		fmt.Fprintln(w)
		t = cli.NewTable("file", "mended")
		for _, m := range r.Mends {
			t.Row(m.File, m.What)
		}
		t.WriteTo(w)
	}
	if len(r.Losses) == 0 {
		fmt.Fprintln(w, "\nnothing is lost")
		return
	}
	fmt.Fprintln(w)
	t = cli.NewTable("lost", ">count", "where", "file", "why")
	for _, l := range r.Losses {
		if l.Field != "" {
			l.Where = fmt.Sprintf("field %q: %s", l.Field, l.Where)
		}
		t.Row(l.What, l.Count, l.Where, l.File, l.Error)
	}
	t.WriteTo(w)
}
