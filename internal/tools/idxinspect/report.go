package idxinspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/tools/htmlreport"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/query"
)

func reportCommand() *cobra.Command {
	var out string
	b := &pageBuilder{mode: query.ModeOr}
	mode := cli.NewChoice("MODE", query.ModeOr.String(), query.ModeAnd.String(), query.ModeAndOr.String())
	cmd := &cobra.Command{
		Use:   "report INDEX --out FILE",
		Short: "Draw an index as an HTML page",
		Long: `Draw an index as an HTML page: health, where the bytes go, how values are
distributed, what codecs cost, the blocks of the longest lists, and advice on
merging. The page is one file that needs no network, light or dark as the
browser is.

With --queries it also shows what the first queries of a log did to the blocks
of their lists, and the hit rate that a GPU would have. "-" is standard output.
It compares every byte with its checksum, as verify --level 1 does. If anything
is damaged, that is on top of the page, and the exit code is 1.`,
		Example: `  idxinspect report -o kjv.html kjv.idx
  idxinspect report --queries topics.tsv -o kjv.html kjv.idx`,
		Args: cli.Want("INDEX"),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if out == "" {
			return cli.Usage("--out is missing")
		}
		if err := cli.InVain(cmd.Flags(), cli.Vain{Flags: "mode traced", If: b.queries == "", Why: "goes with --queries"}); err != nil {
			return err
		}
		if out == "-" {
			if err := cli.Unreadable(cmd.OutOrStdout(), "a page of HTML"); err != nil {
				return err
			}
		}
		var err error
		if err = b.mode.UnmarshalText([]byte(mode.Value)); err != nil {
			return err
		}
		b.path, b.stderr = args[0], cmd.ErrOrStderr()
		damage, err := b.build(cmd.Context())
		if err != nil {
			return err
		}
		write := func(w io.Writer) error { return htmlreport.Write(w, &b.page) }
		if out == "-" {
			err = write(cmd.OutOrStdout())
		} else {
			err = cli.WriteCopy(out, args[0], true, write)
		}
		if err != nil {
			return err
		}
		return damage
	}
	fl := cmd.Flags()
	cli.Output(fl, &out, "out", "o", "`FILE` to write (required)")
	fl.StringVar(&b.queries, "queries", "", cli.QueriesUsage)
	fl.Var(mode, "mode", "documents that match: "+mode.Words())
	cli.Int(fl, &b.traced, "traced", 20, 0, 100, "trace the first `N` queries")
	fl.Uint64Var(&b.seed, "seed", 1, "draw other samples with another `N`")
	return cmd
}

// pageBuilder gathers what a page shows.
type pageBuilder struct {
	path, queries string
	mode          query.Mode
	traced        int
	seed          uint64
	stderr        io.Writer
	page          htmlreport.Report

	left            []leftOut
	visits, columns int // of traced queries so far
}

// build fills the page. The first error says that there is damage.
func (b *pageBuilder) build(ctx context.Context) (damage, err error) {
	b.page.Title = filepath.Base(filepath.Clean(b.path))
	b.page.Generator = "idxinspect " + cli.Version()
	b.page.Origin = origin(b.path)
	v, err := verify(ctx, b.stderr, b.path, check.Checksums, 0)
	if err != nil {
		return nil, err
	}
	b.health(v)
	if err := b.contents(ctx); err != nil {
		if v.OK || !errors.Is(err, format.ErrCorrupt) || ctx.Err() != nil {
			return nil, err
		}
		b.note(err)
	}
	for _, l := range b.left {
		b.page.Notes = append(b.page.Notes, l.text())
	}
	return v.Err(), nil
}

// origin says what the page is about, and when and where it was made.
func origin(path string) []inspect.Fact {
	return []inspect.Fact{
		{Name: "index", Value: cli.Printable(path)},
		{Name: "made", Value: time.Now().UTC().Format("2006-01-02 15:04:05 UTC")},
		{Name: "on", Value: cli.Printable(cli.CPU()) + ", " + cli.Number(runtime.GOMAXPROCS(0), "thread")},
		{Name: "by", Value: "idxinspect " + cli.Version()},
	}
}

// contents adds what the index holds. Damage is noted and passed over where possible.
func (b *pageBuilder) contents(ctx context.Context) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	x, err := inspect.Open(b.path, inspect.Sound)
	if err != nil {
		return cli.Opening(err)
	}
	defer x.Close()
	for _, err := range x.Damage {
		b.note(err)
	}
	b.summary(x)
	m := inspect.NewCodecMeter(pageCodecs())
	r := &runSampler{ctx: ctx, meter: m, every: defaultBlocks / codecRuns}
	p := cli.NewProgress(b.stderr, "walk", 0, cli.ItemRate("lists"))
	st, err := inspect.Collect(ctx, x.Segments(), inspect.Options{Blocks: defaultBlocks, Seed: b.seed, Top: topLists,
		Run: r.run, Damaged: b.note, Progress: p.Update})
	p.Stop()
	if err != nil {
		return err
	}
	b.page.Stats = st
	b.bytes(x, st)
	if err := b.codecs(ctx, r); err != nil {
		return err
	}
	l, err := newListDrawer(x)
	if err != nil {
		return err
	}
	for _, t := range st.Top {
		if _, err := l.draw(t.Segment, string(t.Term), t.Entry); err != nil {
			b.note(err)
		}
	}
	if b.queries != "" {
		err := b.log(ctx, x, l)
		if errors.Is(err, format.ErrCorrupt) {
			b.note(err)
		} else if err != nil {
			return err
		}
	}
	b.page.Lists = l.lists
	b.page.Advice = advice(x, st)
	return nil
}

// leftOut is damage in one section that the numbers leave out.
type leftOut struct {
	place string
	times int
	what  string
}

// note records damage that the numbers leave out.
func (b *pageBuilder) note(err error) {
	l := leftOut{what: cli.Printable(err.Error())}
	if e := (*format.Error)(nil); errors.As(err, &e) {
		l.place = cli.Printable(filepath.Base(e.File) + ", section " + e.Section)
	}
	i := slices.IndexFunc(b.left, func(x leftOut) bool { return x.place == l.place })
	if i < 0 {
		i = len(b.left)
		b.left = append(b.left, l)
	}
	b.left[i].times++
}

func (l *leftOut) text() string {
	if strings.HasSuffix(l.place, ", section header") {
		return "The numbers leave out " + strings.TrimSuffix(l.place, ", section header") + "."
	}
	if l.times == 1 {
		return "The numbers leave out: " + l.what + "."
	}
	return fmt.Sprintf("The numbers leave out %s damaged parts of %s.", cli.Count(l.times), l.place)
}

// topLists is how many lists the explorer has, besides those of queries.
const topLists = 200

// health says what verification found.
func (b *pageBuilder) health(v *inspect.Verification) {
	h := &b.page.Health
	h.Sound = v.OK
	bytes, bad := int64(0), 0
	for _, f := range v.Files {
		bytes += f.Bytes
		if f.OK {
			continue
		}
		bad++
		for _, p := range f.Damage {
			if len(h.Damage) == htmlreport.MaxDamage {
				h.More++
				continue
			}
			h.Damage = append(h.Damage, htmlreport.Damage{File: f.File, Place: strings.Join(append([]string{p.Section}, p.Where()...), ", "), What: cli.Printable(p.What)})
		}
	}
	switch {
	case v.OK:
		h.Summary = fmt.Sprintf("All checksums hold: %s of %s.", cli.Bytes(bytes), cli.Number(len(v.Files), "file"))
	default:
		h.Summary = fmt.Sprintf("Damage found in %d of %s. 'idxinspect verify' checks more than checksums, 'idxinspect repair' shows what can be had.", bad, cli.Number(len(v.Files), "file"))
	}
	for _, name := range v.Orphans {
		b.page.Notes = append(b.page.Notes, fmt.Sprintf("%s belongs to no commit: a writer is at work, or a crash left it.", cli.Printable(name)))
	}
}
