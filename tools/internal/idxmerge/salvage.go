package idxmerge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/salvage"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/tools/internal/cli"
	"github.com/pinion-index/pinion/writer"
)

// Salvaged is what idxmerge --salvage prints.
type Salvaged struct {
	Index    string `json:"index"`
	Segments int    `json:"segments"` // that were read
	Docs     uint64 `json:"documents"`
	Lists    uint64 `json:"lists"`
	Postings uint64 `json:"postings"`
	Losses   []Loss `json:"losses"`
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

func (f *flags) runSalvage(cmd *cobra.Command, sources []string, o writer.Options) (err error) {
	r := &Salvaged{Index: f.out, Losses: []Loss{}}
	fresh := cli.NewFresh(f.out)
	for _, src := range sources {
		if err := r.index(cmd.Context(), f.out, src, o); err != nil {
			fresh.Undo()
			return err
		}
	}
	if f.json {
		err = cli.JSON(cmd.OutOrStdout(), r)
	} else {
		r.text(cmd.OutOrStdout())
	}
	if err == nil && len(r.Losses) > 0 {
		err = errLost
	}
	return err
}

// index adds what can be read of the index in src to the one in out.
func (r *Salvaged) index(ctx context.Context, out, src string, o writer.Options) (err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	d, err := store.Open(src)
	if err != nil {
		return cli.Opening(err)
	}
	defer d.Close()
	c, err := d.Latest()
	if err != nil {
		return cli.Opening(err)
	}
	defer c.Release()
	if o.Analyzer, err = analysis.New(c.Analyzer, c.AnalyzerOptions); err != nil {
		return err
	}
	o.Stored = stored(c)
	w, err := writer.Open(ctx, out, o)
	if err != nil {
		return cli.Opening(err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for i := range c.Segments {
		if err := r.segment(ctx, w, c, i); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

// stored reports whether a segment that can be opened has stored text.
func stored(c *store.Commit) bool {
	for i := range c.Segments {
		if s, data, err := c.OpenSegment(i); err == nil {
			has := s.Meta().Stored
			data.Close()
			if has {
				return true
			}
		}
	}
	return false
}

// segment adds what can be read of segment i of c.
func (r *Salvaged) segment(ctx context.Context, w *writer.Writer, c *store.Commit, i int) error {
	info := &c.Segments[i]
	file := store.SegmentName(info.File)
	s, data, err := c.OpenSegment(i)
	if err != nil {
		r.lose(file, "documents", "all", uint64(info.Docs-info.Deleted), err)
		return nil
	}
	defer data.Close()
	plain, err := segment.Open(file, data)
	if err != nil {
		return err
	}
	plain.Raw().SkipPageChecks()
	deletes, err := c.Deletes(i)
	if err != nil {
		r.lose(store.DeletesName(info.DeletesFile), "deletes", "all: these documents are back", uint64(info.Deleted), err)
	}
	source := salvage.New(s, plain, func(doc uint32) bool { return has(deletes, doc) })
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
			if !yield(writer.InvertedList(l), nil) {
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
