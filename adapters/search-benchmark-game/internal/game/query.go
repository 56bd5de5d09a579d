package game

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
)

// ErrUnsupported is matched by the errors of Answer about questions that it does not understand. The next ones
// can be answered all the same.
var ErrUnsupported = errors.New("unsupported")

// Engine answers the game's questions from an index that Build has made. It is for one goroutine.
type Engine struct {
	index    *reader.Index
	snapshot *reader.Snapshot
	searcher *search.Searcher
	hits     []search.Hit
}

// Open opens the index in folder dir. The caller closes the Engine.
func Open(dir string) (e *Engine, err error) {
	e = &Engine{}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
	if e.index, err = reader.Open(context.Background(), reader.Dir(dir), reader.Options{}); err != nil {
		return e, err
	}
	if e.snapshot, err = e.index.Snapshot(); err != nil {
		return e, err
	}
	e.searcher, err = search.NewSearcher(e.snapshot, search.Options{Params: query.Params{K1: 0.9, B: 0.4}}) // those of the game's Lucene
	return e, err
}

// Close closes the index.
func (e *Engine) Close() error {
	var errs []error
	if e.searcher != nil {
		errs = append(errs, e.searcher.Close())
	}
	if e.snapshot != nil {
		errs = append(errs, e.snapshot.Close())
	}
	if e.index != nil {
		errs = append(errs, e.index.Close())
	}
	return errors.Join(errs...)
}

// maxK is the greatest N of TOP_N.
const maxK = 100_000

// command is what to do with a query.
type command struct {
	k      int  // how many hits are wanted; 0 if none
	total  bool // whether the answer is the number of documents that match, and 1 otherwise
	sorted bool // whether hits are sorted by sortField, the greatest first, and not by score
}

// parseCommand reads COUNT, TOP_N, TOP_N_COUNT and TOP_N_FF.
func parseCommand(text string) (c command, ok bool) {
	if text == "COUNT" {
		return command{total: true}, true
	}
	n, ok := strings.CutPrefix(text, "TOP_")
	if !ok {
		return c, false
	}
	if n, c.total = strings.CutSuffix(n, "_COUNT"); !c.total {
		n, c.sorted = strings.CutSuffix(n, "_FF")
	}
	k, err := strconv.ParseUint(n, 10, 32)
	c.k = int(k)
	return c, err == nil && k > 0 && k <= maxK
}

// Answer returns the answer to a question, a command, a tab and a query in the language of query.Parse: for COUNT
// and TOP_N_COUNT the number of documents that match, for TOP_N and TOP_N_FF, which find the best N, 1. An error
// that matches ErrUnsupported is about the question, another about the index.
func (e *Engine) Answer(ctx context.Context, line string) (uint64, error) {
	name, text, ok := strings.Cut(line, "\t")
	if !ok {
		return 0, fmt.Errorf("%w: %.100q is no command, tab and query", ErrUnsupported, line)
	}
	c, ok := parseCommand(name)
	if !ok {
		return 0, fmt.Errorf("%w: command %.100q", ErrUnsupported, name)
	}
	node, err := e.searcher.ParseText(text)
	if err != nil {
		return 0, fmt.Errorf("%w: query %.100q: %w", ErrUnsupported, text, err)
	}
	n, err := e.do(ctx, c, node)
	if errors.Is(err, query.ErrInvalid) { // what a query can ask for and the index cannot answer
		err = fmt.Errorf("%w: query %.100q: %w", ErrUnsupported, text, err)
	}
	return n, err
}

// do carries a command out, and leaves its hits in e.hits.
func (e *Engine) do(ctx context.Context, c command, node query.Node) (n uint64, err error) {
	q := search.Query{Node: node, K: c.k, Total: c.total}
	switch {
	case c.k == 0:
		return e.searcher.Count(ctx, q)
	case c.sorted:
		q.Sort = []search.SortBy{{Field: sortField, Desc: true}}
	case !c.total:
		e.hits, err = e.searcher.AppendHits(ctx, e.hits[:0], &q)
		return 1, err
	}
	r, err := e.searcher.Search(ctx, q)
	if e.hits = r.Hits; c.total {
		return r.Total, err
	}
	return 1, err
}

// Serve answers the questions that in has, one a line, each with one line on out, which is written before the next
// question is read: a number, or UNSUPPORTED. What is unsupported is told on log. It ends with in, or with an error
// of in, out or the index.
func (e *Engine) Serve(ctx context.Context, in io.Reader, out, log io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	var answer []byte
	for {
		line, err := lines.ReadString('\n')
		if err != nil && (err != io.EOF || line == "") {
			if err == io.EOF {
				err = nil
			}
			return err
		}
		n, err := e.Answer(ctx, strings.TrimRight(line, "\r\n"))
		switch {
		case errors.Is(err, ErrUnsupported):
			fmt.Fprintln(log, err)
			answer = append(answer[:0], "UNSUPPORTED\n"...)
		case err != nil:
			return err
		default:
			answer = append(strconv.AppendUint(answer[:0], n, 10), '\n')
		}
		if _, err := out.Write(answer); err != nil {
			return err
		}
	}
}
