package writer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/indexdir/mending"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// failing keeps the first failure in place of ending a test.
type failing struct{ msg string }

func (f *failing) Fatalf(msg string, args ...any) {
	f.msg = fmt.Sprintf(msg, args...)
	panic(f)
}

// differs returns how what is committed in fs differs from m, or "".
func (m setModel) differs(fs store.FS) (diff string) {
	f := &failing{}
	defer func() {
		if x := recover(); x == any(f) {
			diff = f.msg
		} else if x != nil {
			panic(x)
		}
	}()
	x, err := reader.Open(context.Background(), reader.FromStore(fs), reader.Options{})
	if err != nil {
		return err.Error()
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return err.Error()
	}
	defer s.Close()
	m.check(f, s)
	return ""
}

// Values are set while every operation on the file system fails in turn. A crash afterwards leaves the newest commit that was acknowledged, or the
// one in progress, with all values of its batches.
func TestSetFaults(t *testing.T) {
	for i, fault := range []memfs.Fault{{}, {Sticky: true}, {Effect: true}} {
		if i > 0 && !longtest.Enabled() {
			break
		}
		for at := 0; ; at++ {
			fault.At, fault.Err = at, errInjected
			if !setFaultAt(t, fault) {
				t.Logf("%d operations failed in turn", at)
				break
			}
		}
	}
}

func setFaultAt(t *testing.T, fault memfs.Fault) bool {
	ctx := t.Context()
	fs := memfs.New()
	s := &setting{t: t, r: rand.New(rand.NewPCG(1, 2)), fs: fs, m: setModel{}}
	o := Options{Schema: setSchema, Threads: 1, MergePolicy: NoMerges}
	s.w = mustOpen(t, fs, o)
	s.add(20)
	s.must(s.w.Commit(ctx))
	s.change(0.5)
	s.must(errors.Join(s.w.Commit(ctx), s.w.Close()))
	committed := maps.Clone(s.m)

	ops := fs.Ops()
	fs.Inject(fault)
	err := func() (err error) {
		if s.w, err = OpenFS(ctx, fs, o); err != nil {
			return err
		}
		defer s.w.Close()
		change := func(share float64) error {
			var changes []Change
			for id := range maps.Clone(s.m) {
				if s.r.Float64() < share {
					d, c := s.m[id].set(s.r, id)
					s.m[id] = d
					changes = append(changes, c)
				}
			}
			return s.w.Apply(ctx, changes, nil)
		}
		for _, step := range []func() error{
			func() error { return change(0.5) },
			func() error { return s.w.Publish(ctx) },
			func() error { return change(0.5) },
			func() error { return s.w.Commit(ctx) },
			func() error { committed = maps.Clone(s.m); return change(0.3) },
			func() error { return s.w.Publish(ctx) },
			func() error { _, err := s.w.Merge(ctx, MergeOptions{MaxSegments: 1}); return err },
			func() error { return s.w.Commit(ctx) },
			func() error { committed = maps.Clone(s.m); return nil },
		} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	}()
	if err != nil && !errors.Is(err, errInjected) {
		t.Fatalf("operation %d: %v", fault.At, err)
	}
	happened := fs.Ops()-ops > fault.At
	after := fs.CrashKeeping(rand.New(rand.NewPCG(uint64(fault.At), 9)))
	if d := committed.differs(after); d != "" && s.m.differs(after) != "" {
		t.Fatalf("operation %d, error %v: neither commit is there: %s", fault.At, err, d)
	}
	w := mustOpen(t, after, o)
	if err := errors.Join(w.Add(ctx, newSetDoc(s.r).doc("new")), w.Commit(ctx), w.Close()); err != nil {
		t.Fatalf("operation %d: going on: %v", fault.At, err)
	}
	return happened
}

// changedIndex makes an index of some segments, with values that were changed in place, and returns the name of a values file.
func changedIndex(t *testing.T, fs *memfs.FS) (m setModel, values string) {
	s := &setting{t: t, r: rand.New(rand.NewPCG(4, 2)), fs: fs, m: setModel{}, whole: true}
	s.w = mustOpen(t, fs, Options{Schema: setSchema, Threads: 1, MergePolicy: NoMerges})
	for range 2 {
		s.add(60)
		s.must(s.w.Commit(t.Context()))
	}
	s.change(0.4)
	s.must(errors.Join(s.w.Commit(t.Context()), s.w.Close()))
	s.check(s.m, false)
	return s.m, indexdir.ValuesName(manifest(t, fs).Segments[0].ValuesFile)
}

func fileOf(t *testing.T, fs *memfs.FS, name string) []byte {
	d, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	b, err := d.Range(0, d.Size())
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte(nil), b...)
}

// repaired repairs an index by what choose returns, and returns what it notes.
func repaired(t *testing.T, fs *memfs.FS, choose func(*indexdir.Dir, *indexdir.Inventory) (*indexdir.Recovery, error)) (notes string) {
	t.Helper()
	d, err := indexdir.OpenFS(fs)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	whole := func(ctx context.Context, s *segment.Segment) error { return check.Segment(ctx, s, check.Options{}) }
	err = d.Repair(t.Context(), whole, mending.Mend, func(inv *indexdir.Inventory) (*indexdir.Recovery, error) {
		r, err := choose(d, inv)
		if err == nil {
			notes = fmt.Sprint(r.Notes, r.Dropped)
		}
		return r, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return notes
}

// An index that is rebuilt of its files, or a commit that is restored, has the values that were changed in place; those of a values file that is lost
// are what they were, and the repair says so.
func TestSetRepair(t *testing.T) {
	rebuild := func(d *indexdir.Dir, inv *indexdir.Inventory) (*indexdir.Recovery, error) {
		return d.Rebuild(t.Context(), inv)
	}
	restore := func(_ *indexdir.Dir, inv *indexdir.Inventory) (*indexdir.Recovery, error) {
		return inv.Commits()[0], nil
	}
	unmanifested := func(fs *memfs.FS) {
		names, _ := fs.List()
		for _, name := range names {
			if strings.Contains(name, "manifest") || strings.Contains(name, "mirror") {
				fs.Remove(name)
			}
		}
	}
	damage := func(at int, flip byte) func(fs *memfs.FS, name string) {
		return func(fs *memfs.FS, name string) {
			b := fileOf(t, fs, name)
			if at < 0 {
				at = len(b) * 2 / 3
			}
			b[at] ^= flip
			fs.Remove(name)
			fs.Put(name, b)
		}
	}
	for what, c := range map[string]struct {
		harm   func(fs *memfs.FS, name string)
		choose func(*indexdir.Dir, *indexdir.Inventory) (*indexdir.Recovery, error)
		note   string
		whole  bool
	}{
		"no manifest":    {func(fs *memfs.FS, _ string) { unmanifested(fs) }, rebuild, "the defaults take their place", true},
		"a bit":          {damage(300, 4), restore, "values-", true},
		"a bit, rebuilt": {damage(300, 4), rebuild, "values-", true},
		"several bits":   {damage(300, 0xff), rebuild, "again what they were", false},
		"a segment's bit": {func(fs *memfs.FS, _ string) {
			damage(900, 4)(fs, indexdir.SegmentName(manifest(t, fs).Segments[0].File))
		}, restore, "segment-", true},
		"a segment's bit, rebuilt": {func(fs *memfs.FS, _ string) {
			damage(900, 4)(fs, indexdir.SegmentName(manifest(t, fs).Segments[0].File))
		}, rebuild, "segment-", true},
		"nothing is harmed, rebuilt": {func(*memfs.FS, string) {}, rebuild, "", true},
	} {
		fs := memfs.New()
		m, name := changedIndex(t, fs)
		c.harm(fs, name)
		notes := repaired(t, fs, c.choose)
		if d := m.differs(fs); (d == "") != c.whole || !strings.Contains(notes, c.note) || c.note == "" && notes != "[] []" {
			t.Errorf("%s: %s; %s", what, d, notes)
		}
		w := mustOpen(t, fs, Options{Schema: setSchema})
		if err := w.Close(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A values file that is missing, or is that of another commit, makes the index unreadable: no search answers with the values from before.
func TestSetLost(t *testing.T) {
	for what, harm := range map[string]func(fs *memfs.FS, name string){
		"missing": func(fs *memfs.FS, name string) { fs.Remove(name) },
		"truncated": func(fs *memfs.FS, name string) {
			b := fileOf(t, fs, name)
			fs.Remove(name)
			fs.Put(name, b[:len(b)-70])
		},
		"another": func(fs *memfs.FS, name string) {
			other := indexdir.ValuesName(manifest(t, fs).Segments[1].ValuesFile)
			b := fileOf(t, fs, other)
			fs.Remove(name)
			fs.Put(name, b)
		},
	} {
		fs := memfs.New()
		m, name := changedIndex(t, fs)
		harm(fs, name)
		if d := m.differs(fs); d == "" {
			t.Errorf("%s: it reads", what)
		}
		if w, err := OpenFS(t.Context(), fs, Options{Schema: setSchema}); err == nil {
			w.Close()
			t.Errorf("%s: a writer opens it", what)
		} else if !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Values that cannot be changed since their column is damaged are refused, and what else was added is there.
func TestSetOfDamaged(t *testing.T) {
	ctx, fs := t.Context(), memfs.New()
	w := mustOpen(t, fs, Options{Schema: setSchema})
	var docs []Change
	for i := range 300 {
		docs = append(docs, Change{Doc: Doc{ID: fmt.Append(nil, i), Values: []schema.Value{schema.IntegerValue(1, int64(i*i*7919%10007))}}})
	}
	if err := errors.Join(w.Apply(ctx, docs, nil), w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	name := indexdir.SegmentName(manifest(t, fs).Segments[0].File)
	b := fileOf(t, fs, name)
	h, err := format.ParseFile(name, b)
	if err != nil {
		t.Fatal(err)
	}
	columns, ok := h.Section(format.SectionColumns)
	if !ok {
		t.Fatal("no columns")
	}
	for i := range columns.Length {
		b[columns.Offset+i] ^= 0x55
	}
	fs.Remove(name)
	fs.Put(name, b)

	refused := map[string]error{}
	w = mustOpen(t, fs, Options{Schema: setSchema, MergePolicy: NoMerges, Refused: func(id []byte, err error) { refused[string(id)] = err }})
	set := Change{Doc: Doc{ID: []byte("7"), Values: []schema.Value{schema.IntegerValue(1, 1)}}, Set: []string{"n"}}
	if err := errors.Join(w.Apply(ctx, []Change{set, {Doc: Doc{ID: []byte("new")}}}, nil), w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := refused["7"]; len(refused) != 1 || !errors.Is(err, ErrDocument) || !errors.Is(err, format.ErrCorrupt) || !strings.Contains(err.Error(), "adding the document again") {
		t.Errorf("refused: %v", refused)
	}
	if s := manifest(t, fs).Segments; len(s) != 2 || s[0].ValuesFile != 0 {
		t.Errorf("%+v", s)
	}
}

// openings is a Source that is read on demand, and counts how often each file is opened.
type openings struct {
	of    reader.Source
	times sync.Map
}

func (o *openings) List() ([]string, error) { return o.of.List() }

func (o *openings) Open(name string) (io.ReaderAt, int64, error) {
	n, _ := o.times.LoadOrStore(name, new(atomic.Int32))
	n.(*atomic.Int32).Add(1)
	return o.of.Open(name)
}

// A reader opens a values file once, also if later commits have it too.
func TestValuesOpenedOnce(t *testing.T) {
	ctx, fs := t.Context(), memfs.New()
	_, name := changedIndex(t, fs)
	o := &openings{of: reader.FromStore(fs)}
	x, err := reader.Open(ctx, o, reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	w := mustOpen(t, fs, Options{Schema: setSchema, MergePolicy: NoMerges})
	defer w.Close()
	if err := errors.Join(w.Add(ctx, Doc{ID: []byte("later")}), w.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	if changed, err := x.Refresh(ctx); err != nil || !changed {
		t.Fatal(changed, err)
	}
	if n, _ := o.times.Load(name); n == nil || n.(*atomic.Int32).Load() != 1 {
		t.Errorf("%s is opened %v times", name, n)
	}
}
