package idxquery

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"math/bits"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
)

// question is one query of the user.
type question struct {
	id, text string
	vector   []float32 // of --nearest
}

// feed passes the queries to the pipeline: the arguments, or, in a goroutine of their
// own, those of the file, while the first are being answered.
func (f *flags) feed(cmd *cobra.Command, l *pipeline, args []string) error {
	if len(f.like) > 0 {
		l.add([]question{{id: "1"}})
		l.end(nil)
		return nil
	}
	var vectors *vectorSource
	if f.nearest != "" {
		var err error
		if vectors, err = f.openVectors(); err != nil {
			return err
		}
		if len(args) == 0 && f.queries == "" {
			go func() { l.end(vectors.alone(l)) }()
			return nil
		}
	}
	if f.queries == "" {
		qs := make([]question, len(args))
		for i, a := range args {
			if err := cli.CheckText("query", a); err != nil {
				return err
			}
			qs[i] = question{id: fmt.Sprint(i + 1), text: a}
			var err error
			if qs[i].vector, err = vectors.of(qs[i].id); err != nil {
				return err
			}
		}
		l.add(qs)
		l.end(vectors.end())
		return nil
	}
	src, format, err := f.openQueries(cmd.Context())
	if err != nil {
		return err
	}
	if format == exchange.QueriesLines && f.format.Value != string(format) && f.queries != exchange.Stdin {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s is read as plain lines, numbered from 1\n", cmd.CommandPath(), cli.Printable(f.queries))
	}
	r := &questions{src: src, vectors: vectors, to: l, most: readFirst, size: exchange.Size(f.queries, exchange.FormatTSV)}
	if f.run != "" {
		l.check = newIDSet().checkShare
	}
	go func() {
		defer src.Close()
		l.end(r.all())
	}()
	return nil
}

// openQueries is exchange.OpenQueries, or OpenVectors, until ctx is done: a pipe may never be opened by who writes it,
// or never hold the first bytes, which tell the format.
func (f *flags) openQueries(ctx context.Context) (exchange.Source, exchange.QueryFormat, error) {
	type opened struct {
		src    exchange.Source
		format exchange.QueryFormat
		err    error
	}
	c := make(chan opened, 1)
	go func() {
		var o opened
		if format := exchange.QueryFormat(f.format.Value); f.dot != "" {
			o.src, o.format, o.err = exchange.OpenVectors(f.queries, format, f.weighable)
		} else {
			o.src, o.format, o.err = exchange.OpenQueries(f.queries, format)
		}
		c <- o
	}()
	select {
	case o := <-c:
		return o.src, o.format, o.err
	case <-ctx.Done():
		go func() {
			if o := <-c; o.err == nil {
				o.src.Close()
			}
		}()
		return nil, "", ctx.Err()
	}
}

// questions reads a file of queries.
type questions struct {
	src     exchange.Source
	vectors *vectorSource // nil: queries have none
	size    int64         // of its file; 0 if unknown
	to      *pipeline
	read    int    // queries
	text    []byte // of those not passed on yet: ids and texts
	ends    []int  // of ids and texts, in turn
	most    int    // queries that are passed on together
}

// readAtOnce is the most queries that are passed on together, and that a share can have. The
// first are passed on when there are readFirst, and then twice as many each time.
const (
	readAtOnce = 4096
	readFirst  = 64
)

// all reads the file to its end.
func (r *questions) all() error {
	for {
		d, err := r.src.Next()
		if err == io.EOF {
			if err := r.flush(); err != nil {
				return err
			}
			return r.vectors.end()
		}
		if err != nil {
			return err
		}
		r.text = append(r.text, d.ID...)
		r.ends = append(r.ends, len(r.text))
		r.text = append(r.text, d.Contents...)
		r.ends = append(r.ends, len(r.text))
		if len(r.ends) == 2*r.most {
			if err := r.flush(); err != nil {
				return err
			}
			r.most = min(2*r.most, readAtOnce)
		}
	}
}

// flush passes on what has been read.
func (r *questions) flush() (err error) {
	text, at := string(r.text), 0
	qs := make([]question, len(r.ends)/2)
	for i := range qs {
		id, end := r.ends[2*i], r.ends[2*i+1]
		qs[i] = question{id: text[at:id], text: text[id:end]}
		if qs[i].vector, err = r.vectors.of(qs[i].id); err != nil {
			return err
		}
		at = end
	}
	r.text, r.ends = r.text[:0], r.ends[:0]
	if len(qs) > 0 && qs[0].vector != nil {
		r.to.room(len(qs[0].vector))
	}
	r.to.add(qs)
	if r.read += len(qs); r.size > 0 {
		r.to.estimate(int(float64(r.read) * float64(r.size) / float64(max(r.src.BytesRead(), 1))))
	}
	return nil
}

// idSet is a set of query ids. One goroutine at a time adds millions of them a second,
// which a map of strings does not allow. It holds no pointers that a garbage collection
// must follow. As long as ids ascend, first by their lengths, as numbers do, all are new.
type idSet struct {
	seed  maphash.Seed
	ids   []byte
	ends  []int
	slots []uint64 // 32 bits of the hash and the number of the id plus 1; 0: free; at most half are in use; nil while ids ascend
}

func newIDSet() *idSet { return &idSet{seed: maphash.MakeSeed()} }

// checkShare refuses what evaluators of runs refuse: query ids with blanks, and duplicates.
func (s *idSet) checkShare(sh *share) error {
	for i := range sh.questions {
		id := sh.questions[i].id
		if id == "" || strings.ContainsAny(id, blanks) {
			return fmt.Errorf("query id %q: a run line needs one word", id)
		}
		if !s.add(id) {
			return fmt.Errorf("query id %q occurs twice: a run has one ranking for each", id)
		}
	}
	return nil
}

// add adds an id and reports whether it is new.
func (s *idSet) add(id string) bool {
	n := len(s.ends)
	if s.slots == nil {
		if n == 0 || ascends(s.id(uint32(n-1)), id) {
			s.keep(id)
			return true
		}
		s.hashAll()
	}
	if 2*n >= len(s.slots) {
		s.grow()
	}
	hash := maphash.String(s.seed, id) >> 32
	i := s.probe(hash, id)
	if s.slots[i] != 0 {
		return false
	}
	s.keep(id)
	s.slots[i] = hash<<32 | uint64(n+1)
	return true
}

func (s *idSet) keep(id string) {
	s.ids = append(s.ids, id...)
	s.ends = append(s.ends, len(s.ids))
}

// ascends reports whether b is longer than a, or as long and greater.
func ascends(a []byte, b string) bool {
	return len(a) < len(b) || len(a) == len(b) && string(a) < b
}

// hashAll makes slots of the ids, which are all different.
func (s *idSet) hashAll() {
	s.slots = make([]uint64, max(1<<13, 4<<bits.Len(uint(len(s.ends)))))
	for n := range uint32(len(s.ends)) {
		id := s.id(n)
		hash := maphash.Bytes(s.seed, id) >> 32
		s.slots[s.free(hash)] = hash<<32 | uint64(n+1)
	}
}

// free returns the first free slot for a hash.
func (s *idSet) free(hash uint64) uint64 {
	mask := uint64(len(s.slots) - 1)
	i := hash & mask
	for s.slots[i] != 0 {
		i = (i + 1) & mask
	}
	return i
}

// probe returns the slot of an id, or the free one where it belongs.
func (s *idSet) probe(hash uint64, id string) uint64 {
	mask := uint64(len(s.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		v := s.slots[i]
		if v == 0 || v>>32 == hash && string(s.id(uint32(v)-1)) == id {
			return i
		}
	}
}

// id returns the id that was added as number i.
func (s *idSet) id(i uint32) []byte {
	from := 0
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.ids[from:s.ends[i]]
}

func (s *idSet) grow() {
	old := s.slots
	s.slots = make([]uint64, 4*len(old))
	for _, v := range old {
		if v != 0 {
			s.slots[s.free(v>>32)] = v
		}
	}
}
