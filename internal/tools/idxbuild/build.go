package idxbuild

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// maxShown is the number of skipped documents that are reported one by one.
const maxShown = 20

// errAllSkipped is the error of a run that has read bad documents only.
var errAllSkipped = errors.New("every document was skipped")

// hint says that a new index of documents does not keep their text, unless that is known.
func (b *build) hint(known bool, ins []input) {
	if !known && slices.ContainsFunc(ins, func(in input) bool { return !in.format.Postings() }) {
		fmt.Fprintln(b.stderr, "idxbuild: the index has no texts, so hits will be ids only: see --store-text")
	}
}

// build is a run of the command.
type build struct {
	stderr   io.Writer
	w        changes
	skip     bool
	done     string // what the run does
	options  exchange.DocumentOptions
	order    *writer.MergeOptions // if the index is brought in another order at the end
	progress *cli.Progress
	read     atomic.Bool // all input is
	late     late
	inFolder bool // the files of a folder are being read, each in its own format
	report   Report
	sample   sample
	// listField is where posting lists go, of an index with a schema.
	listField string
	vectors   *vectorFiles
}

func (f *flags) run(cmd *cobra.Command, args []string) error {
	r, err := f.build(cmd.Context(), cmd.ErrOrStderr(), args)
	if err != nil {
		return err
	}
	return cli.Show(cmd, r)
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

// build changes the index that --out names, which may be a URL.
func (f *flags) build(ctx context.Context, stderr io.Writer, args []string) (r *Report, err error) {
	kind := cli.AnyChange
	if f.dryRun {
		kind = cli.NoChange
	} else if exchange.ReadOnce(f.deletes.ids) || exchange.ReadOnce(f.ids) || slices.ContainsFunc(args, exchange.ReadOnce) || slices.ContainsFunc(f.vectors, vectorsOnce) {
		kind = cli.OneChange
	}
	err = cli.Change(ctx, &f.out, kind, func() (err error) {
		r, err = f.buildDir(ctx, stderr, args)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Index = f.out
	return r, nil
}

func (f *flags) buildDir(ctx context.Context, stderr io.Writer, args []string) (*Report, error) {
	o, err := f.writerOptions()
	if err != nil {
		return nil, err
	}
	fields, err := f.documentFields()
	if err != nil {
		return nil, err
	}
	if err := checkDir(f.out); err != nil {
		return nil, err
	}
	vectors, err := f.openVectors(args)
	if err != nil {
		return nil, err
	}
	defer vectors.close()
	fieldSchema, err := f.schema(fields, vectors, len(args) > 0, &o)
	if err != nil {
		return nil, err
	}
	f.deletes.enc = f.encoding
	if err := f.deletes.check(f.out, args); err != nil {
		return nil, err
	}
	ins, total, err := f.inputs(args)
	if err != nil {
		return nil, err
	}
	if err := f.vain(ins); err != nil {
		return nil, err
	}
	if err := vectors.fields(fieldSchema, ins); err != nil {
		return nil, err
	}
	listField, err := listField(fieldSchema, fields.Keys, ins)
	if err != nil {
		return nil, err
	}
	// The budget does not include garbage, which needs memory of its own.
	debug.SetMemoryLimit(o.Memory + o.Memory/8)
	b := &build{stderr: stderr, vectors: vectors, listField: listField, skip: f.onError.Value == "skip", done: "added", report: Report{Index: f.out, deletes: f.deletes.any(), adds: len(ins) > 0 || len(vectors.all) > 0}}
	if b.report.deletes {
		b.done = "added or deleted"
	}
	b.report.Formats, b.report.see = map[exchange.Format]int{}, "--map"
	if fieldSchema != nil {
		b.report.see = "--field"
	}
	b.options = exchange.DocumentOptions{Fields: fields, Schema: fieldSchema, AutoID: f.autoID, Encoding: f.encoding, MaxRecord: int(f.memory) / recordShare}
	if err := f.setOrder(b, &o); err != nil {
		return nil, err
	}
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
	adopted := isIndex(f.out)
	fresh, upgrade := cli.NewFresh(f.out), cli.NewUpgrade(f.out)
	if err := b.all(ctx, f.out, o, &f.deletes, ins); err != nil {
		fresh.Undo()
		return nil, err
	}
	b.progress.Stop()
	b.report.Upgraded = upgrade.Done(stderr)
	b.hint(f.keepsText(fieldSchema) || adopted, ins)
	if !adopted && f.analyzer == "" && unnamed(fieldSchema) && b.sample.english() {
		fmt.Fprintln(stderr, "idxbuild: the text looks English: --analyzer english finds inflected words too, and leaves out stop words")
	}
	return &b.report, nil
}

// all deletes, adds all inputs and commits.
func (b *build) all(ctx context.Context, dir string, o writer.Options, d *deletions, ins []input) (err error) {
	start := time.Now()
	if b.skip {
		o.Refused = b.late.add
	}
	w, err := writer.Open(ctx, dir, o)
	if err != nil {
		return cli.Opening(err)
	}
	defer func() {
		if cerr := w.Close(); err == nil {
			err = cerr
		}
	}()
	before, err := live(dir)
	if err != nil {
		return err
	}
	b.w = sampled{w, &b.sample}
	if err := b.change(ctx, dir, d, ins); err != nil {
		return err
	}
	b.read.Store(true)
	if err := w.Flush(ctx); err != nil { // what is refused by then is known
		return b.explain(err)
	}
	if err := b.skipLate(); err != nil {
		return b.explain(err)
	}
	if b.order != nil {
		if _, err := w.Merge(ctx, *b.order); err != nil {
			return b.explain(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		return b.explain(err)
	}
	if err := w.WaitMerges(ctx); err != nil {
		return fmt.Errorf("%w\neverything was added", err)
	}
	b.report.Kept = w.KeepCommits()
	b.report.Bare = w.WithoutTerms()
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
	if err := b.rows(ctx, len(ins)); err != nil {
		return b.explain(err)
	}
	if b.allSkipped() {
		return b.explain(errAllSkipped)
	}
	return nil
}

func (b *build) allSkipped() bool {
	return b.report.Skipped+b.report.Foreign > 0 && b.report.Added == 0
}

// late are documents that the writer has refused after it had taken them.
type late struct {
	mu    sync.Mutex
	n     int64
	first []error // maxShown at most
}

// add is writer.Options.Refused.
func (l *late) add(_ []byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n++; len(l.first) < maxShown {
		l.first = append(l.first, err)
	}
}

// skipLate counts the documents that were refused late as skipped, and reports them.
func (b *build) skipLate() error {
	l := &b.late
	l.mu.Lock()
	defer l.mu.Unlock()
	b.report.Added -= l.n
	for i := range l.n {
		b.report.Skipped++
		b.skipped(l.first[min(i, int64(len(l.first))-1)])
	}
	l.n, l.first = 0, nil
	if b.allSkipped() {
		return errAllSkipped
	}
	return nil
}

// explain adds to err what it means for the run.
func (b *build) explain(err error) error {
	skip := "--on-error skip passes over bad documents"
	if b.inFolder && exchange.Recoverable(err) {
		skip += ", --format textdir takes each file for one document"
	}
	switch {
	case errors.Is(err, exchange.ErrNoField) && !b.skip && strings.Contains(err.Error(), `field "id"`):
		return fmt.Errorf("%w\nnothing was %s; --map names the fields to read, --auto-id makes ids up, %s", err, b.done, skip)
	case errors.Is(err, exchange.ErrNoField) && !b.skip:
		return fmt.Errorf("%w\nnothing was %s; --map names the fields to read, %s", err, b.done, skip)
	case errors.Is(err, exchange.ErrNotUTF8) && !b.skip:
		return fmt.Errorf("%w\nnothing was %s; --encoding names the encoding, such as windows-1252, %s", err, b.done, skip)
	case (exchange.Recoverable(err) || errors.Is(err, writer.ErrDocument)) && !b.skip:
		return fmt.Errorf("%w\nnothing was %s; %s", err, b.done, skip)
	case errors.Is(err, store.ErrUncertain):
		return err
	}
	return fmt.Errorf("%w\nnothing was %s", err, b.done)
}

// documents adds the documents of in.
func (b *build) documents(ctx context.Context, in input) error {
	b.options.Format = in.format
	st, err := os.Stat(in.path)
	b.inFolder = err == nil && st.IsDir() && in.format == exchange.FormatAuto
	src, err := exchange.OpenDocuments(in.path, b.options)
	if err != nil {
		return err
	}
	defer src.Close()
	defer b.report.count(src)
	defer context.AfterFunc(ctx, func() { src.Close() })()
	done := b.report.Read
	for {
		err := b.add(ctx, src)
		if err == io.EOF {
			break
		}
		switch {
		case err == nil:
			b.report.Added++
		case errors.Is(err, writer.ErrDocument):
			err = fmt.Errorf("%s: %w", in.path, err)
		}
		switch {
		case errors.Is(err, exchange.ErrForeign):
			b.report.Foreign++
			b.skipped(err)
			err = nil
		case b.skip && (exchange.Recoverable(err) || errors.Is(err, writer.ErrDocument)):
			b.report.Skipped++
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

// skipped reports a skipped document or file.
func (b *build) skipped(err error) {
	switch n := b.report.Skipped + b.report.Foreign; {
	case n <= maxShown:
		fmt.Fprintf(b.stderr, "skipped: %v\n", err)
	case n == maxShown+1:
		fmt.Fprintln(b.stderr, "skipped: more, which are not shown")
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
	lists := src.Inverted()
	lists.Field = b.listField
	if err := b.w.AddInverted(ctx, lists); err != nil {
		return fmt.Errorf("%s: %w", in.path, err)
	}
	b.report.Added += int64(src.Docs())
	b.report.Formats[in.format]++
	b.report.Read = done + src.BytesRead()
	return nil
}
