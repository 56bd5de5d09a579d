package writer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/internal/codec/choose"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/order"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// byID sorts documents, so that collections can be compared regardless of their
// order.
func byID(docs []shownDoc) []shownDoc {
	docs = slices.Clone(docs)
	slices.SortFunc(docs, func(a, b shownDoc) int { return strings.Compare(a.id, b.id) })
	return docs
}

// topicText is text on one of a few topics, mixed with common words.
func topicText(r *rand.Rand) string {
	topic := r.IntN(6)
	var b strings.Builder
	for range 3 + r.IntN(12) {
		fmt.Fprintf(&b, "t%dw%d ", topic, r.IntN(40))
	}
	return b.String() + "common " + randomText(r, r.IntN(6))
}

// TestReorderKeepsDocuments reorders indexes of several segments with deleted
// documents and checks that nothing but docIDs changes.
func TestReorderKeepsDocuments(t *testing.T) {
	longtest.Checks(t, 30)
	rapid.Check(t, func(rt *rapid.T) {
		ctx := t.Context()
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 7))
		o := Options{
			Schema:    schema.Implicit("whitespace", "", rapid.Bool().Draw(rt, "stored")),
			Threads:   rapid.IntRange(1, 4).Draw(rt, "threads"),
			DocsCodec: rapid.SampledFrom([]string{"bp128", "ef"}).Draw(rt, "codec"),
		}
		if rapid.Bool().Draw(rt, "choose") {
			o.choose = choose.Default()
		}
		fs := memfs.New()
		w := mustOpen(rt, fs, o)
		defer w.Close()
		m := model{stored: o.Schema.Fields[0].Stored}
		must := func(err error) {
			if err != nil {
				rt.Fatal(err)
			}
		}
		ids := rapid.SampledFrom([]int{30, 400, 1 << 30}).Draw(rt, "ids")
		for range rapid.IntRange(0, 3).Draw(rt, "segments") {
			for range rapid.SampledFrom([]int{1, 2, 60, 400}).Draw(rt, "docs") {
				id, text := fmt.Sprint("id", r.IntN(ids)), topicText(r)
				must(w.Add(ctx, doc(id, text)))
				m.add(id, text)
			}
			must(w.Commit(ctx))
		}
		if rapid.Bool().Draw(rt, "delete") && len(m.docs) > 0 {
			id := m.docs[r.IntN(len(m.docs))].id
			must(w.Delete(ctx, []byte(id)))
			m.delete(id)
		}
		kind := rapid.SampledFrom([]Order{"", OrderInput, OrderBisection, OrderRandom}).Draw(rt, "order")
		stats, err := w.Merge(ctx, MergeOptions{Order: kind, Seed: r.Uint64()})
		must(err)
		must(w.Commit(ctx))
		got := dump(t, fs)
		if kind == "" || kind == OrderInput {
			m.check(t, fs)
		} else if len(w.segments) > 1 || len(got) > 1 && stats.Reordered != uint64(len(got)) {
			rt.Fatalf("%d segments of %d documents are left; %+v", len(w.segments), len(got), stats)
		}
		sorted := model{m.stored, byID(m.docs)}
		if d := sorted.diff(byID(got)); d != "" {
			rt.Fatal(d)
		}
		// The writer remains usable and finds every document by its id.
		for _, d := range m.clone().docs {
			if r.IntN(10) == 0 {
				must(w.Delete(ctx, []byte(d.id)))
				m.delete(d.id)
			}
		}
		must(w.Commit(ctx))
		sorted = model{m.stored, byID(m.docs)}
		if d := sorted.diff(byID(dump(t, fs))); d != "" {
			rt.Fatal(d)
		}
	})
}

// TestReorderThreadsDoNotShow checks that the segment's bytes, apart from its
// random id, do not depend on the number of goroutines.
func TestReorderThreadsDoNotShow(t *testing.T) {
	ctx := t.Context()
	for _, kind := range []Order{OrderBisection, OrderRandom} {
		var want []byte
		for _, threads := range []int{1, 2, 5} {
			fs := memfs.New()
			w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", true), Threads: threads})
			r := rand.New(rand.NewPCG(4, 4))
			for i := range 1500 {
				if err := w.Add(ctx, doc(fmt.Sprint(i), topicText(r))); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := w.Merge(ctx, MergeOptions{Order: kind, Seed: 11}); err != nil {
				t.Fatal(err)
			}
			got := content(t, w.segments[0].seg)
			if want == nil {
				want = got
			} else if !bytes.Equal(want, got) {
				t.Errorf("%s: %d goroutines write another segment", kind, threads)
			}
			w.Close()
		}
	}
}

// content returns all sections of a segment.
func content(t *testing.T, s *segment.Segment) (all []byte) {
	for _, sec := range s.Header().Sections {
		b, err := s.Data().Range(sec.Offset, sec.Length)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// TestReorderShortensGaps checks that bisection shortens gaps, and that shuffling
// lengthens them.
func TestReorderShortensGaps(t *testing.T) {
	ctx := t.Context()
	w := mustOpen(t, memfs.New(), Options{Schema: schema.Implicit("whitespace", "", false)})
	defer w.Close()
	r := rand.New(rand.NewPCG(4, 5))
	for i := range 3000 {
		if err := w.Add(ctx, doc(fmt.Sprint(i), topicText(r))); err != nil {
			t.Fatal(err)
		}
	}
	gaps := func(kind Order) float64 {
		if _, err := w.Merge(ctx, MergeOptions{Order: kind, Seed: 3}); err != nil {
			t.Fatal(err)
		}
		bits, err := order.Cost(order.SegmentLists(w.segments[0].seg, 1), nil)
		if err != nil {
			t.Fatal(err)
		}
		return bits
	}
	shuffled, ordered, again := gaps(OrderRandom), gaps(OrderBisection), gaps(OrderRandom)
	if ordered > 0.8*shuffled || again < 0.95*shuffled {
		t.Errorf("bits of gaps: %.0f shuffled, %.0f bisected, %.0f shuffled again", shuffled, ordered, again)
	}
}

func TestReorderErrors(t *testing.T) {
	w := mustOpen(t, memfs.New(), Options{Schema: schema.Implicit("whitespace", "", false)})
	defer w.Close()
	if _, err := w.Merge(t.Context(), MergeOptions{Order: "sideways"}); err == nil {
		t.Error("an unknown order is accepted")
	}
	for i := range 300 {
		if err := w.Add(t.Context(), doc(fmt.Sprint(i), "word")); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Merge(ctx, MergeOptions{Order: OrderBisection}); err == nil {
		t.Error("a cancelled context is no error")
	}
	if _, err := w.Merge(t.Context(), MergeOptions{Order: OrderBisection}); err != nil {
		t.Errorf("after a cancelled one: %v", err)
	}
}

// What writes documents in another order leaves out the deleted ones.
func TestReorderDropsDeleted(t *testing.T) {
	ctx := t.Context()
	w := mustOpen(t, memfs.New(), Options{Schema: schema.Implicit("whitespace", "", false)})
	defer w.Close()
	for _, id := range []string{"a", "b", "c"} {
		if err := w.Add(ctx, doc(id, "text")); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Flush(ctx), w.Delete(ctx, []byte("b")), w.Flush(ctx)); err != nil {
		t.Fatal(err)
	}
	s, stats, err := ordering{w}.permute(ctx, w.segments, MergeOptions{Order: OrderRandom})
	if err != nil || s.info.Docs != 2 || stats.Purged != 1 {
		t.Fatalf("%+v, %v", stats, err)
	}
	defer w.drop(s)
	for id, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if _, found, err := s.seg.Documents().FindID([]byte(id)); found != want || err != nil {
			t.Errorf("document %s: %t, %v", id, found, err)
		}
	}
}

// TestReorderFaults makes every operation of a merge in another order and its commit fail in turn.
// A crash afterwards leaves all the original documents, in any order.
func TestReorderFaults(t *testing.T) {
	longtest.Once(t)
	ctx := t.Context()
	for at := 0; ; at++ {
		fs := memfs.New()
		w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", true), Threads: 2})
		m := model{stored: true}
		r := rand.New(rand.NewPCG(8, 8))
		for i := range 120 {
			id, text := fmt.Sprint(i%100), topicText(r)
			if err := w.Add(ctx, doc(id, text)); err != nil {
				t.Fatal(err)
			}
			m.add(id, text)
			if i == 60 {
				if err := w.Flush(ctx); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		ops := fs.Ops()
		fs.Inject(memfs.Fault{At: at, Err: errInjected})
		_, err := w.Merge(ctx, MergeOptions{Order: OrderBisection})
		if err == nil {
			err = w.Commit(ctx)
		}
		w.Close()
		if err != nil && !errors.Is(err, errInjected) {
			t.Fatalf("operation %d: %v", at, err)
		}
		happened := fs.Ops()-ops > at
		sorted := model{true, byID(m.docs)}
		if d := sorted.diff(byID(dump(t, fs.CrashKeeping(r)))); d != "" {
			t.Fatalf("operation %d, error %v: %s", at, err, d)
		}
		if !happened {
			t.Logf("%d operations failed in turn", at)
			return
		}
	}
}
