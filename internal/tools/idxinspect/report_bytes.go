package idxinspect

import (
	"context"
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/internal/tools/htmlreport"
	"github.com/pinion-index/pinion/internal/tools/inspect"
	"github.com/pinion-index/pinion/segment"
)

// summary adds the facts of `idxinspect summary`.
func (b *pageBuilder) summary(x *inspect.Index) {
	s, err := inspect.Summarize(x)
	if err != nil {
		b.note(err)
	}
	for _, g := range s.Segments {
		b.page.Segments = append(b.page.Segments, htmlreport.Segment{SegmentSummary: g})
	}
	add := func(name, value string) {
		b.page.Facts = append(b.page.Facts, inspect.Fact{Name: name, Value: cli.Printable(value)})
	}
	for _, f := range s.Facts() {
		add(f.Name, f.Value)
	}
	add("segments", cli.Count(len(s.Segments)))
	add("lists", cli.Count(s.Lists()))
	for _, f := range s.Fields {
		add("field "+f.Name, fmt.Sprintf("%s, %s, %s, %s", cli.Number(f.Documents, "document"), cli.Number(f.Tokens, "token"), cli.Number(f.Terms, "term"), cli.Bytes(f.Bytes)))
	}
	columns, err := inspect.ColumnsOf(x.Manifest, x.Segments())
	if err != nil {
		b.note(err)
	}
	for _, c := range columns {
		add("column "+c.Field, fmt.Sprintf("%s of %s, %s to %s, %s", cli.Number(c.Values, "value"), cli.Number(c.Documents, "document"), shown(c.Min, c.Documents), shown(c.Max, c.Documents), cli.Bytes(int64(c.Bytes))))
	}
}

// kinds are what sections are for. Those of dictionary and postings are divided further.
var kinds = map[string]htmlreport.Kind{
	format.SectionIDs.String(): htmlreport.IDs, format.SectionIDIndex.String(): htmlreport.IDs, format.SectionIDHash.String(): htmlreport.IDs,
	format.SectionStored.String(): htmlreport.Text, format.SectionStoredIndex.String(): htmlreport.Text,
	format.SectionTerms.String(): htmlreport.Dictionary, format.SectionTermIndex.String(): htmlreport.Dictionary,
	format.SectionDocLengths.String(): htmlreport.Lengths,
	format.SectionColumns.String():    htmlreport.Columns, format.SectionColumnBounds.String(): htmlreport.Columns,
	format.SectionPositions.String(): htmlreport.Positions, format.SectionPositionIndex.String(): htmlreport.Positions,
}

// bytes divides the bytes of each segment by what they are for.
func (b *pageBuilder) bytes(x *inspect.Index, st *inspect.Stats) {
	for i, z := range st.Segments {
		s := &b.page.Segments[i]
		add := func(k htmlreport.Kind, name string, n int64) {
			if n > 0 {
				s.Parts = append(s.Parts, htmlreport.Part{Kind: k, Name: name, Bytes: n})
			}
		}
		for _, e := range z.Sections {
			switch k, ok := kinds[e.Name]; {
			case e.Name == format.SectionPostings.String():
			case e.Name == format.SectionTerms.String():
				short := z.Forms[segment.KindSingleton].Bytes + z.Forms[segment.KindCompact].Bytes
				add(k, "short lists", short)
				add(k, "terms", e.Bytes-short)
			case ok:
				add(k, e.Name, e.Bytes)
			default:
				add(htmlreport.Other, e.Name, e.Bytes)
			}
		}
		for _, p := range z.Docs {
			add(htmlreport.Docs, "docIDs: "+p.Codec, p.Bytes)
		}
		for _, p := range z.Freqs {
			add(htmlreport.Freqs, "freqs: "+p.Codec, p.Bytes)
		}
		for _, e := range z.Parts {
			if e.Name != "docs" && e.Name != "freqs" {
				add(htmlreport.Skips, e.Name, e.Bytes)
			}
		}
	}
}

const (
	codecRuns   = 96      // about how many runs of postings measure codecs
	runPostings = 1 << 12 // postings of a run at most
)

// runSampler measures codecs on runs of postings around blocks of a sample.
type runSampler struct {
	ctx   context.Context
	meter *inspect.CodecMeter
	every int // blocks of the sample for a run

	seen, runs int
	seg        int
	at         int64 // the last run: its extent and block
	block      int
}

// pageCodecs are the codecs that a page compares.
func pageCodecs() []codec.Codec { return registry.All() }

// run is Options.Run of package inspect.
func (r *runSampler) run(_ []byte, seg int, l *segment.List, block int) error {
	r.seen++
	if l.Kind != segment.KindExtent || r.seen%r.every != 0 {
		return nil
	}
	n := runPostings / l.BlockLen
	first := block / n * n
	if e := l.Entry(); r.runs > 0 && r.seg == seg && r.at == e.Offset && r.block == first {
		return nil
	} else {
		r.seg, r.at, r.block = seg, e.Offset, first
	}
	n = min(n, l.Blocks-first)
	p := format.MakePostings(n * l.BlockLen)
	k, err := l.DecodePostings(p, first, n)
	if err != nil {
		return nil // Collect finds it, too
	}
	p = p.Slice(0, k)
	if first > 0 { // as a list of its own, with the same gaps
		base := l.Last(first-1) + 1
		for i := range p.Docs {
			p.Docs[i] -= base
		}
	}
	r.runs++
	return r.meter.Add(r.ctx, p)
}

// codecs adds what codecs need for the runs.
func (b *pageBuilder) codecs(ctx context.Context, r *runSampler) error {
	if err := r.meter.Flush(ctx); err != nil || r.runs == 0 {
		return err
	}
	m := r.meter
	b.page.Codecs = &htmlreport.Codecs{
		Sample: fmt.Sprintf("Measured on %s in %s of up to %s, drawn as the sample above.", cli.Number(m.Done, "posting"), cli.Number(r.runs, "run"), cli.Count(runPostings)),
	}
	b.page.Codecs.Docs, b.page.Codecs.Freqs = m.Tables()
	return nil
}

// advice says what a merge would gain.
func advice(x *inspect.Index, st *inspect.Stats) (out []string) {
	docs, deleted, docBytes := x.Docs(), uint64(0), int64(0)
	small := 0
	for i, g := range x.Segs {
		n := g.Deletes.Count()
		deleted += uint64(n)
		if g.Meta().Docs > 0 {
			docBytes += int64(float64(g.Header().FileLen) * float64(n) / float64(g.Meta().Docs))
		}
		if st.Segments[i].Bytes*20 < st.All.Bytes {
			small++
		}
	}
	if deleted > 0 {
		out = append(out, fmt.Sprintf("Deleted documents, %s of %s (%s), take about %s until a merge drops them.",
			cli.Count(deleted), cli.Count(docs), cli.Percent(deleted, docs), cli.Bytes(docBytes)))
	}
	switch n := len(x.Segs); {
	case n == 0:
		return append(out, "The index has no segments.")
	case n == 1 && deleted == 0:
		return append(out, "There is one segment without deleted documents: a merge gains nothing.")
	case n > 1:
		out = append(out, fmt.Sprintf("%d segments hold %s distinct terms in %s lists: a lookup of a term finds %s lists on average, and each segment costs every query a pass of its own.",
			n, cli.Count(st.Terms), cli.Count(st.Lists), cli.Float(float64(st.Lists)/float64(max(st.Terms, 1)), 3)))
	}
	if small > 1 {
		out = append(out, fmt.Sprintf("%d segments are each under a twentieth of the index; merging these alone is cheap.", small))
	}
	return append(out, fmt.Sprintf("Merging all of it rewrites %s: idxmerge --in-place INDEX (with --max-segments N it merges less).", cli.Bytes(st.All.Bytes)))
}
