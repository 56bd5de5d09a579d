package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/automata"
	"github.com/pinion-index/pinion/internal/budget"
	"github.com/pinion-index/pinion/internal/engine/expand"
	"github.com/pinion-index/pinion/internal/fields"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
)

// Completing asks what a text that is being typed may become.
type Completing struct {
	// Field is one that is indexed. If it is text whose analyzer stems, a field with its values (schema.Field.Of) whose analyzer does not
	// has its words.
	Field string
	// Text is what has been typed. In a field of text its last word, up to the end, is completed, and documents count that have the
	// words before; in one of keywords all of it is.
	Text string
	// Filter, unless nil, restricts the documents that count.
	Filter query.Node
	// By, unless "", is a column of numbers or times: the words whose documents have the greatest values in it come first.
	By string
	// Exact leaves out words of which the beginning has a slip.
	Exact bool
	// K is how many words are wanted; 0 means DefaultK.
	K int
}

// Completion is a word that completes a text.
type Completion struct {
	Suggestion
	Text  string       // the text with the word
	Slip  bool         // one edit makes the beginning of the word of what was typed
	Value schema.Value // the greatest of Completing.By, the zero Value if there is none
}

// leastSlip is how many characters of a word must be typed for a slip in them.
const leastSlip = 4

// Completions returns what completes a text: words that begin with what has been typed and then, where that has four characters or more,
// words that do but for one edit behind the first character. Those in more documents come first, or with By those with greater values,
// and then by their bytes. The error is that of ctx, or matches ErrInvalid, ErrClosed, analysis.ErrUnknown or format.ErrCorrupt.
func Completions(ctx context.Context, s *Searcher, c Completing) ([]Completion, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	snapshot := s.engine.Snapshot()
	if snapshot == nil {
		return nil, fmt.Errorf("%w: a Searcher without a snapshot", query.ErrInvalid)
	}
	release, err := snapshot.Acquire() // lists are read without
	if err != nil {
		return nil, err
	}
	defer release()
	x := completing{Completing: c, s: s, ctx: ctx, snapshot: snapshot.WithContext(ctx)}
	if err := x.begin(); err != nil || x.prefix == "" {
		return nil, err
	}
	all, err := x.find(expand.Selection{Prefix: []byte(x.prefix), Without: x.without}, x.K)
	if err != nil || len(all) == x.K || x.Exact || utf8.RuneCountInString(x.prefix) < leastSlip || utf8.RuneCountInString(x.prefix) > automata.MaxFuzzy {
		return x.completions(all, nil), err
	}
	a, err := automata.FuzzyPrefix(x.prefix, 1, 1)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", query.ErrInvalid, err)
	}
	slips, err := x.find(expand.Selection{Automaton: a, Without: x.without}, x.K-len(all))
	return x.completions(all, slips), err
}

// completing is what Completions works with.
type completing struct {
	Completing
	s        *Searcher
	ctx      context.Context
	snapshot *reader.Snapshot
	name     string // of the field that has the words
	before   string // what of the text is not completed
	prefix   string // what is, folded
	without  []byte // terms that begin with it are no words
	docs     *expand.Counter
	by       *reader.SnapshotField // of By; nil if no segment has it
}

// begin looks at what is asked.
func (x *completing) begin() error {
	f, err := wordsOf(x.s, x.Field)
	if err != nil {
		return err
	}
	if x.K = cmp.Or(x.K, query.DefaultK); x.K < 0 || x.K > math.MaxInt32 {
		return fmt.Errorf("%w: %d words", query.ErrInvalid, x.K)
	}
	x.name, x.prefix = f.Name, x.Text
	if f.Analyzer != nil {
		from := lastWord(f, x.Text)
		x.before, x.prefix = x.Text[:from], f.Fold(x.Text[from:])
	}
	if c := f.Compound(); c != nil {
		x.without = []byte(c.Mark())
	}
	if err := x.setBy(); err != nil || x.prefix == "" {
		return err
	}
	return x.setDocs(f)
}

// lastWord returns where in a text the word begins that is being typed: behind white space, and what else the analyzer takes for the end of
// a word.
func lastWord(f *fields.Field, text string) int {
	from := strings.LastIndexFunc(text, unicode.IsSpace)
	if from >= 0 {
		_, n := utf8.DecodeRuneInString(text[from:])
		from += n
	}
	from = max(from, 0)
	if f.Compound() != nil {
		return from
	}
	t := f.Tokens(text[from:])
	defer f.Release(t)
	for token := range t.All() {
		if token.End == len(text)-from {
			return from + token.Start
		}
	}
	return from
}

// wordsOf returns the field that has the words of one.
func wordsOf(s *Searcher, field string) (*fields.Field, error) {
	f, err := s.parserOf(field)
	switch {
	case err != nil:
		return nil, err
	case f.Impacts:
		return nil, fmt.Errorf("%w: the field %q has impacts, not words", query.ErrInvalid, field)
	case !analysis.Stems(f.Analyzer):
		return f, nil
	}
	for _, other := range s.parser.Fields {
		if of, ok := s.parser.Schema.Field(other.Name); ok && of.Of == f.Name && other.Err == nil && !analysis.Stems(other.Analyzer) {
			return other, nil
		}
	}
	return nil, fmt.Errorf("%w: the field %q has stems, not words: a field with its values (schema.Field.Of) by the analyzer simple has them", query.ErrInvalid, field)
}

// setBy finds the column of By.
func (x *completing) setBy() error {
	if x.By == "" {
		return nil
	}
	f, ok := x.s.parser.Schema.Field(x.By)
	switch {
	case !ok:
		return fmt.Errorf("%w: complete by field %q: there is no such field", query.ErrInvalid, x.By)
	case !f.Column || f.Kind == schema.Keyword:
		return fmt.Errorf("%w: complete by field %q: it is no column of numbers or times", query.ErrInvalid, x.By)
	}
	x.by, _ = x.snapshot.Field(f.Name)
	return nil
}

// setDocs finds the documents that count, unless all do. Words before that the analyzer of the field leaves out do not restrict them.
func (x *completing) setDocs(f *fields.Field) error {
	var all []query.Node
	if x.Filter != nil {
		all = append(all, x.Filter)
	}
	if f.Analyzer != nil {
		terms, _, err := f.AppendTerms(nil, nil, x.before)
		if err != nil {
			return err
		}
		if len(terms) > 0 {
			all = append(all, query.Match{Field: x.name, Text: x.before, Mode: query.ModeAnd})
		}
	}
	if len(all) == 0 && x.By == "" {
		return nil
	}
	if len(all) == 0 {
		all = []query.Node{query.All{}}
	}
	x.docs = expand.NewCounter(x.ctx, x.snapshot)
	if err := budget.Of(x.ctx).Hold(x.docs.Bytes()); err != nil {
		return err
	}
	_, err := x.s.batches(x.ctx, &Query{Node: query.Bool{Filter: all}}, func(docs []uint32) bool {
		x.docs.Add(docs)
		return true
	})
	return err
}

// find returns up to k of the words that are selected, the best first.
func (x *completing) find(of expand.Selection, k int) ([]Completion, error) {
	f, ok := x.snapshot.Field(x.name)
	if !ok {
		return nil, x.snapshot.Err()
	}
	best := ranked{k: k}
	if x.docs != nil && x.By == "" && k <= manyWords {
		if err := x.seed(f, &of, &best); err != nil {
			return nil, err
		}
	}
	if err := x.prefetch(f, &of); err != nil {
		return nil, err
	}
	err := x.each(f, &of, func(terms *reader.Terms) error {
		if x.By == "" && best.tooFew(terms.DF()) {
			return nil
		}
		c, err := x.count(terms.Entries())
		if err != nil {
			return err
		}
		c.Term = terms.Term()
		best.offer(c)
		return nil
	})
	best.settle()
	return best.all, err
}

// manyWords is from how many wanted words on all are looked at in turn.
const manyWords = 1000

// each calls visit with the terms that are selected.
func (x *completing) each(f *reader.SnapshotField, of *expand.Selection, visit func(*reader.Terms) error) error {
	terms := of.Terms(f)
	for n := 0; terms.Next(); n++ {
		if n%256 == 0 && x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		if x.omits(of, terms.Term()) {
			continue
		}
		if err := visit(terms); err != nil {
			return err
		}
	}
	return cmp.Or(terms.Err(), of.Err())
}

// prefetch begins to read the lists that are to be counted, where the index is read on demand: each would be waited for.
func (x *completing) prefetch(f *reader.SnapshotField, of *expand.Selection) error {
	if x.docs == nil || !x.docs.OnDemand() {
		return nil
	}
	var entries []reader.TermEntry
	err := x.each(f, of, func(terms *reader.Terms) error {
		entries = append(entries, terms.Entries()...)
		return nil
	})
	x.docs.Prefetch(entries)
	return err
}

// omits reports whether a term is not meant, or begins as it was typed where slips are.
func (x *completing) omits(of *expand.Selection, term []byte) bool {
	return of.Omits(term) || of.Automaton != nil && bytes.HasPrefix(term, []byte(x.prefix))
}

// count returns how many of the documents that count have a term, and what By says of these.
func (x *completing) count(entries []reader.TermEntry) (c Completion, err error) {
	switch {
	case x.docs == nil:
		segments := x.snapshot.Segments()
		for _, e := range entries {
			live, err := segments[e.Segment].LiveDF(e.Entry)
			if err != nil {
				return c, err
			}
			c.DF += uint64(live)
		}
		return c, nil
	case x.By == "":
		c.DF, err = x.docs.Count(entries)
		return c, err
	}
	var room [4]schema.Value
	err = x.docs.Visit(entries, func(doc uint32) error {
		c.DF++
		if x.by == nil {
			return nil
		}
		values, err := x.by.AppendValues(room[:0], doc)
		if n := len(values); n > 0 && (c.Value.Kind == 0 || compareValues(values[n-1], c.Value) > 0) {
			c.Value = values[n-1]
		}
		return err
	})
	return c, err
}

// seed looks at the most frequent terms first: most of the others are in too few documents then, whatever they are.
func (x *completing) seed(f *reader.SnapshotField, of *expand.Selection, best *ranked) error {
	first := ranked{k: 2 * best.k}
	err := x.each(f, of, func(terms *reader.Terms) error {
		if !first.tooFew(terms.DF()) {
			first.offer(Completion{Suggestion: Suggestion{Term: terms.Term(), DF: terms.DF()}})
		}
		return nil
	})
	if err != nil {
		return err
	}
	first.settle()
	var counts []uint64
	for _, c := range first.all {
		_, entries, err := f.Lookup(c.Term, nil)
		if err != nil {
			return err
		}
		n, err := x.docs.Count(entries)
		if err != nil {
			return err
		}
		counts = append(counts, n)
	}
	slices.Sort(counts)
	if len(counts) >= best.k {
		best.least = counts[len(counts)-best.k]
	}
	return nil
}

// ranked is the best of some words: after settle up to k, the best first, and until then others behind them.
type ranked struct {
	k     int
	least uint64 // documents that a word must be in
	full  bool   // the k-th is known
	all   []Completion
}

// tooFew reports whether a word in up to n documents, behind those that were offered by its bytes, is none of the best.
func (r *ranked) tooFew(n uint64) bool { return n < r.least || r.full && n <= r.all[r.k-1].DF }

// offer adds c, and a copy of its term.
func (r *ranked) offer(c Completion) {
	if c.DF == 0 || r.full && compareCompletions(r.all[r.k-1], c) < 0 {
		return
	}
	c.Term = slices.Clone(c.Term)
	if r.all = append(r.all, c); len(r.all) >= 2*r.k+16 {
		r.settle()
	}
}

// settle keeps the best.
func (r *ranked) settle() {
	sort.Slice(r.all, func(i, j int) bool { return compareCompletions(r.all[i], r.all[j]) < 0 })
	if len(r.all) >= r.k {
		r.all, r.full = r.all[:r.k], true
	}
}

func compareCompletions(a, b Completion) int {
	if c := cmp.Compare(absent(a.Value), absent(b.Value)); c != 0 {
		return c
	}
	return cmp.Or(compareValues(b.Value, a.Value), cmp.Compare(b.DF, a.DF), bytes.Compare(a.Term, b.Term))
}

// completions returns words, and behind them those with slips, with their texts.
func (x *completing) completions(all, slips []Completion) []Completion {
	for i := range slips {
		slips[i].Slip = true
	}
	all = append(all, slips...)
	for i := range all {
		all[i].Text = x.before + string(all[i].Term)
	}
	return all
}
