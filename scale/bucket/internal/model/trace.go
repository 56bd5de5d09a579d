package model

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/pinion-index/pinion/internal/cputime"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
)

// Trace is what queries read of an index of one segment. In a file it is JSON: the Index, then each Query.
type Trace struct {
	Index
	Queries []Query
}

// Index describes the segment.
type Index struct {
	Docs     int       `json:"docs"`
	Bytes    int64     `json:"bytes"`
	Postings int64     `json:"postings"`
	Sections []Section `json:"sections"`
	Opening  []Read    `json:"opening"`
}

// Section is a section of the segment.
type Section struct {
	Name string `json:"name"`
	Off  int64  `json:"off"`
	N    int64  `json:"n"`
}

// Query is what one query reads of a segment that is open, with nothing cached.
type Query struct {
	Text    string        `json:"text"`
	Terms   int           `json:"terms"`
	Reads   []Read        `json:"reads"` // until the hits are known
	IDs     []Read        `json:"ids"`   // for the ids of ten hits
	CPU     time.Duration `json:"cpu"`   // of the search with all in memory
	Blocks  int64         `json:"blocks"`
	Decoded int64         `json:"decoded"` // of the blocks of its lists
	Lists   []List        `json:"lists"`   // of its terms
}

// List is a posting list.
type List struct {
	Term string `json:"t"`
	DF   int    `json:"df"`
}

// Read is a request. Those of one round are under way together; each round begins when the one before has ended.
type Read struct {
	Round int   `json:"r"` // from 1
	Off   int64 `json:"o"`
	N     int64 `json:"n"`

	Section string `json:"-"` // that has the most of it
}

// settle is how long reads take while a trace is recorded, so that those that are sent together overlap.
const settle = 2 * time.Millisecond

// Record records what each of queries reads of the index in dir, which must be of one segment, up to the ids of its first ten hits.
func Record(ctx context.Context, dir string, queries []string) (*Trace, error) {
	local, err := reader.Open(ctx, reader.Dir(dir), reader.Options{})
	if err != nil {
		return nil, err
	}
	defer local.Close()
	t := &Trace{}
	if err := t.describe(local); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	for _, text := range queries {
		q, err := t.record(ctx, dir, text)
		if err == nil {
			err = q.measure(ctx, local)
		}
		if err != nil {
			return nil, fmt.Errorf("query %q: %w", text, err)
		}
		t.Queries = append(t.Queries, *q)
	}
	return t, nil
}

// describe sets what is true of the index.
func (t *Trace) describe(x *reader.Index) error {
	s, err := x.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	segments := s.Segments()
	if len(segments) != 1 {
		return fmt.Errorf("the index has %d segments, not one", len(segments))
	}
	h := segments[0].Views().Header()
	t.Docs, t.Bytes, t.Postings = int(s.Stats().Docs), h.FileLen, int64(s.Stats().Postings)
	for _, sec := range h.Sections {
		t.Sections = append(t.Sections, Section{sec.ID.String(), sec.Offset, sec.Length})
	}
	return nil
}

// record opens the index and answers one query.
func (t *Trace) record(ctx context.Context, dir, text string) (*Query, error) {
	rec := &recorder{Source: reader.FromFS(os.DirFS(dir))}
	x, err := reader.Open(ctx, rec, reader.Options{})
	if err != nil {
		return nil, err
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	searcher, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		return nil, err
	}
	defer searcher.Close()
	time.Sleep(4 * settle) // NewSearcher begins to read the index of ids
	if opening := rec.take(); t.Opening == nil {
		t.Opening = opening
	}
	res, err := searcher.Search(ctx, search.Query{Text: text, K: 10})
	if err != nil {
		return nil, err
	}
	q := &Query{Text: text, Terms: len(strings.Fields(text)), Reads: rec.take()}
	var docs []uint32
	for _, h := range res.Hits {
		docs = append(docs, h.Doc)
	}
	s = s.WithContext(ctx)
	s.Prefetch(docs, false)
	for _, d := range docs {
		if _, err := s.AppendID(nil, d); err != nil {
			return nil, err
		}
	}
	q.IDs = rec.take()
	t.place(q.Reads)
	t.place(q.IDs)
	return q, nil
}

// measure sets what the query takes of an index in memory: the least time of three. It is that of the process's CPUs, which other
// work of the machine does not lengthen much.
func (q *Query) measure(ctx context.Context, x *reader.Index) error {
	s, err := x.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	searcher, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		return err
	}
	defer searcher.Close()
	for i := range 4 {
		start := cputime.Process()
		res, err := searcher.Search(ctx, search.Query{Text: q.Text, K: 10, Trace: i == 0})
		if err != nil {
			return err
		}
		if took := cputime.Process() - start; i == 1 || i > 1 && took < q.CPU {
			q.CPU = took
		}
		if res.Trace == nil {
			continue
		}
		for _, seg := range res.Trace.Segments {
			for _, l := range seg.Lists {
				q.Blocks += int64(l.Blocks)
				q.Decoded += min(int64(l.DocBlocks), int64(l.Blocks))
				q.Lists = append(q.Lists, List{l.Term, int(l.DF)})
			}
		}
	}
	return nil
}

// recorder is a Source that notes what is read of segments.
type recorder struct {
	reader.Source
	mu    sync.Mutex
	reads []Read
	ended int // rounds that have ended
}

// take returns what was read since the last call. Nothing is under way.
func (r *recorder) take() []Read {
	r.mu.Lock()
	defer r.mu.Unlock()
	reads := r.reads
	r.reads, r.ended = nil, 0
	return reads
}

// Open implements reader.Source.
func (r *recorder) Open(name string) (io.ReaderAt, int64, error) {
	f, n, err := r.Source.Open(name)
	if err == nil && strings.HasPrefix(name, "segment-") {
		f = &recorded{f, r}
	}
	return f, n, err
}

type recorded struct {
	io.ReaderAt
	r *recorder
}

// Close closes the file.
func (f *recorded) Close() error { return f.ReaderAt.(io.Closer).Close() }

// ReadAtContext implements reader.ContextReaderAt.
func (f *recorded) ReadAtContext(_ context.Context, p []byte, off int64) (int, error) {
	f.r.mu.Lock()
	round := f.r.ended + 1
	f.r.reads = append(f.r.reads, Read{Round: round, Off: off, N: int64(len(p))})
	f.r.mu.Unlock()
	time.Sleep(settle)
	n, err := f.ReadAt(p, off)
	f.r.mu.Lock()
	f.r.ended = max(f.r.ended, round)
	f.r.mu.Unlock()
	return n, err
}

// Write writes the trace to w.
func (t *Trace) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	err := e.Encode(t.Index)
	for _, q := range t.Queries {
		err = errors.Join(err, e.Encode(q))
	}
	return errors.Join(err, b.Flush())
}

// ReadTrace reads a trace from r.
func ReadTrace(r io.Reader) (*Trace, error) {
	d := json.NewDecoder(bufio.NewReader(r))
	t := &Trace{}
	if err := d.Decode(&t.Index); err != nil {
		return nil, fmt.Errorf("no trace: %w", err)
	}
	for {
		var q Query
		switch err := d.Decode(&q); {
		case err == io.EOF:
			return t, nil
		case err != nil:
			return nil, fmt.Errorf("query %d of the trace: %w", len(t.Queries)+1, err)
		}
		t.place(q.Reads)
		t.place(q.IDs)
		t.Queries = append(t.Queries, q)
	}
}

// place sets in which sections reads are.
func (x *Index) place(reads []Read) {
	for i := range reads {
		most := int64(0)
		for _, s := range x.Sections {
			if n := x.In(s.Name, reads[i:i+1]); n > most {
				most, reads[i].Section = n, s.Name
			}
		}
	}
}

// In returns how many bytes of reads lie in a section of that name.
func (x *Index) In(name string, reads []Read) (n int64) {
	for _, s := range x.Sections {
		for _, r := range reads {
			if s.Name == name {
				n += max(0, min(r.Off+r.N, s.Off+s.N)-max(r.Off, s.Off))
			}
		}
	}
	return n
}

// Total returns the number of reads, their bytes, and the number of rounds.
func Total(reads []Read) (requests, rounds int, bytes int64) {
	for _, r := range reads {
		bytes += r.N
		rounds = max(rounds, r.Round)
	}
	return len(reads), rounds, bytes
}
