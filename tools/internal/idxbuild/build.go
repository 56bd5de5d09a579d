package idxbuild

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/exchange"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/tools/internal/cli"
	"github.com/pinion-index/pinion/writer"
)

// maxShown is the number of skipped documents that are reported one by one.
const maxShown = 20

// Report is what idxbuild prints.
type Report struct {
	Index    string  `json:"index"`
	Added    int64   `json:"added"`
	Replaced int64   `json:"replaced"`
	Skipped  int64   `json:"skipped"`
	Deleted  int64   `json:"deleted"`
	NotFound int64   `json:"ids_not_found"`
	Ignored  uint64  `json:"ignored_fields"`
	Read     int64   `json:"bytes_read"`
	Seconds  float64 `json:"seconds"`
	Live     int64   `json:"documents"`
	Segments int     `json:"segments"`
	Kept     int     `json:"kept_commits"`
	Bytes    int64   `json:"bytes"`
	DryRun   bool    `json:"dry_run"`
	took     time.Duration

	deletes, adds bool
}

// build is a run of the command.
type build struct {
	stderr   io.Writer
	w        changes
	skip     bool
	done     string // what the run does
	fields   exchange.Fields
	order    writer.ReorderOptions
	progress *cli.Progress
	read     atomic.Bool // all input is
	report   Report
}

func (f *flags) run(cmd *cobra.Command, args []string) error {
	r, err := f.build(cmd.Context(), cmd.ErrOrStderr(), args)
	if err != nil {
		return err
	}
	if f.json {
		return cli.JSON(cmd.OutOrStdout(), r)
	}
	r.text(cmd.OutOrStdout())
	return nil
}

// Build runs the command with args and returns its report.
func Build(ctx context.Context, stderr io.Writer, args []string) (*Report, error) {
	f := newFlags()
	cmd := f.command()
	if err := cmd.ParseFlags(args); err != nil {
		return nil, cli.Usage("%w", err)
	}
	return f.build(ctx, stderr, cmd.Flags().Args())
}

func (f *flags) build(ctx context.Context, stderr io.Writer, args []string) (*Report, error) {
	o, err := f.writerOptions()
	if err != nil {
		return nil, err
	}
	if err := checkDir(f.out); err != nil {
		return nil, err
	}
	if err := f.deletes.check(f.out, args); err != nil {
		return nil, err
	}
	ins, total, err := f.inputs(args)
	if err != nil {
		return nil, err
	}
	// The budget does not include garbage, which needs memory of its own.
	debug.SetMemoryLimit(o.Memory + o.Memory/8)
	b := &build{stderr: stderr, skip: f.onError.Value == "skip", done: "added", report: Report{Index: f.out, deletes: f.deletes.any(), adds: len(ins) > 0}}
	if b.report.deletes {
		b.done = "added or deleted"
	}
	if b.fields, err = exchange.ParseFields(f.fields); err != nil {
		return nil, cli.Usage("--map: %w", err)
	}
	b.order = writer.ReorderOptions{Order: writer.Order(f.order.Value), Seed: f.seed}
	b.progress = cli.NewProgress(stderr, "build", total, cli.BytesRate)
	defer b.progress.Stop()
	o.Progress = func(x writer.Progress) {
		if b.read.Load() { // until then the bar shows how much is
			b.progress.Writer(x)
		}
	}
	if f.dryRun {
		return &b.report, b.dryRun(ctx, f.out, o, &f.deletes, ins)
	}
	fresh := cli.NewFresh(f.out)
	if err := b.all(ctx, f.out, o, &f.deletes, ins); err != nil {
		fresh.Undo()
		return nil, err
	}
	return &b.report, nil
}

// all deletes, adds all inputs and commits.
func (b *build) all(ctx context.Context, dir string, o writer.Options, d *deletions, ins []input) (err error) {
	start := time.Now()
	w, err := writer.Open(ctx, dir, o)
	if errors.Is(err, writer.ErrAnalyzer) || errors.Is(err, writer.ErrStored) {
		return err
	} else if err != nil {
		return cli.Opening(err)
	}
	defer func() {
		if cerr := w.Close(); err == nil {
			err = cerr
		}
	}()
	if a := o.Analyzer; a != nil && a.Options() != w.Analyzer().Options() { // the flags name options
		return fmt.Errorf("%w: the index was made with %s(%s), not %s(%s)", writer.ErrAnalyzer, a.Name(), w.Analyzer().Options(), a.Name(), a.Options())
	}
	before, err := live(dir)
	if err != nil {
		return err
	}
	b.w = w
	if err := b.change(ctx, dir, d, ins); err != nil {
		return err
	}
	b.read.Store(true)
	if _, err := w.Reorder(ctx, b.order); err != nil {
		return b.explain(err)
	}
	if err := w.Commit(ctx); err != nil {
		return b.explain(err)
	}
	if err := w.WaitMerges(ctx); err != nil {
		return fmt.Errorf("%w\neverything was added", err)
	}
	b.report.Kept = w.KeepCommits()
	b.report.took = time.Since(start)
	b.report.Seconds = b.report.took.Seconds()
	return b.after(dir, before)
}

// change deletes and adds.
func (b *build) change(ctx context.Context, dir string, d *deletions, ins []input) (err error) {
	if err := b.delete(ctx, dir, d); err != nil {
		return b.explain(err)
	}
	for _, in := range ins {
		if in.format.Postings() {
			err = b.postings(ctx, in)
		} else {
			err = b.documents(ctx, in)
		}
		if err != nil {
			return b.explain(err)
		}
	}
	return nil
}

// explain adds to err what it means for the run.
func (b *build) explain(err error) error {
	switch {
	case errors.Is(err, exchange.ErrNoField) && !b.skip:
		return fmt.Errorf("%w\nnothing was %s; --map names the fields to read, --on-error skip passes over bad documents", err, b.done)
	case (exchange.Recoverable(err) || errors.Is(err, writer.ErrDocument)) && !b.skip:
		return fmt.Errorf("%w\nnothing was %s; --on-error skip passes over bad documents", err, b.done)
	case errors.Is(err, store.ErrUncertain):
		return err
	}
	return fmt.Errorf("%w\nnothing was %s", err, b.done)
}

// documents adds the documents of in.
func (b *build) documents(ctx context.Context, in input) error {
	src, _, err := exchange.OpenDocuments(in.path, in.format)
	if err != nil {
		return err
	}
	defer src.Close()
	if j, ok := src.(*exchange.JSONL); ok {
		j.SetFields(b.fields)
		defer func() { b.report.Ignored += j.Ignored() }()
	}
	defer context.AfterFunc(ctx, func() { src.Close() })()
	done := b.report.Read
	for {
		d, err := src.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			if err = b.w.Add(ctx, d); errors.Is(err, writer.ErrDocument) {
				err = fmt.Errorf("%s: %w", in.path, err)
			} else {
				b.report.Added++
			}
		}
		if b.skip && (exchange.Recoverable(err) || errors.Is(err, writer.ErrDocument)) {
			b.skipped(err)
			err = nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		b.progress.Set(done + src.BytesRead())
	}
	b.report.Read = done + src.BytesRead()
	return nil
}

// skipped reports a skipped document.
func (b *build) skipped(err error) {
	b.report.Skipped++
	switch n := b.report.Skipped; {
	case n <= maxShown:
		fmt.Fprintf(b.stderr, "skipped: %v\n", err)
	case n == maxShown+1:
		fmt.Fprintln(b.stderr, "skipped: more documents, which are not shown")
	}
}

// postings adds the lists of in.
func (b *build) postings(ctx context.Context, in input) error {
	src, _, err := exchange.OpenInverted(in.path, in.format)
	if err != nil {
		return err
	}
	defer src.Close()
	done := b.report.Read
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-tick.C:
				b.progress.Set(done + src.BytesRead())
			case <-stop:
				return
			}
		}
	}()
	if err := b.w.AddInverted(ctx, src.Inverted()); err != nil {
		return fmt.Errorf("%s: %w", in.path, err)
	}
	b.report.Added += int64(src.Docs())
	b.report.Read = done + src.BytesRead()
	return nil
}

// live returns the number of documents that are not deleted.
func live(dir string) (int64, error) {
	n := int64(0)
	err := latest(dir, func(m *store.Manifest) {
		for _, s := range m.Segments {
			n += int64(s.Docs) - int64(s.Deleted)
		}
	})
	return n, err
}

// latest calls f with the newest manifest, if there is one.
func latest(dir string, f func(m *store.Manifest)) error {
	d, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if g, err := d.Generation(); err != nil || g == 0 {
		return err
	}
	c, err := d.Latest()
	if err != nil {
		return err
	}
	defer c.Release()
	f(c.Manifest)
	return nil
}

// after fills in the report's figures of the new index.
func (b *build) after(dir string, before int64) error {
	return latest(dir, func(m *store.Manifest) {
		r := &b.report
		for _, s := range m.Segments {
			r.Live += int64(s.Docs) - int64(s.Deleted)
		}
		r.Replaced = before - r.Deleted + r.Added - r.Live
		r.Segments = len(m.Segments)
		for _, name := range m.Files() {
			if st, err := os.Stat(filepath.Join(dir, name)); err == nil {
				r.Bytes += st.Size()
			}
		}
	})
}

func (r *Report) text(w io.Writer) {
	t := cli.NewTable("", "")
	if r.DryRun {
		r.textDry(t)
		t.WriteTo(w)
		return
	}
	if r.deletes {
		t.Row("deleted", cli.Number(r.Deleted, "document"))
	}
	if r.NotFound > 0 {
		t.Row("not found", cli.Number(r.NotFound, "id"))
	}
	if r.adds {
		r.textAdded(t)
	}
	t.Row("index", r.Index)
	t.Row("documents", cli.Count(r.Live))
	t.Row("segments", cli.Count(r.Segments))
	t.Row("size", cli.Bytes(r.Bytes))
	if r.Kept > 1 {
		t.Row("keeps", cli.Kept(r.Kept))
	}
	t.WriteTo(w)
}

// textAdded shows what was added.
func (r *Report) textAdded(t *cli.Table) {
	t.Row("added", r.added())
	if r.Ignored > 0 {
		t.Row("ignored", cli.Number(r.Ignored, "JSON field")+" other than id and contents: see --map")
	}
	if r.Skipped > 0 {
		t.Row("skipped", cli.Number(r.Skipped, "bad document"))
	}
	t.Row("read", fmt.Sprintf("%s in %s, %s/s", cli.Bytes(r.Read), cli.Seconds(r.took), cli.Bytes(int64(float64(r.Read)/r.took.Seconds()))))
}

// textDry shows what a run would do.
func (r *Report) textDry(t *cli.Table) {
	if r.deletes {
		t.Row("would delete", cli.Number(r.Deleted, "document"))
	}
	if r.NotFound > 0 {
		t.Row("not found", cli.Number(r.NotFound, "id"))
	}
	if r.adds {
		t.Row("would add", r.added())
	}
	if r.Skipped > 0 {
		t.Row("would skip", cli.Number(r.Skipped, "bad document"))
	}
	t.Row("index", r.Index)
	t.Row("documents then", cli.Count(r.Live))
	t.Row("written", "nothing: a dry run")
}

// added says how many documents are added, and how many of them replace others.
func (r *Report) added() string {
	added := cli.Number(r.Added, "document")
	if r.Replaced > 0 {
		added += fmt.Sprintf(", %s of them in place of others", cli.Count(r.Replaced))
	}
	return added
}
