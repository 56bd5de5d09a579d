// Package codecbench encodes and decodes posting lists with any codec, for measuring.
package codecbench

import (
	"strings"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/segment"
)

// Side is one of the two sequences of a list.
type Side int

// The sides.
const (
	Docs Side = iota
	Freqs
)

func (s Side) values(p format.Postings) []uint32 {
	if s == Docs {
		return p.Docs
	}
	return p.Freqs
}

// Append encodes the side of p with c.
func (s Side) Append(c codec.Codec, dst []byte, ends []uint32, p format.Postings) ([]byte, error) {
	if s == Docs {
		return c.AppendDocs(dst, ends, p.Docs)
	}
	return c.AppendFreqs(dst, ends, p.Freqs)
}

// Names returns the names of all codecs.
func Names() (names []string) {
	for _, c := range registry.All() {
		names = append(names, c.ID().String())
	}
	return names
}

// Codecs returns the codecs with these names, or all codecs if there are no names.
func Codecs(names []string) ([]codec.Codec, error) {
	if len(names) == 0 {
		return registry.All(), nil
	}
	var out []codec.Codec
	for _, name := range names {
		c, ok := registry.ByName(name)
		if !ok {
			all := Names()
			return nil, cli.Usage("no codec %q; there are %s%s", name, strings.Join(all, ", "), cli.DidYouMean(name, all))
		}
		out = append(out, c)
	}
	return out, nil
}

// Read decodes a list.
func Read(l *segment.List) (format.Postings, error) {
	p := format.MakePostings(l.Blocks * l.BlockLen)
	n, err := l.DecodePostings(p, 0, l.Blocks)
	return p.Slice(0, n), err
}

// Encoded is one side of some lists in one codec. The payloads follow each other in
// memory, aligned and padded as in extents.
type Encoded struct {
	Codec codec.Codec
	Side  Side
	Seqs  []format.Sequence
}

// Encode encodes a side of lists with c.
func Encode(c codec.Codec, side Side, lists []format.Postings) (*Encoded, error) {
	var buf []byte
	e := &Encoded{Codec: c, Side: side, Seqs: make([]format.Sequence, len(lists))}
	from := make([]int, len(lists))
	for i, l := range lists {
		values := side.values(l)
		blocks := codec.Blocks(len(values), c.BlockLen())
		s := format.Sequence{Ends: make([]uint32, blocks+1), N: len(values)}
		var err error
		for len(buf)%16 != 0 { // the alignment of payloads in an extent
			buf = append(buf, 0)
		}
		from[i] = len(buf)
		if buf, err = side.Append(c, buf, s.Ends, l); err != nil {
			return nil, err
		}
		if side == Docs {
			s.Last = make([]uint32, blocks)
			for b := range blocks {
				s.Last[b] = values[min((b+1)*c.BlockLen(), len(values))-1]
			}
		}
		e.Seqs[i] = s
	}
	mem := format.AlignedBytes(len(buf))
	copy(mem, buf)
	for i := range e.Seqs {
		n := 4 * int(e.Seqs[i].Ends[len(e.Seqs[i].Ends)-1])
		e.Seqs[i].Payload = mem[from[i] : from[i]+n]
	}
	return e, nil
}

// Bytes returns the size of the sequences with their block endpoints.
func (e *Encoded) Bytes() (n int) {
	for _, s := range e.Seqs {
		n += len(s.Payload) + 4*len(s.Ends)
	}
	return n
}

// Row is the number of values that Decode decodes at a time, as readers of whole lists
// do.
const Row = 1024

// Decode decodes all blocks of all lists in rows. If dst has Row values, every row goes
// to the same place; otherwise the rows follow each other, and dst needs Room values.
func (e *Encoded) Decode(dst []uint32) error {
	decode := e.Codec.DecodeDocs
	if e.Side == Freqs {
		decode = e.Codec.DecodeFreqs
	}
	size, at := e.Codec.BlockLen(), 0
	for i := range e.Seqs {
		s := &e.Seqs[i]
		for b, blocks := 0, len(s.Ends)-1; b < blocks; b += Row / size {
			count := min(Row/size, blocks-b)
			if _, err := decode(dst[at:at+count*size], s, b, count); err != nil {
				return err
			}
			if len(dst) > Row {
				at += count * size
			}
		}
	}
	return nil
}

// Room returns the number of values that all blocks have room for.
func (e *Encoded) Room() (n int) {
	for _, s := range e.Seqs {
		n += (len(s.Ends) - 1) * e.Codec.BlockLen()
	}
	return n
}

// Fastest runs f, which does the same each time, at least once and until d has passed,
// and returns the time of the fastest run.
func Fastest(d time.Duration, f func() error) (time.Duration, error) {
	best := time.Duration(1<<63 - 1)
	for start := time.Now(); ; {
		t := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		best = min(best, time.Since(t))
		if time.Since(start) >= d {
			return max(best, 1), nil
		}
	}
}
