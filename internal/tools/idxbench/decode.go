package idxbench

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codecbench"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/simd"
	"github.com/pinion-index/pinion/internal/synthetic"
	"github.com/pinion-index/pinion/segment"
)

// Decode is what `idxbench decode` prints.
type Decode struct {
	Data     string      `json:"data"`
	Lists    int         `json:"lists"`
	Postings int         `json:"postings"`
	Rows     []DecodeRow `json:"rows"`
}

// DecodeRow is one codec at one level of vector instructions.
type DecodeRow struct {
	Codec     string  `json:"codec"`
	Level     string  `json:"level"`
	DocBits   float64 `json:"doc_bits"`
	DocRate   float64 `json:"docs_per_second"`
	FreqBits  float64 `json:"freq_bits"`
	FreqRate  float64 `json:"freqs_per_second"`
	EncodeSec float64 `json:"encoded_docs_per_second"`
	Error     string  `json:"error,omitempty"`
}

type decodeFlags struct {
	codecs []string
	data   *cli.Choice
	n      int
	index  string
	levels bool
	whole  bool
	time   time.Duration
}

func decodeCommand() *cobra.Command {
	f := &decodeFlags{data: cli.NewChoice("DATA", "uniform", "clustered")}
	cmd := &cobra.Command{
		Use:   "decode",
		Short: "Measure how fast codecs decode, and their size",
		Long: `Measure how fast each codec decodes docIDs and frequencies, and how many bits it takes
for each, block endpoints included. The lists are drawn at random within 2^29 (Anh and
Moffat 2010); with --index they are the lists of an index that have extents. They are
decoded in rows of 1,024 values into one buffer; with --whole, into memory that holds
them all. Each figure is of the fastest run.`,
		Example: "  idxbench decode --codec bp128,vbyte128 --levels\n  idxbench decode --data clustered --n 33554432 --whole\n  idxbench decode --index kjv.idx",
		Args:    cli.Want(),
		RunE: cli.Shows(func(cmd *cobra.Command, _ []string) (*Decode, error) {
			if f.time <= 0 {
				return nil, cli.Usage("--time is above 0")
			}
			if err := cli.InVain(cmd.Flags(), cli.Vain{Flags: "data n", If: f.index != "", Why: "draws lists: with --index they are those of an index"}); err != nil {
				return nil, err
			}
			return f.run(cmd.Context())
		}),
	}
	fl := cmd.Flags()
	cli.JSONFlag(cmd.Flags())
	fl.StringSliceVar(&f.codecs, "codec", nil, "only these codecs, as `NAME,...`")
	cli.CompleteList(cmd, "codec", codecbench.Names())
	fl.Var(f.data, "data", "lists: "+f.data.Words())
	cli.Int(fl, &f.n, "n", 1<<16, 1, 1<<28, "postings of the list")
	fl.StringVar(&f.index, "index", "", "take the lists of the index in `DIR`")
	fl.BoolVar(&f.levels, "levels", false, "measure every level of vector instructions that this CPU has")
	fl.BoolVar(&f.whole, "whole", false, "keep the values of all blocks, not of one row")
	fl.DurationVar(&f.time, "time", 200*time.Millisecond, "measure each figure for this `TIME`")
	return cmd
}

func (f *decodeFlags) run(ctx context.Context) (*Decode, error) {
	codecs, err := codecbench.Codecs(f.codecs)
	if err != nil {
		return nil, err
	}
	d := &Decode{Data: f.data.Value}
	var lists []format.Postings
	if f.index != "" {
		d.Data = f.index
		if lists, err = extentsOf(f.index); err != nil {
			return nil, err
		}
	} else if f.data.Value == "uniform" {
		lists = []format.Postings{{Docs: synthetic.Uniform(1, f.n, synthetic.Range), Freqs: synthetic.Freqs(2, f.n, 1000)}}
	} else {
		lists = []format.Postings{{Docs: synthetic.Clustered(1, f.n, synthetic.Range), Freqs: synthetic.Freqs(2, f.n, 1000)}}
	}
	d.Lists = len(lists)
	for _, l := range lists {
		d.Postings += len(l.Docs)
	}
	levels := []simd.Tier{simd.Level()}
	if f.levels {
		levels = simd.Tiers()
	}
	for _, c := range codecs {
		for _, level := range levels {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			d.Rows = append(d.Rows, f.row(c, level, lists, d.Postings))
		}
	}
	return d, nil
}

// extentsOf decodes all lists of an index that have an extent.
func extentsOf(path string) (lists []format.Postings, err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	s, end, err := cli.Snapshot(path)
	if err != nil {
		return nil, err
	}
	defer end()
	for _, g := range s.Segments() {
		views := g.Views()
		for i := range views.Fields() {
			if lists, err = appendExtents(lists, views, views.Field(i)); err != nil {
				return nil, err
			}
		}
	}
	if len(lists) == 0 {
		return nil, fmt.Errorf("%s has no list long enough for an extent", path)
	}
	return lists, nil
}

// appendExtents decodes the lists of a field of s that have an extent.
func appendExtents(lists []format.Postings, s *segment.Segment, f segment.FieldView) ([]format.Postings, error) {
	it := f.Terms(nil)
	for it.Next() {
		if it.Entry().Kind != segment.KindExtent {
			continue
		}
		l, err := s.Lists().List(it.Entry())
		if err != nil {
			return nil, err
		}
		p, err := codecbench.Read(l)
		if err != nil {
			return nil, format.Locate(err, format.Place{List: string(it.Term()), Block: format.NoBlock})
		}
		lists = append(lists, p)
	}
	return lists, it.Err()
}

// row measures one codec.
func (f *decodeFlags) row(c codec.Codec, level simd.Tier, lists []format.Postings, n int) DecodeRow {
	defer simd.SetLevel(level)()
	r := DecodeRow{Codec: c.ID().String(), Level: level.String()}
	var err error
	if r.DocBits, r.DocRate, err = f.side(c, codecbench.Docs, lists, n); err == nil {
		r.FreqBits, r.FreqRate, err = f.side(c, codecbench.Freqs, lists, n)
	}
	if err == nil {
		r.EncodeSec, err = f.encode(c, lists, n)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// side returns the bits per value and the values decoded per second.
func (f *decodeFlags) side(c codec.Codec, side codecbench.Side, lists []format.Postings, n int) (bits, rate float64, err error) {
	e, err := codecbench.Encode(c, side, lists)
	if err != nil {
		return 0, 0, err
	}
	dst := make([]uint32, codecbench.Row)
	if f.whole {
		dst = make([]uint32, max(e.Room(), codecbench.Row+1))
	}
	took, err := codecbench.Fastest(f.time, func() error { return e.Decode(dst) })
	return 8 * float64(e.Bytes()) / float64(n), float64(n) / took.Seconds(), err
}

// encode returns the docIDs encoded per second.
func (f *decodeFlags) encode(c codec.Codec, lists []format.Postings, n int) (float64, error) {
	var dst []byte
	ends := make([]uint32, 1)
	took, err := codecbench.Fastest(f.time, func() error {
		for _, l := range lists {
			if need := codec.Blocks(len(l.Docs), c.BlockLen()) + 1; len(ends) < need {
				ends = make([]uint32, need)
			}
			var err error
			if dst, err = c.AppendDocs(dst[:0], ends, l.Docs); err != nil {
				return err
			}
		}
		return nil
	})
	return float64(n) / took.Seconds(), err
}

func (d *Decode) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s in %s\n\n", d.Data, cli.Number(d.Postings, "posting"), cli.Number(d.Lists, "list"))
	t := cli.NewTable("codec", "level", ">bits/docID", ">docIDs/s", ">bits/freq", ">freqs/s", ">docIDs encoded/s")
	for _, r := range d.Rows {
		if r.Error != "" {
			t.Row(r.Codec, r.Level, "-", "-", "-", "-", "-")
			continue
		}
		rate := func(v float64) string { return cli.Rate(v, time.Second) }
		t.Row(r.Codec, r.Level, cli.Float(r.DocBits, 3), rate(r.DocRate), cli.Float(r.FreqBits, 3), rate(r.FreqRate), rate(r.EncodeSec))
	}
	t.WriteTo(w)
	for _, r := range d.Rows {
		if r.Error != "" {
			fmt.Fprintf(w, "%s: %s\n", r.Codec, r.Error)
		}
	}
}
