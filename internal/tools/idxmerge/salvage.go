package idxmerge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/internal/tools/remains"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// Salvaged is what idxmerge --salvage prints.
type Salvaged struct {
	Index    string         `json:"index"`
	Segments int            `json:"segments"` // that were read
	Docs     uint64         `json:"documents"`
	Lists    uint64         `json:"lists"`
	Postings uint64         `json:"postings"`
	Mends    []Mend         `json:"mends"`
	Losses   []remains.Loss `json:"losses"`
}

// Mend is format.Mend with the file that it concerns.
type Mend struct {
	File string `json:"file"`
	What string `json:"what"`
}

func (r *Salvaged) lose(file, what, where string, count uint64, err error) {
	r.Losses = append(r.Losses, remains.Loss{File: file, What: what, Where: where, Count: count, Error: err.Error()})
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
	r := &Salvaged{Index: f.out, Mends: []Mend{}, Losses: []remains.Loss{}}
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
	err = cmp.Or(err, cli.Show(cmd, r))
	if err == nil && len(r.Losses) > 0 {
		err = errLost
	}
	return err
}

// index adds what can be read of s to the index in out.
func (r *Salvaged) index(ctx context.Context, out string, s *damaged, o writer.Options) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
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
	if s.commit.Schema.IsImplicit() {
		name, options := s.commit.Analyzer()
		o.Schema = schema.Implicit(name, options, s.stored())
	} else if !cli.NewFresh(out).Was() {
		o.Schema = s.commit.Schema.Clone()
	}
	if w, err = writer.Open(ctx, out, o); err != nil {
		return nil, cli.Opening(err)
	}
	if err := s.fits(w, out); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// fits returns why the index in out, which w has opened, cannot hold what is in s.
func (s *damaged) fits(w *writer.Writer, out string) error {
	if !s.commit.Schema.IsImplicit() || !w.Schema().IsImplicit() {
		if err := w.Schema().Extends(s.commit.Schema); err != nil {
			return fmt.Errorf("%s and %s: %w", out, s.dir, err)
		}
		return nil
	}
	if w.Stored() && !s.stored() {
		return fmt.Errorf("%w: %s has none, unlike %s", writer.ErrStored, s.dir, out)
	}
	return nil
}

// segment adds what can be read of p, a segment of s.
func (r *Salvaged) segment(ctx context.Context, w *writer.Writer, s *damaged, p *part) error {
	info := p.info
	file := indexdir.SegmentName(info.File)
	if p.err != nil {
		r.lose(file, "documents", "all", uint64(info.Docs-info.Deleted), p.err)
		return nil
	}
	for _, m := range p.mended.Mends {
		r.Mends = append(r.Mends, Mend{file, m.String()})
	}
	for _, m := range p.deletesMends {
		r.Mends = append(r.Mends, Mend{indexdir.DeletesName(info.DeletesFile), m.String()})
	}
	for _, m := range p.valuesMends {
		r.Mends = append(r.Mends, Mend{indexdir.ValuesName(info.ValuesFile), m.String()})
	}
	plain, err := p.mended.Open()
	if err != nil {
		return err
	}
	plain.Raw().SkipPageChecks()
	if p.deletesErr != nil {
		r.lose(indexdir.DeletesName(info.DeletesFile), "deletes", "all: these documents are back", uint64(info.Deleted), p.deletesErr)
	}
	if p.valuesErr != nil {
		r.lose(indexdir.ValuesName(info.ValuesFile), "values", "all: these values are what they were before they were changed", uint64(info.Docs), p.valuesErr)
	}
	seg := p.seg
	if p.values != nil {
		load := func(context.Context) (*segment.Changes, error) { return p.values, nil }
		seg, plain = seg.WithChanges(load), plain.WithChanges(load)
	}
	source := salvage.New(seg, plain, p.deletes.Contains)
	got, err := remains.Add(ctx, w, source, seg, s.commit.Schema)
	if err != nil {
		return err
	}
	r.Segments++
	r.Docs, r.Lists, r.Postings = r.Docs+got.Docs, r.Lists+got.Lists, r.Postings+got.Postings
	r.Losses = append(r.Losses, got.Losses...)
	return nil
}

func (r *Salvaged) Text(w io.Writer) {
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
	remains.Print(w, r.Losses)
}
