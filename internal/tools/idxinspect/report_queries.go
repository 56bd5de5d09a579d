package idxinspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/tools/htmlreport"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/reader"
)

// hitsTraced is how many hits the traced queries ask for.
const hitsTraced = 10

// log adds what a query log does: traces of its first queries, and a plan for a GPU.
func (b *pageBuilder) log(ctx context.Context, x *inspect.Index, l *listDrawer) error {
	if x.Manifest == nil {
		return cli.Usage("--queries goes with an index directory, not with a segment file")
	}
	if exchange.ReadOnce(b.queries) {
		return errors.New("--queries cannot be read from standard input or a pipe: it is read twice")
	}
	src, _, err := exchange.OpenQueries(b.queries, exchange.QueriesAuto)
	if err != nil {
		return err
	}
	defer src.Close()
	if err := b.trace(ctx, src, x, l); err != nil {
		return err
	}
	p, err := newPlanLog(x, b.queries)
	if err != nil {
		return err
	}
	b.plan(p)
	if n := len(p.queries); n > len(b.page.Queries) {
		b.page.Omitted = n - len(b.page.Queries)
	}
	return nil
}

// trace answers the first queries.
func (b *pageBuilder) trace(ctx context.Context, src exchange.Source, x *inspect.Index, l *listDrawer) error {
	snapshot, searcher, end, err := x.Searcher(ctx)
	if err != nil {
		return err
	}
	defer end()
	for len(b.page.Queries) < b.traced && b.visits < maxVisits && b.columns < visitColumns {
		d, err := src.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		q, err := b.traceOne(ctx, searcher, snapshot, x, l, string(d.ID), string(d.Contents))
		if err != nil {
			return fmt.Errorf("query %s: %w", d.ID, err)
		}
		b.page.Queries = append(b.page.Queries, *q)
	}
	return nil
}

// traceOne answers one query, twice, so that its time is not that of reading the index
// for the first time.
func (b *pageBuilder) traceOne(ctx context.Context, s *search.Searcher, snapshot *reader.Snapshot, x *inspect.Index, l *listDrawer, id, text string) (*htmlreport.Query, error) {
	q := search.Query{Text: text, K: hitsTraced, Mode: b.mode, Trace: true}
	if _, err := s.Search(ctx, q); err != nil {
		return nil, err
	}
	r, err := s.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	t := r.Trace
	out := &htmlreport.Query{ID: cli.Printable(id), Text: cli.Printable(text), Algorithm: t.Algorithm.String(), Docs: x.Docs(),
		Micros: math.Round(float64((t.Resolve+t.Search).Nanoseconds())/100) / 10,
		Hits:   []htmlreport.Hit{}, Thresholds: thresholds(t.Thresholds), Passes: []htmlreport.Pass{}}
	for _, h := range r.Hits {
		docID, err := snapshot.AppendID(nil, h.Doc)
		if err != nil {
			return nil, err
		}
		out.Hits = append(out.Hits, htmlreport.Hit{ID: cli.Quote(string(docID)), Doc: h.Doc, Score: h.Score})
	}
	for i := range t.Segments {
		if b.visits += len(t.Segments[i].Lists); b.visits > maxVisits {
			b.page.Notes = append(b.page.Notes, fmt.Sprintf("Query %s is shown for its first %s passes over segments only.", out.ID, cli.Count(i)))
			break
		}
		p, err := b.pass(&t.Segments[i], x, l)
		if err != nil {
			return nil, err
		}
		out.Passes = append(out.Passes, *p)
	}
	return out, nil
}

// maxRises is how many rises of a threshold are drawn at most.
const maxRises = 200

// thresholds returns the rises that are drawn.
func thresholds(rises []search.Threshold) [][2]float64 {
	out := [][2]float64{}
	step := max(1, (len(rises)+maxRises-1)/maxRises)
	for i, r := range rises {
		if (i%step == 0 || i == len(rises)-1) && !math.IsInf(float64(r.Score), 0) {
			out = append(out, [2]float64{float64(r.Doc), rounded(r.Score)})
		}
	}
	slices.SortStableFunc(out, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	return out
}

// pass says what a query did in a segment.
func (b *pageBuilder) pass(t *search.SegmentTrace, x *inspect.Index, l *listDrawer) (*htmlreport.Pass, error) {
	p := &htmlreport.Pass{Segment: x.Segs[t.Segment].File, Candidates: t.Candidates, Scored: t.Scored, Lists: []htmlreport.Visited{}}
	for i := range t.Lists {
		v := &t.Lists[i]
		id, err := inspect.ChooseField(x.Fields(), v.Field)
		if err != nil {
			return nil, err
		}
		out := htmlreport.Visited{Term: inField(v.Field, v.Term), List: -1, Blocks: v.Blocks}
		if e, ok, err := inspect.LookupIn(x.Segs[t.Segment].Segment, id, []byte(v.Term)); err != nil {
			return nil, err
		} else if ok {
			if out.List, err = l.draw(t.Segment, v.Term, e); err != nil {
				return nil, err
			}
		}
		if out.List >= 0 {
			b.columns += len(l.lists[out.List].To)
		}
		if b.columns > visitColumns {
			out.List = -1
		}
		if out.List >= 0 && v.Blocks > 0 {
			fates(&out, v.Fates, l.lists[out.List].Count)
		}
		p.Lists = append(p.Lists, out)
	}
	return p, nil
}

// fates counts what happened to the blocks of each column. A list without an extent has
// its postings at hand.
func fates(out *htmlreport.Visited, blocks []uint8, columns []int) {
	at := 0
	for _, n := range columns {
		var f htmlreport.Fate
		if blocks == nil {
			f[0] = n
		} else {
			for _, b := range blocks[at : at+n] {
				switch {
				case b&(search.DocsDecoded|search.FreqsDecoded) != 0:
					f[0]++
				case b&search.BelowBound != 0:
					f[1]++
				}
			}
		}
		at += n
		out.Decoded += f[0]
		out.ByBound += f[1]
		out.ByHeader += n - f[0] - f[1]
		out.Columns = append(out.Columns, f)
	}
}

// planSteps is how many budgets the curve has.
const planSteps = 13

// plan adds the hit rates of budgets up to all that the log asks for.
func (b *pageBuilder) plan(l *planLog) {
	all := l.plan(0, 0)
	if all.Asked.Bytes == 0 {
		return
	}
	p := &htmlreport.Plan{Queries: all.Queries, Lists: all.Asked.Lists, Bytes: all.Asked.Bytes}
	half := l.demands(0, 2)
	for i := range planSteps {
		budget := int64(float64(all.Asked.Bytes) / math.Exp2(float64(planSteps-1-i)/2))
		p.Steps = append(p.Steps, l.try(half, budget))
	}
	b.page.Plan = p
}
