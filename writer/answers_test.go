package writer_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// answer is a hit by external id.
type answer struct {
	id    string
	score uint32 // bits
}

// answers runs queries and returns their hits, with equal scores ordered by id.
func answers(t *testing.T, fs *memfs.FS, queries []search.Query) [][]answer {
	all := ranked(t, fs, queries)
	for _, hits := range all {
		slices.SortFunc(hits, func(a, b answer) int {
			if a.score != b.score {
				return int(int64(b.score) - int64(a.score)) // scores are not negative
			}
			return strings.Compare(a.id, b.id)
		})
	}
	return all
}

// ranked runs queries and returns their hits as they come.
func ranked(t *testing.T, fs *memfs.FS, queries []search.Query) (all [][]answer) {
	x, err := reader.Open(t.Context(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snapshot, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	s, err := search.NewSearcher(snapshot, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for _, q := range queries {
		result, err := s.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var hits []answer
		for _, h := range result.Hits {
			id, err := snapshot.AppendID(nil, h.Doc)
			if err != nil {
				t.Fatal(err)
			}
			hits = append(hits, answer{string(id), math.Float32bits(h.Score)})
		}
		all = append(all, hits)
	}
	return all
}

// scores returns the scores alone.
func scores(hits []answer) (s []uint32) {
	for _, h := range hits {
		s = append(s, h.score)
	}
	return s
}

// TestReorderKeepsAnswers compares the answers to many queries before and after
// reordering: all matches with their scores, to the bit, and the scores of the top
// ten.
func TestReorderKeepsAnswers(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	w, err := writer.OpenFS(ctx, fs, writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := rand.New(rand.NewPCG(1, 9))
	word := func() string { return fmt.Sprintf("w%d", int(math.Exp(r.Float64()*6))) }
	for i := range 5000 {
		var text strings.Builder
		for range 1 + r.IntN(40) {
			text.WriteString(word() + " ")
		}
		if err := w.Add(ctx, writer.Text(fmt.Append(nil, i), []byte(text.String()))); err != nil {
			t.Fatal(err)
		}
		if i%2000 == 1999 {
			if err := w.Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	var full, top []search.Query
	for range 60 {
		q := search.Query{K: 1 << 20, Mode: []query.Mode{query.ModeOr, query.ModeAnd, query.ModeAndOr}[r.IntN(3)]}
		for range 1 + r.IntN(5) {
			q.RawTerms = append(q.RawTerms, []byte(word()))
		}
		full = append(full, q)
		q.K = 10
		top = append(top, q)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	wantFull, wantTop := answers(t, fs, full), answers(t, fs, top)
	for _, o := range []writer.MergeOptions{{Order: writer.OrderRandom, Seed: 5}, {Order: writer.OrderBisection}} {
		if _, err := w.Merge(ctx, o); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		gotFull, gotTop := answers(t, fs, full), answers(t, fs, top)
		for i := range full {
			if full[i].Mode != query.ModeAndOr && !slices.Equal(gotFull[i], wantFull[i]) {
				t.Errorf("%s: query %s of %q: other answers", o.Order, full[i].Mode, full[i].RawTerms)
			}
			if !slices.Equal(scores(gotTop[i]), scores(wantTop[i])) {
				t.Errorf("%s: query %s of %q: other scores of the top ten", o.Order, top[i].Mode, top[i].RawTerms)
			}
		}
	}
}

// TestBackgroundMergesKeepAnswers builds an index in many commits, with replaced and
// deleted documents, with merges in the background and without. Then, and after merging
// everything, all answers are equal: documents, their order, and scores to the bit.
func TestBackgroundMergesKeepAnswers(t *testing.T) {
	ctx := t.Context()
	word := func(r *rand.Rand) string { return fmt.Sprintf("w%d", int(math.Exp(r.Float64()*5))) }
	build := func(p writer.MergePolicy) *memfs.FS {
		r := rand.New(rand.NewPCG(7, 7))
		fs := memfs.New()
		w, err := writer.OpenFS(ctx, fs, writer.Options{MergePolicy: p})
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			for range r.IntN(60) {
				var text strings.Builder
				for range 1 + r.IntN(20) {
					text.WriteString(word(r) + " ")
				}
				err = errors.Join(err, w.Add(ctx, writer.Text(fmt.Append(nil, r.IntN(1500)), []byte(text.String()))),
					w.Delete(ctx, fmt.Append(nil, r.IntN(6000))))
			}
			err = errors.Join(err, w.Commit(ctx))
		}
		if err := errors.Join(err, w.WaitMerges(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
		return fs
	}
	var queries []search.Query
	r := rand.New(rand.NewPCG(8, 8))
	for range 60 {
		q := search.Query{K: []int{10, 1 << 20}[r.IntN(2)], Mode: []query.Mode{query.ModeOr, query.ModeAnd, query.ModeAndOr}[r.IntN(3)]}
		for range 1 + r.IntN(5) {
			q.RawTerms = append(q.RawTerms, []byte(word(r)))
		}
		queries = append(queries, q)
	}
	apart := build(writer.NoMerges)
	want := ranked(t, apart, queries)
	compare := func(name string, fs *memfs.FS) {
		for i, got := range ranked(t, fs, queries) {
			if !slices.Equal(got, want[i]) {
				t.Errorf("%s: query %s of %q: other answers", name, queries[i].Mode, queries[i].RawTerms)
			}
		}
	}
	for _, p := range []writer.MergePolicy{nil, writer.Tiered{PerTier: 2, MinSize: 30}.Runs, writer.Tiered{PerTier: 4, MaxSize: 3000}.Runs} {
		compare("merged in the background", build(p))
	}
	w, err := writer.OpenFS(ctx, apart, writer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Merge(ctx, writer.MergeOptions{})
	if err := errors.Join(err, w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	compare("merged in the end", apart)
}
