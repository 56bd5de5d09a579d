// Package idxmerge is the command idxmerge.
package idxmerge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

type flags struct {
	out         string
	inPlace     string
	maxSegments int
	codecs      cli.Codecs
	order       *cli.Choice
	seed        uint64
	memory      cli.ByteSize
	threads     int
	keep        int
	salvage     bool
	impacts     string
}

// Command returns the command.
func Command() *cobra.Command {
	f := &flags{memory: writer.DefaultMemory}
	f.order = cli.NewChoice("ORDER", string(writer.OrderInput), string(writer.OrderBisection), string(writer.OrderRandom)).
		Also("field:", "NAME")
	cmd := &cobra.Command{
		Use:   "idxmerge {--out DIR SRC... | --in-place DIR}",
		Short: "Merge indexes, or the segments of one",
		Long: `Idxmerge merges the indexes in the directories SRC into the one in DIR, and creates
it if there is none. The documents of DIR come first, then those of each SRC in turn.
Of documents with the same id, the last is kept. All must have the same analyzer, and
all or none the text of documents.

With --in-place it merges the segments of the index in DIR. Deleted documents are
dropped from the segments that are rewritten, and values that were changed in
place are written into them. Otherwise no answer to a query changes.

Lists keep their codecs unless --codec or --freq-codec names another. All lists are
then encoded with it, even if there is only one segment.

With --order bp or random the index becomes one segment with renumbered documents.
The order bp (recursive graph bisection) places documents that share terms near each
other, which makes posting lists smaller; it takes 4 bytes of memory a posting in
addition to --memory. Ids and scores do not change, only the order among equal scores.
With --order field:ts, or field:-ts for the greatest first, documents are sorted by the
column ts, those without a value last, and stay so when more are added and merged.

With --salvage it adds what can still be read of damaged indexes SRC to the one in DIR,
and lists what is lost: documents, terms, postings, texts. It then exits with 1. Nothing
is added unless all SRC have the same analyzer, or a schema that the first one's
extends, and a sound manifest. For an index without a manifest, see 'idxinspect repair'.

With --impacts FIELD it makes an index of one field of impacts: the BM25 scores of the
text in FIELD of SRC, for one query of each term, in steps of 1/255 of the greatest
(docs/sparse.md). Of an index without fields FIELD is the name of the new one.`,
		Example: `  idxmerge --out all.idx 2023.idx 2024.idx
  idxmerge --in-place all.idx
  idxmerge --in-place all.idx --max-segments 4
  idxmerge --in-place all.idx --order bp
  idxmerge --in-place logs.idx --order field:-ts
  idxmerge --out small.idx --codec ef --freq-codec newpfd all.idx
  idxmerge --impacts text --out sparse-kjv.idx kjv.idx
  idxmerge --salvage --out saved.idx damaged.idx`,
		Args: cobra.ArbitraryArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) }
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.out, "out", "", "merge SRC... into the index in `DIR`")
	fl.StringVar(&f.inPlace, "in-place", "", "merge the segments of the index in `DIR`")
	cli.Int(fl, &f.maxSegments, "max-segments", 1, 1, cli.Any, "with --in-place: leave at most `N` segments")
	f.codecs.Add(fl, "(auto: blocks that are copied keep theirs, others get the cheapest)")
	fl.Var(f.order, "order", "order of documents: "+f.order.Words())
	fl.Uint64Var(&f.seed, "seed", 0, "of --order random: another `N` gives another order")
	fl.Var(&f.memory, "memory", "memory budget")
	cli.Threads(fl, &f.threads)
	cli.KeepCommits(fl, &f.keep)
	fl.BoolVar(&f.salvage, "salvage", false, "with --out: copy what can be read of damaged SRC...")
	fl.StringVar(&f.impacts, "impacts", "", "with --out: make an index of the scores of the text in `FIELD`")
	cli.JSONFlag(fl)
	return cmd
}

func (f *flags) check(cmd *cobra.Command, args []string) error {
	switch {
	case f.out == "" && f.inPlace == "":
		return cli.Usage("--out or --in-place is wanted")
	case f.out != "" && f.inPlace != "":
		return cli.Usage("--out and --in-place exclude each other")
	case f.out != "" && len(args) == 0:
		return cli.Usage("SRC is missing")
	case f.inPlace != "" && len(args) > 0:
		return cli.Usage("unexpected argument %q: --in-place merges one index", args[0])
	case f.out != "" && cmd.Flags().Changed("max-segments"):
		return cli.Usage("--max-segments goes with --in-place")
	case cmd.Flags().Changed("seed") && f.order.Value != string(writer.OrderRandom):
		return cli.Usage("--seed goes with --order random")
	case f.salvage && (f.out == "" || f.order.Value != string(writer.OrderInput)):
		return cli.Usage("--salvage goes with --out, without --order")
	case f.maxSegments > 1 && f.order.Value != string(writer.OrderInput):
		return cli.Usage("--order %s makes one segment; --max-segments %d contradicts it", f.order.Value, f.maxSegments)
	case f.memory < writer.MinMemory:
		return cli.Usage("--memory is at least %s", cli.Bytes(int64(writer.MinMemory)))
	}
	if err := f.checkImpacts(args); err != nil {
		return err
	}
	for _, src := range args {
		if sameDir(src, f.out) {
			return cli.Usage("%s is both source and --out; --in-place merges an index in itself", src)
		}
	}
	return nil
}

func sameDir(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func (f *flags) run(cmd *cobra.Command, args []string) error {
	if err := f.check(cmd, args); err != nil {
		return err
	}
	p := cli.NewProgress(cmd.ErrOrStderr(), "merge", 0, cli.ItemRate("postings"))
	defer p.Stop()
	o := writer.Options{Memory: int64(f.memory), Threads: f.threads, KeepCommits: f.keep, Progress: p.Writer}
	var err error
	if o.DocsCodec, o.FreqsCodec, err = f.codecs.Options(); err != nil {
		return err
	}
	if f.impacts != "" {
		return f.runImpacts(cmd, args[0], o)
	}
	if f.salvage {
		return f.runSalvage(cmd, args, o)
	}
	r, err := f.merge(cmd.Context(), cmd.ErrOrStderr(), args, o)
	if err != nil {
		return err
	}
	p.Stop()
	return cli.Show(cmd, r)
}

// merge merges into the index that --out or --in-place names, which may be a URL, as sources may.
func (f *flags) merge(ctx context.Context, stderr io.Writer, sources []string, o writer.Options) (r *Report, err error) {
	dir, kind := &f.out, cli.AnyChange
	if f.inPlace != "" {
		dir, kind = &f.inPlace, cli.Merging
	}
	sources, end, err := cli.Local(ctx, sources)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	err = cli.Change(ctx, dir, kind, func() (err error) {
		start := time.Now()
		m := writer.MergeOptions{Order: writer.Order(f.order.Value), Seed: f.seed}
		var did writer.MergeStats
		upgrade := cli.NewUpgrade(*dir)
		if f.inPlace != "" {
			did, err = mergeInPlace(ctx, *dir, f.maxSegments, o, m)
		} else {
			did, err = mergeInto(ctx, *dir, sources, o, m)
		}
		if err != nil {
			return err
		}
		if r, err = newReport(*dir, did, time.Since(start)); err == nil {
			r.Upgraded = upgrade.Done(stderr)
		}
		return err
	})
	switch {
	case err == nil:
		r.Index = *dir
	case errors.Is(err, writer.ErrInvalid) && strings.HasPrefix(f.order.Value, "field:"):
		err = cli.Usage("--order: %w", err)
	}
	return r, err
}

// exists returns an error unless dir holds an index, in which something was committed.
func exists(dir string) error {
	d, err := indexdir.Open(dir)
	if err != nil {
		return cli.Opening(err)
	}
	defer d.Close()
	c, err := d.Latest()
	if err != nil {
		return cli.Opening(err)
	}
	c.Release()
	return cli.Committed(dir, c.Manifest)
}

func mergeInto(ctx context.Context, out string, sources []string, o writer.Options, m writer.MergeOptions) (did writer.MergeStats, err error) {
	dirs := make([]store.ReadFS, len(sources))
	for i, src := range sources {
		if err := exists(src); err != nil {
			return did, err
		}
		dirs[i] = store.Dir(src)
	}
	if err := exists(out); err != nil && !cli.IsNotExist(err) && !errors.Is(err, store.ErrUncommitted) && !empty(out) {
		return did, err
	}
	fresh := cli.NewFresh(out)
	did, err = writer.MergeInto(ctx, out, dirs, o, m)
	if _, e := os.Stat(out); err != nil && e != nil { // it could not be made
		return did, cli.Opening(err)
	}
	if err != nil {
		fresh.Undo()
	}
	return did, opening(err)
}

// empty reports whether dir is an empty directory.
func empty(dir string) bool {
	e, err := os.ReadDir(dir)
	return err == nil && len(e) == 0
}

func mergeInPlace(ctx context.Context, dir string, maxSegments int, o writer.Options, m writer.MergeOptions) (did writer.MergeStats, err error) {
	if err := exists(dir); err != nil {
		return did, err
	}
	w, err := writer.Open(ctx, dir, o)
	if err != nil {
		return did, cli.Opening(err)
	}
	defer func() {
		if cerr := w.Close(); err == nil {
			err = cerr
		}
	}()
	m.MaxSegments, m.Purge, m.Recode = maxSegments, true, o.DocsCodec != "" || o.FreqsCodec != ""
	did, err = w.Merge(ctx, m)
	if err == nil {
		err = w.Commit(ctx)
	}
	return did, err
}

// opening marks errors that come from opening one of the indexes.
func opening(err error) error {
	if errors.Is(err, store.ErrLocked) || errors.Is(err, store.ErrLockLost) || errors.Is(err, format.ErrNotAnIndex) {
		return cli.Opening(err)
	}
	return err
}

// Report is what idxmerge prints.
type Report struct {
	Index     string  `json:"index"`
	Segments  int     `json:"segments"`
	Docs      uint64  `json:"documents"`
	Bytes     int64   `json:"bytes"`
	Seconds   float64 `json:"seconds"`
	Merge     Merged  `json:"merge"`
	Reordered uint64  `json:"reordered_documents"`
	Upgraded  bool    `json:"upgraded"`
	took      time.Duration
}

// Merged is writer.MergeStats as idxmerge prints it.
type Merged struct {
	Sources  int    `json:"sources"`
	Outputs  int    `json:"outputs"`
	Docs     uint64 `json:"documents"`
	Purged   uint64 `json:"purged_documents"`
	Postings uint64 `json:"postings"`
	Copied   uint64 `json:"copied_blocks"`
	Encoded  uint64 `json:"encoded_postings"`
}

func newReport(dir string, did writer.MergeStats, took time.Duration) (*Report, error) {
	r := &Report{Index: dir, Reordered: did.Reordered, Seconds: took.Seconds(), took: took}
	r.Merge = Merged{did.Sources, did.Outputs, did.Docs, did.Purged, did.Postings, did.Copied, did.Encoded}
	d, err := indexdir.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	c, err := d.Latest()
	if err != nil {
		return nil, err
	}
	defer c.Release()
	r.Segments = len(c.Segments)
	for _, s := range c.Segments {
		r.Docs += uint64(s.Docs - s.Deleted)
	}
	for _, name := range c.Files() {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil {
			r.Bytes += st.Size()
		}
	}
	return r, nil
}

func (r *Report) Text(w io.Writer) {
	m := &r.Merge
	t := cli.NewTable("", "")
	if m.Sources == 0 && r.Reordered == 0 {
		t.Row("merged", "nothing: the index is as wanted")
	} else if m.Sources > 0 {
		t.Row("merged", fmt.Sprintf("%s into %s", cli.Number(m.Sources, "segment"), cli.Count(m.Outputs)))
		t.Row("postings", fmt.Sprintf("%s in %s, %s/s", cli.Count(m.Postings), cli.Seconds(r.took), cli.Rate(float64(m.Postings), r.took)))
		t.Row("copied", fmt.Sprintf("%s as before, %s encoded anew", cli.Number(m.Copied, "block"), cli.Number(m.Encoded, "posting")))
		if m.Purged > 0 {
			t.Row("dropped", cli.Number(m.Purged, "deleted document"))
		}
	}
	if r.Reordered > 0 {
		t.Row("renumbered", cli.Number(r.Reordered, "document"))
	}
	t.Row("index", r.Index)
	t.Row("documents", r.Docs)
	t.Row("segments", r.Segments)
	t.Row("size", cli.Bytes(r.Bytes))
	t.WriteTo(w)
}
