package reliability

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/damage"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	checks "github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/sim"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// patience is how long a trial may take.
const patience = 100 * time.Second

// subject is an index to damage.
type subject struct {
	files  static
	past   sim.Past
	names  []string
	parsed map[string]*damage.File
	size   int64  // of all files
	usual  uint64 // bytes that examining the sound index allocates
}

// subjects returns indexes of small and larger segments, in several codecs.
func subjects(t *testing.T) []*subject {
	var all []*subject
	for i, s := range []struct {
		codec string
		docs  []int
	}{
		{"", []int{40, 20}}, {"", []int{200, 150}}, {"bp128", []int{1100, 130}}, {"vbyte128", []int{300, 150}}, {"newpfd", []int{300, 150}},
		{"ef", []int{300, 150}}, {"seglrc", []int{300, 300}}, {"rice", []int{300}}, {fields, []int{40, 20}}, {fields, []int{300, 150}}, {"", []int{8300, 10}},
	} {
		x := &subject{files: files(t, build(t, uint64(i), s.codec, s.docs...)), parsed: map[string]*damage.File{}}
		x.past = past(t, x.files)
		for name, b := range x.files {
			if !strings.HasSuffix(name, ".pin") {
				continue
			}
			f, err := damage.Parse(b)
			check(t, err)
			if x.parsed[name] = f; len(f.Bytes()) != len(b) {
				t.Fatalf("%s: %d bytes after parsing, %d before", name, len(f.Bytes()), len(b))
			}
			x.names = append(x.names, name)
			x.size += int64(len(b))
		}
		slices.Sort(x.names)
		before := allocated()
		if verified, err := examine(rand.New(rand.NewPCG(1, 1)), x.files); !verified || err != nil {
			t.Fatalf("the sound index: verified %v, %v", verified, err)
		}
		x.usual = allocated() - before
		all = append(all, x)
	}
	return all
}

// past returns what the options of the next Writer of an index are drawn for.
func past(t testing.TB, f store.ReadFS) sim.Past {
	t.Helper()
	x, err := reader.Open(t.Context(), reader.FromStore(f), reader.Options{})
	check(t, err)
	s, err := x.Snapshot()
	check(t, err)
	p := sim.Past{Stored: true, Exists: true, Filled: true}
	if is := s.Schema(); !is.IsImplicit() {
		p.Schema, p.Fields = is, true
	}
	check(t, s.Close(), x.Close())
	return p
}

func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// allocates returns how many bytes f allocates. The runtime counts memory that it sets aside for objects
// of a size as soon as a thread takes it, and whatever runs beside f, so if there are more than most, f runs
// again, up to twice, and the least count is returned.
func allocates(most uint64, f func()) (n uint64) {
	n = math.MaxUint64
	for range 3 {
		before := allocated()
		f()
		if n = min(n, allocated()-before); n <= most {
			break
		}
	}
	return n
}

// laundered are seeds of mutations that merges took once, and whose damage was in what they
// wrote: frequencies that do not add up to lengths, and one above the length of its document. They are of
// the indexes without fields.
var laundered = []uint64{704, 1637, 2801}

// unnamed are seeds of mutations that a merge refused without saying that the segment is damaged: stored
// values that are no record.
var unnamed = []uint64{90612}

// TestMutations changes the structure of files, with checksums that hold. Whatever is
// done to such an index must end, without a panic and without much memory; what
// verification accepts, queries must answer alike by every algorithm; and what a merge
// takes must verify.
func TestMutations(t *testing.T) {
	all := subjects(t)
	plain := slices.DeleteFunc(slices.Clone(all), func(s *subject) bool { return s.past.Fields })
	refused, accepted, broken := 0, 0, 0
	var drawn []uint64
	for i := range uint64(trials(10000)) {
		drawn = append(drawn, *seed+i)
	}
	drawn = append(drawn, unnamed...)
	for i, trial := range append(drawn, laundered...) {
		r := rand.New(rand.NewPCG(trial, 3))
		if i >= len(drawn) {
			all = plain
		}
		s := all[r.IntN(len(all))]
		if s == all[len(all)-1] && r.IntN(4) > 0 {
			s = all[0] // the largest is slow
		}
		name := s.names[r.IntN(len(s.names))]
		if r.IntN(3) > 0 { // mostly a segment
			name = s.names[len(s.names)-1]
		}
		donor := all[r.IntN(len(all))].parsed[name]
		if donor == nil {
			donor = s.parsed[name]
		}
		b, what := damage.Mutate(r, s.parsed[name], donor)
		if b == nil {
			continue
		}
		damaged := s.files.with(name, b)
		for _, other := range s.names {
			if isManifest(name) && isManifest(other) {
				damaged = damaged.with(other, b) // one would do for a reader
			}
		}
		o := options("")
		if o.Schema.Fields[0].Analyzer = ""; i < len(drawn) {
			o = sim.DrawOptions(rand.New(rand.NewPCG(trial, 4)), s.past)
		}
		ok, err := attempt(t, r, s, damaged, o)
		if err != nil {
			if broken++; broken > 20 {
				t.Fatal("and more")
			}
			t.Errorf("-seed %d: %s: %s: %v", trial, name, what, err)
		}
		if ok {
			accepted++
		} else {
			refused++
		}
	}
	t.Logf("%d refused, %d accepted", refused, accepted)
}

// attempt examines a damaged index, and merges it with options o, under a time limit. It reports whether the
// index is sound as far as verification can tell.
func attempt(t *testing.T, r *rand.Rand, s *subject, f static, o writer.Options) (verified bool, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		most := s.usual + 2*uint64(s.size) + 1<<20
		n := allocates(most, func() { verified, err = examine(r, f) })
		if err == nil && n > most {
			err = fmt.Errorf("%d bytes allocated, at most %d are allowed", n, most)
		}
		if err != nil {
			return
		}
		err = mergeDamaged(t, f, o)
	}()
	select {
	case <-done:
		return verified, err
	case <-time.After(patience):
		b := make([]byte, 1<<20)
		t.Fatalf("-seed %d and following: no end after %v\n%s", *seed, patience, b[:runtime.Stack(b, true)])
		return false, nil
	}
}

// examine opens, verifies and queries an index. It returns an error only if that breaks
// a promise.
func examine(r *rand.Rand, f static) (verified bool, err error) {
	x, err := reader.Open(context.Background(), reader.FromStore(f), reader.Options{})
	if err != nil {
		return false, expect(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return false, err
	}
	defer s.Close()
	damaged := s.Verify(context.Background())
	if err := expect(damaged); err != nil {
		return false, fmt.Errorf("verify: %w", err)
	}
	verified = damaged == nil
	searcher, err := search.NewSearcher(s, search.Options{Seek: reader.Strategy(r.IntN(3))})
	if err != nil {
		if verified {
			return verified, fmt.Errorf("verification accepts it, NewSearcher does not: %w", err)
		}
		return verified, expect(err)
	}
	defer searcher.Close()
	for range 3 {
		if err := examineQuery(r, searcher, verified); err != nil {
			return verified, err
		}
	}
	for range 20 {
		doc := uint32(r.IntN(int(min(s.Stats().Docs, 10000)) + 1))
		_, e1 := s.AppendID(nil, doc)
		_, e2 := s.AppendStored(nil, doc)
		_, _, e3 := s.FindID(fmt.Appendf(nil, "d%d", r.IntN(300)))
		if err := errors.Join(expect(e2), expect(e3)); err != nil && e1 == nil {
			return verified, err
		}
		if verified && e3 != nil {
			return verified, fmt.Errorf("verification accepts it, FindID does not: %w", e3)
		}
	}
	return verified, nil
}

// examineQuery answers one query by several algorithms.
func examineQuery(r *rand.Rand, s *search.Searcher, verified bool) error {
	q := search.Query{K: 1 + r.IntN(50), Mode: query.Mode(r.IntN(3)), Algorithm: search.Exhaustive}
	for range 1 + r.IntN(4) {
		word := []string{"all", "w0", "w1", "w2", "w3", fmt.Sprintf("w%d", r.IntN(128)), fmt.Sprintf("n%d", r.IntN(300))}[r.IntN(7)]
		q.RawTerms = append(q.RawTerms, []byte(word))
	}
	if node := examineNode(r, s, q.RawTerms); node != nil {
		q.Node, q.RawTerms, q.Mode = node, nil, query.ModeOr
	}
	var first []search.Hit
	for i := range 4 {
		if i > 0 {
			q.Algorithm = search.Algorithms()[r.IntN(len(search.Algorithms()))]
		}
		res, err := s.Search(context.Background(), q)
		switch {
		case err != nil && verified:
			return fmt.Errorf("verification accepts it, a query by %v does not: %w", q.Algorithm, err)
		case err != nil:
			if err := expect(err); err != nil {
				return fmt.Errorf("query by %v: %w", q.Algorithm, err)
			}
		case i == 0:
			first = res.Hits
		case verified && !slices.Equal(first, res.Hits):
			return fmt.Errorf("%q, %v by %v gives %v, by exhaustive %v", q.RawTerms, q.Node, q.Algorithm, res.Hits, first)
		}
	}
	return nil
}

// examineNode returns a query for words in fields, or nil without a schema.
func examineNode(r *rand.Rand, s *search.Searcher, words [][]byte) query.Node {
	var in []string
	for _, name := range []string{"title", "body", "notes", "shelf"} {
		if _, ok := s.FieldScorer(name); ok {
			in = append(in, name)
		}
	}
	if len(in) == 0 {
		return nil
	}
	var nodes []query.Node
	for _, w := range words {
		nodes = append(nodes, query.Term{Field: in[r.IntN(len(in))], Text: string(w), Boost: float64(r.IntN(3))})
	}
	if r.IntN(3) == 0 {
		return query.Match{Field: in[0], Text: string(bytes.Join(words, []byte(" "))), Mode: query.ModeAnd}
	}
	return query.Bool{Should: nodes}
}

// expect returns err unless it says that the index is damaged.
func expect(err error) error {
	if err == nil || isIndexError(err) {
		return nil
	}
	return err
}

// mergeDamaged merges the segments of f with options o. If that succeeds, what it wrote must verify to
// level 3, deeper than merges verify; segments that there was no reason to merge stay as
// they are.
func mergeDamaged(t *testing.T, f static, o writer.Options) error {
	_, err := rewriteDamaged(t, f, o, func(w *writer.Writer) error {
		_, err := w.Merge(ctx, writer.MergeOptions{})
		return err
	})
	return err
}

// rewriteDamaged is mergeDamaged for any change of segments. It returns the segments after it, nil if it was refused.
func rewriteDamaged(t *testing.T, f static, o writer.Options, change func(*writer.Writer) error) (names []string, err error) {
	fsys := f.copy(t)
	w, err := writer.OpenFS(ctx, fsys, o)
	if err != nil {
		return nil, ignoreAnalyzer(err)
	}
	defer w.Close()
	if err = change(w); err == nil {
		err = w.Commit(ctx)
	}
	if err != nil {
		if err := ignoreAnalyzer(err); err != nil {
			return nil, fmt.Errorf("merge: %w", err)
		}
		return nil, nil
	}
	if names, err = verifyMerged(fsys, f); err != nil {
		return nil, fmt.Errorf("after the merge: %w", err)
	}
	return names, nil
}

// verifyMerged verifies the segments of f that are not among the files before, and returns the names of all.
func verifyMerged(f *memfs.FS, before static) (names []string, err error) {
	x, err := reader.Open(context.Background(), reader.FromStore(f), reader.Options{})
	if err != nil {
		return nil, err
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for _, seg := range s.Segments() {
		if before[seg.Name()] == nil {
			if err := checks.Segment(ctx, seg.Views(), checks.Options{Level: checks.Postings}); err != nil {
				return nil, err
			}
		}
		names = append(names, seg.Name())
	}
	return names, nil
}

// ignoreAnalyzer returns err unless it says that the index is damaged, its analyzer
// unknown, or its schema not the one that is asked for.
func ignoreAnalyzer(err error) error {
	if strings.Contains(err.Error(), "analyzer") || errors.Is(err, schema.ErrInvalid) {
		return nil
	}
	return expect(err)
}
