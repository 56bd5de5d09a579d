package writer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// setting is a Writer with what its index has to hold.
type setting struct {
	t  *testing.T
	r  *rand.Rand
	fs store.FS
	w  *Writer
	m  setModel
	// whole says that nothing is deleted or replaced, so that merges copy what they can as it is.
	whole bool
}

func (s *setting) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// add adds n documents, some of which are there.
func (s *setting) add(n int) {
	for range n {
		id := fmt.Sprint("id", s.r.IntN(400))
		if s.whole {
			id = fmt.Sprint("id", len(s.m))
		}
		s.m[id] = newSetDoc(s.r)
		d := s.m[id].doc(id)
		if s.whole { // of several blocks
			d.Values[0] = schema.TextValue(0, []byte(randomText(s.r, 300)))
		}
		s.must(s.w.Add(context.Background(), d))
	}
}

// change sets values of a share of the documents, and deletes some.
func (s *setting) change(share float64) {
	var changes []Change
	for id := range maps.Clone(s.m) {
		switch x := s.r.Float64(); {
		case x < share/10 && !s.whole:
			delete(s.m, id)
			changes = append(changes, Change{Doc: Doc{ID: []byte(id)}, Delete: true})
		case x < share:
			d, c := s.m[id].set(s.r, id)
			s.m[id] = d
			changes = append(changes, c)
		}
	}
	s.must(s.w.Apply(context.Background(), changes, nil))
}

// check compares what is committed, or else what is published, with m.
func (s *setting) check(m setModel, published bool) {
	s.t.Helper()
	ctx := context.Background()
	x, err := reader.Open(ctx, reader.FromStore(s.fs), reader.Options{})
	s.must(err)
	defer x.Close()
	if published {
		_, err := x.RefreshUncommitted(ctx)
		s.must(err)
	}
	snapshot, err := x.Snapshot()
	s.must(err)
	defer snapshot.Close()
	m.check(s.t, snapshot)
}

// Values that are changed while a merge runs are changed in what it makes: in a commit, in what is published, and in what is neither. What was not
// committed when the merge began is not committed by it.
func TestSetDuringMerge(t *testing.T) {
	ctx := t.Context()
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		fs := newGateFS()
		s := &setting{t: t, r: r, fs: fs, m: setModel{}, whole: seed%5 == 0}
		s.w = mustOpen(t, fs, Options{Schema: setSchema, Threads: 1, MergePolicy: fs.policy(3)})
		for i := range 3 {
			s.add(150)
			if i == 2 {
				s.change(0.3) // of documents in memory, too
			}
			if i < 2 || seed%2 == 0 {
				s.must(s.w.Commit(ctx))
			}
		}
		committed := maps.Clone(s.m)
		if seed%2 == 1 { // the merge begins from what is published
			committed = nil
			s.must(s.w.Publish(ctx))
		}
		if seed%3 == 1 {
			s.change(0.2)
			s.must(s.w.Flush(ctx))
		}
		<-fs.entered
		published := maps.Clone(s.m)
		for range r.IntN(4) {
			s.change(0.3)
			switch r.IntN(3) {
			case 0:
				s.must(s.w.Flush(ctx))
			case 1:
				s.must(s.w.Publish(ctx))
				published = maps.Clone(s.m)
			default:
				s.must(s.w.Commit(ctx))
				published = maps.Clone(s.m)
				committed = published
			}
		}
		close(fs.open)
		s.must(s.w.WaitMerges(ctx))
		if committed != nil {
			s.check(committed, false)
		}
		if seed%3 != 1 {
			s.check(published, true)
		}
		s.must(s.w.Publish(ctx))
		s.check(s.m, true)
		s.must(s.w.Commit(ctx))
		s.check(s.m, false)
		s.change(0.5)
		s.must(s.w.Commit(ctx))
		s.check(s.m, false)
		if n := len(manifest(t, fs).Segments); n != 1 && seed%3 != 1 {
			t.Errorf("seed %d: %d segments", seed, n)
		}
		s.must(s.w.Close())
	}
}

// A merge reads the values that files have, and replaces nothing in a commit that lacks them: here those that were published when it was planned, and those
// that came while it waited for another.
func TestSetBeforeMerge(t *testing.T) {
	ctx := t.Context()
	for _, waits := range []bool{false, true} {
		fs := newGateFS()
		s := &setting{t: t, r: rand.New(rand.NewPCG(3, 1)), fs: fs, m: setModel{}, whole: true}
		runs := []Run(nil)
		s.w = mustOpen(t, fs, Options{Schema: setSchema, Threads: 1, MergePolicy: func([]SegmentStats) []Run {
			defer func() { runs = nil }()
			if runs != nil {
				fs.armed.Store(waits)
			}
			return runs
		}})
		for range 4 {
			s.add(100)
			s.must(s.w.Commit(ctx))
		}
		committed := maps.Clone(s.m)
		s.change(0.3)
		if runs = []Run{{0, 2}, {2, 2}}; waits {
			s.must(s.w.Commit(ctx))
			committed = maps.Clone(s.m)
		} else {
			s.must(s.w.Publish(ctx))
		}
		if waits {
			<-fs.entered // of the first; the second one waits for it
			s.change(0.3)
			s.must(s.w.Flush(ctx))
			close(fs.open)
		}
		s.must(s.w.WaitMerges(ctx))
		s.check(committed, false)
		s.must(s.w.Commit(ctx))
		s.check(s.m, false)
		if n := len(manifest(t, fs).Segments); n != 2 {
			t.Errorf("%d segments", n)
		}
		s.must(s.w.Close())
	}
}

// Values that were changed in place come along when indexes are joined and segments copied, and when merges of a copy are adopted.
func TestSetElsewhere(t *testing.T) {
	ctx := t.Context()
	r := rand.New(rand.NewPCG(1, 1))
	o := Options{Schema: setSchema, Threads: 1, MergePolicy: NoMerges}
	from := &setting{t: t, r: r, fs: memfs.New(), m: setModel{}}
	from.w = mustOpen(t, from.fs, o)
	for range 3 {
		from.add(100)
		from.change(0.3)
		from.must(from.w.Commit(ctx))
	}
	from.check(from.m, false)
	for _, join := range []func(w *Writer) error{
		func(w *Writer) error { return w.AddFrom(ctx, from.fs) },
		func(w *Writer) error { _, err := w.MergeFrom(ctx, from.fs); return err },
	} {
		to := &setting{t: t, r: r, fs: memfs.New(), m: setModel{}}
		to.w = mustOpen(t, to.fs, o)
		to.add(50)
		to.change(0.5)
		to.must(join(to.w))
		maps.Copy(to.m, from.m)
		to.must(to.w.Commit(ctx))
		to.check(to.m, false)
		to.change(0.3)
		to.must(to.w.Commit(ctx))
		to.check(to.m, false)
		to.must(to.w.Close())
	}

	before, after := memfs.New(), memfs.New()
	for _, fs := range []store.FS{before, after} {
		from.must(Backup(ctx, fs, from.fs))
	}
	from.change(0.3)
	from.must(from.w.Commit(ctx))
	from.change(0.3)
	merger := mustOpen(t, after, o)
	_, err := merger.Merge(ctx, MergeOptions{MaxSegments: 1})
	from.must(err)
	from.must(merger.Commit(ctx))
	from.must(merger.Close())
	if n, err := from.w.Adopt(ctx, before, after); n != 3 || err != nil {
		t.Fatalf("%d segments adopted, %v", n, err)
	}
	from.must(from.w.Commit(ctx))
	from.check(from.m, false)
	if n := len(manifest(t, from.fs).Segments); n != 1 {
		t.Errorf("%d segments", n)
	}
	from.must(from.w.Close())
}

// A segment that is older than a field gets its column when a value is set there.
func TestSetNewField(t *testing.T) {
	ctx := t.Context()
	old := &schema.Schema{Fields: []schema.Field{{Name: "text", Kind: schema.Text, Analyzer: "whitespace", Stored: true}}}
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: old, MergePolicy: NoMerges})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		must(w.Add(ctx, Doc{ID: []byte(fmt.Sprint(i)), Values: []schema.Value{schema.TextValue(0, []byte("word"))}}))
		if i%7 == 6 {
			must(w.Commit(ctx))
		}
	}
	must(w.Delete(ctx, []byte("3")))
	s := old.Clone()
	s.Fields = append(s.Fields, schema.Field{Name: "n", Kind: schema.Integer, Column: true, Stored: true})
	must(w.Evolve(ctx, s))
	var changes []Change
	for i := range 11 { // of two of three segments
		changes = append(changes, Change{Doc: Doc{ID: []byte(fmt.Sprint(i)), Values: []schema.Value{schema.IntegerValue(1, int64(100+i))}}, Set: []string{"n"}})
	}
	must(w.Apply(ctx, changes, nil))
	must(w.Commit(ctx))
	must(w.Close())
	x, err := reader.Open(ctx, reader.FromStore(fs), reader.Options{})
	must(err)
	defer x.Close()
	snapshot, err := x.Snapshot()
	must(err)
	defer snapshot.Close()
	must(snapshot.Verify(ctx))
	for i := range 20 {
		doc, ok, err := snapshot.FindID([]byte(fmt.Sprint(i)))
		must(err)
		if ok == (i == 3) {
			t.Fatalf("document %d: %v", i, ok)
		}
		if !ok {
			continue
		}
		f, _ := snapshot.Field("n")
		v, err := f.AppendValues(nil, doc)
		must(err)
		want := ""
		if i < 11 {
			want = fmt.Sprint(100 + i)
		}
		if texts(v) != want {
			t.Errorf("document %d has %s, want %s", i, texts(v), want)
		}
	}
}

// Stored texts that a merge copies in whole regions are those that documents have after changes.
func TestSetStoredRegion(t *testing.T) {
	ctx := t.Context()
	s := &setting{t: t, r: rand.New(rand.NewPCG(5, 1)), fs: memfs.New(), m: setModel{}, whole: true}
	s.w = mustOpen(t, s.fs, Options{Schema: setSchema, Threads: 1, MergePolicy: NoMerges})
	for i := range 1800 {
		id, d := fmt.Sprint("id", i), newSetDoc(s.r)
		x := d.doc(id)
		x.Values[0] = schema.TextValue(0, []byte(randomText(s.r, 500)))
		s.must(s.w.Add(ctx, x))
		s.m[id] = d
	}
	s.must(s.w.Commit(ctx))
	s.add(10)
	s.change(0.05)
	s.must(s.w.Commit(ctx))
	stats, err := s.w.Merge(ctx, MergeOptions{MaxSegments: 1})
	if err != nil || stats.Outputs != 1 {
		t.Fatal(stats, err)
	}
	s.must(s.w.Commit(ctx))
	s.check(s.m, false)
	if n := manifest(t, s.fs).Segments[0].ValuesFile; n != 0 {
		t.Errorf("values file %d behind a merge", n)
	}
	s.must(s.w.Close())
}

// A segment that is in an order by its changed values alone is written anew: the values file of one that is sorted has nothing of the
// order's column.
func TestSetOrdered(t *testing.T) {
	ctx, fs := t.Context(), memfs.New()
	w := mustOpen(t, fs, Options{Schema: setSchema})
	defer w.Close()
	var changes []Change
	for i, n := range []int64{5, 2, 9} {
		changes = append(changes, Change{Doc: Doc{ID: []byte(fmt.Sprint(i)), Values: []schema.Value{schema.IntegerValue(1, n)}}})
	}
	set := []Change{{Doc: Doc{ID: []byte("1"), Values: []schema.Value{schema.IntegerValue(1, 7)}}, Set: []string{"n"}}}
	if err := errors.Join(w.Apply(ctx, changes, nil), w.Commit(ctx), w.Apply(ctx, set, nil), w.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	stats, err := w.Merge(ctx, MergeOptions{Order: OrderField("n", false)})
	if err := errors.Join(err, w.Commit(ctx)); err != nil || stats.Outputs != 1 {
		t.Fatal(stats, err)
	}
	if s := manifest(t, fs).Segments; len(s) != 1 || s[0].ValuesFile != 0 {
		t.Errorf("values of a sorted segment are changed in place: %+v", s)
	}
}

// A merge of all writes a segment anew that has values changed in place, though nothing is joined with it, and writes no such segment twice.
func TestSetPurged(t *testing.T) {
	ctx, fs := t.Context(), memfs.New()
	_, name := changedIndex(t, fs)
	w := mustOpen(t, fs, Options{Schema: setSchema, MergePolicy: NoMerges})
	defer w.Close()
	for _, outputs := range []int{2, 0} {
		stats, err := w.Merge(ctx, MergeOptions{MaxSegments: 2, Purge: true})
		if err := errors.Join(err, w.Commit(ctx)); err != nil || stats.Outputs != outputs {
			t.Errorf("%s: %+v, %v", name, stats, err)
		}
	}
	for _, s := range manifest(t, fs).Segments {
		if s.ValuesFile != 0 {
			t.Errorf("%+v", s)
		}
	}
}
