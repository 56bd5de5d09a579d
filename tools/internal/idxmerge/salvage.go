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
	Where string `json:"where"`
	Count uint64 `json:"count"`
	Error string `json:"error"`
}

func (r *Salvaged) lose(file, what, where string, count uint64, err error) {
	r.Losses = append(r.Losses, Loss{file, what, where, count, err.Error()})
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
	if o.Analyzer, err = analysis.New(s.commit.Analyzer, s.commit.AnalyzerOptions); err != nil {
		return err
	}
	o.Stored = s.stored()
	w, err := writer.Open(ctx, out, o)
	if err != nil {
		return cli.Opening(err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if a := w.Analyzer(); a.Options() != o.Analyzer.Options() { // the index adopts the defaults of a name
		return differ(out, a.Name(), a.Options(), s.dir.String(), s.commit.Analyzer, s.commit.AnalyzerOptions)
	}
	if w.Stored() && !o.Stored {
		return fmt.Errorf("%w: %s has none, unlike %s", writer.ErrStored, s.dir, out)
	}
	for i := range s.parts {
		if err := r.segment(ctx, w, &s.parts[i]); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

// segment adds what can be read of a segment.
func (r *Salvaged) segment(ctx context.Context, w *writer.Writer, p *part) error {
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
	in := writer.Inverted{Docs: r.docs(source), Lists: r.lists(source), ForeignLengths: true}
	if err := w.AddInverted(ctx, in); err != nil {
		return err
	}
	r.Segments++
	for _, l := range source.Losses() {
		r.lose(file, l.What, l.Where, l.Count, l.Err)
	}
	return nil
}

func has(deletes *roaring.Bitmap, doc uint32) bool { return deletes != nil && deletes.Contains(doc) }

func (r *Salvaged) docs(s *salvage.Source) iter.Seq2[writer.InvertedDoc, error] {
	return func(yield func(writer.InvertedDoc, error) bool) {
		for d := range s.Docs() {
			r.Docs++
			if !yield(writer.InvertedDoc(d), nil) {
				return
			}
		}
	}
}

func (r *Salvaged) lists(s *salvage.Source) iter.Seq2[writer.InvertedList, error] {
	return func(yield func(writer.InvertedList, error) bool) {
		for l := range s.Lists() {
			r.Lists++
			r.Postings += uint64(len(l.Docs))
			if !yield(writer.InvertedList{Term: l.Term, Postings: l.Postings}, nil) {
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
		t.Row(l.What, l.Count, l.Where, l.File, l.Error)
	}
	t.WriteTo(w)
}
