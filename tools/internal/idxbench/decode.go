package idxbench

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/format/codec/registry"
	"github.com/pinion-index/pinion/format/codec/simd"
	"github.com/pinion-index/pinion/format/codec/synthetic"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/tools/internal/cli"
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
	time   time.Duration
}

func decodeCommand() *cobra.Command {
	f := &decodeFlags{data: cli.NewChoice("DATA", "uniform", "clustered")}
	cmd := &cobra.Command{
		Use:   "decode",
		Short: "Measure how fast codecs decode, and their size",
		Long: `Measure how fast every codec decodes docIDs and frequencies, and the bits it takes
for one with its block endpoints. The lists are drawn at random within 2^29 (Anh
and Moffat 2010), or with --index are those of an index that have extents. They
are decoded a block at a time into the same buffer. Each figure is the fastest run.`,
		Example: "  idxbench decode --codec bp128,vbyte128 --levels\n  idxbench decode --index kjv.idx",
		Args:    cli.Want(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := f.run(cmd.Context())
			if err != nil {
				return err
			}
			return show(cmd, d)
		},
	}
	fl := cmd.Flags()
	jsonFlag(cmd)
	fl.StringSliceVar(&f.codecs, "codec", nil, "only these codecs, as `NAME,...`")
	fl.Var(f.data, "data", "lists: "+f.data.Words())
	fl.IntVar(&f.n, "n", 1<<16, "postings of the list")
	fl.StringVar(&f.index, "index", "", "take the lists of the index in `DIR`")
	fl.BoolVar(&f.levels, "levels", false, "measure every level of vector instructions that this CPU has")
	fl.DurationVar(&f.time, "time", 200*time.Millisecond, "measure each figure for this `TIME`")
	return cmd
}

// postings is one list to be encoded.
type postings struct{ docs, freqs []uint32 }

func (f *decodeFlags) run(ctx context.Context) (*Decode, error) {
	codecs, err := f.chosen()
	if err != nil {
		return nil, err
	}
	if f.n < 1 || f.n > 1<<28 {
		return nil, cli.Usage("--n is 1 to %d", 1<<28)
	}
	d := &Decode{Data: f.data.Value}
	var lists []postings
	if f.index != "" {
		d.Data = f.index
		if lists, err = extentsOf(f.index); err != nil {
			return nil, err
		}
	} else if f.data.Value == "uniform" {
		lists = []postings{{synthetic.Uniform(1, f.n, synthetic.Range), synthetic.Freqs(2, f.n, 1000)}}
	} else {
		lists = []postings{{synthetic.Clustered(1, f.n, synthetic.Range), synthetic.Freqs(2, f.n, 1000)}}
	}
	d.Lists = len(lists)
	for _, l := range lists {
		d.Postings += len(l.docs)
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

func (f *decodeFlags) chosen() ([]codec.Codec, error) {
	if f.codecs == nil {
		return registry.All(), nil
	}
	var out []codec.Codec
	for _, name := range f.codecs {
		c, ok := registry.ByName(name)
		if !ok {
			var names []string
			for _, c := range registry.All() {
				names = append(names, c.ID().String())
			}
			return nil, cli.Usage("no codec %q; there are %s", name, strings.Join(names, ", "))
		}
		out = append(out, c)
	}
	return out, nil
}

// extentsOf decodes all lists of an index that have an extent.
func extentsOf(path string) (lists []postings, err error) {
	defer store.CatchFault(store.ArmFault(), &err)
	x, err := reader.Open(path)
	if err != nil {
		return nil, cli.Opening(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return nil, cli.Opening(err)
	}
	defer s.Close()
	for _, g := range s.Segments() {
		it := g.Terms()
		for it.Next() {
			if it.Entry().Kind != segment.KindExtent {
				continue
			}
			l, err := g.List(it.Entry())
			if err != nil {
				return nil, err
			}
			p, err := decodeList(l)
			if err != nil {
				return nil, format.Locate(err, format.Place{List: string(it.Term()), Block: format.NoBlock})
			}
			lists = append(lists, p)
		}
		if err := it.Err(); err != nil {
			return nil, err
		}
	}
	if len(lists) == 0 {
		return nil, fmt.Errorf("%s has no list long enough for an extent", path)
	}
	return lists, nil
}

func decodeList(l *segment.List) (postings, error) {
	size := l.Blocks * l.BlockLen
	p := postings{make([]uint32, size), make([]uint32, size)}
	for b := range l.Blocks {
		if _, err := l.DecodeDocs(b, p.docs[b*l.BlockLen:]); err != nil {
			return p, err
		}
		if _, err := l.DecodeFreqs(b, p.freqs[b*l.BlockLen:]); err != nil {
			return p, err
		}
	}
	return postings{p.docs[:l.N], p.freqs[:l.N]}, nil
}

// row measures one codec.
func (f *decodeFlags) row(c codec.Codec, level simd.Tier, lists []postings, n int) DecodeRow {
	defer simd.SetLevel(level)()
	r := DecodeRow{Codec: c.ID().String(), Level: level.String()}
	fail := func(err error) DecodeRow {
		r.Error = err.Error()
		return r
	}
	docs, err := encodeAll(lists, c, func(dst []byte, ends []uint32, l postings) ([]byte, error) { return c.AppendDocs(dst, ends, l.docs) }, true)
	if err != nil {
		return fail(err)
	}
	freqs, err := encodeAll(lists, c, func(dst []byte, ends []uint32, l postings) ([]byte, error) { return c.AppendFreqs(dst, ends, l.freqs) }, false)
	if err != nil {
		return fail(err)
	}
	r.DocBits, r.FreqBits = bits(docs, n), bits(freqs, n)
	var took time.Duration
	if took, err = f.decodeAll(c, docs, c.DecodeDocs); err != nil {
		return fail(err)
	}
	r.DocRate = float64(n) / took.Seconds()
	if took, err = f.decodeAll(c, freqs, c.DecodeFreqs); err != nil {
		return fail(err)
	}
	r.FreqRate = float64(n) / took.Seconds()
	var dst []byte
	ends := make([]uint32, 1)
	took, err = measure(f.time, func() error {
		for _, l := range lists {
			if need := codec.Blocks(len(l.docs), c.BlockLen()) + 1; len(ends) < need {
				ends = make([]uint32, need)
			}
			var err error
			if dst, err = c.AppendDocs(dst[:0], ends, l.docs); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fail(err)
	}
	r.EncodeSec = float64(n) / took.Seconds()
	return r
}

// encodeAll encodes all lists into one piece of memory.
func encodeAll(lists []postings, c codec.Codec, encode func([]byte, []uint32, postings) ([]byte, error), docs bool) ([]codec.Sequence, error) {
	var buf []byte
	out := make([]codec.Sequence, len(lists))
	from := make([]int, len(lists)+1)
	for i, l := range lists {
		blocks := codec.Blocks(len(l.docs), c.BlockLen())
		s := codec.Sequence{Ends: make([]uint32, blocks+1), N: len(l.docs)}
		var err error
		for len(buf)%16 != 0 { // as payloads lie in an extent
			buf = append(buf, 0)
		}
		from[i] = len(buf)
		if buf, err = encode(buf, s.Ends, l); err != nil {
			return nil, err
		}
		from[i+1] = len(buf)
		if docs {
			s.Last = make([]uint32, blocks)
			for b := range blocks {
				s.Last[b] = l.docs[min((b+1)*c.BlockLen(), len(l.docs))-1]
			}
		}
		out[i] = s
	}
	mem := format.AlignedBytes(len(buf))
	copy(mem, buf)
	for i := range out {
		n := 4 * int(out[i].Ends[len(out[i].Ends)-1])
		out[i].Payload = mem[from[i] : from[i]+n]
	}
	return out, nil
}

// bits returns the bits a value takes, with its share of the endpoints.
func bits(seqs []codec.Sequence, n int) float64 {
	size := 0
	for _, s := range seqs {
		size += len(s.Payload) + 4*len(s.Ends)
	}
	return 8 * float64(size) / float64(n)
}

func (f *decodeFlags) decodeAll(c codec.Codec, seqs []codec.Sequence, decode func([]uint32, *codec.Sequence, int) (int, error)) (time.Duration, error) {
	dst := make([]uint32, c.BlockLen())
	return measure(f.time, func() error {
		for i := range seqs {
			s := &seqs[i]
			for b := range len(s.Ends) - 1 {
				if _, err := decode(dst, s, b); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (d *Decode) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s postings in %s lists\n\n", d.Data, cli.Count(d.Postings), cli.Count(d.Lists))
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
