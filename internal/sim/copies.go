package sim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/indexdir/mending"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// older checks the commits that are kept beside the newest one: those of earlier lives hold what
// they held then, and those of this life one prefix after the other of what the newest holds,
// hi. If strict, each can be opened that could be before; otherwise the life may have ended while
// files went.
func (w *world) older(newest uint64, hi []int, strict bool) error {
	names, err := w.fs.List()
	if err != nil {
		return err
	}
	kept := map[uint64][]map[string]*document{}
	lo := make([]int, len(w.authors))
	slices.Sort(names) // ascending generations
	for _, name := range names {
		var gen uint64
		if n, _ := fmt.Sscanf(name, "old-manifest-%d.pin", &gen); n != 1 || gen >= newest {
			continue
		}
		o, err := w.contents(w.fs, reader.Options{Generation: gen}, false)
		if err != nil {
			if strict && (gen > w.newest || w.kept[gen] != nil) {
				return fmt.Errorf("commit %d, which is kept: %w", gen, err)
			}
			continue
		}
		kept[gen] = o.live
		if gen > w.newest {
			if lo, err = w.match(o, bounds{lo, hi}); err != nil {
				return fmt.Errorf("commit %d, which is kept: %w", gen, err)
			}
		} else if was := w.kept[gen]; was != nil && !equal(o.schema, was, o.live) {
			return fmt.Errorf("commit %d, which is kept, has changed", gen)
		}
		w.trace.printf("commit %d is kept", gen)
	}
	w.kept = kept
	return nil
}

// contents verifies an index and reads all of it.
func (w *world) contents(fs store.ReadFS, o reader.Options, rebuilt bool) (*observation, error) {
	x, err := reader.Open(context.Background(), reader.FromStore(fs), o)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if err := s.Verify(context.Background()); err != nil {
		return nil, err
	}
	return w.observe(s, rebuilt)
}

// equal reports whether documents are the same, as far as an index with the schema s tells.
func equal(s *schema.Schema, a, b []map[string]*document) bool {
	return slices.EqualFunc(a, b, func(a, b map[string]*document) bool {
		return maps.EqualFunc(a, b, func(a, b *document) bool { return a.looksAs(b, s) })
	})
}

// backup makes a backup, which must hold what the index holds, live. It takes away one or both
// files of its manifest: with one, the backup is the same; without any it is refused, and what
// Repair makes of it is the same.
func (w *world) backup(live []map[string]*document) error {
	d, err := indexdir.OpenFS(w.fs)
	if err != nil {
		return err
	}
	defer d.Close()
	ctx, dst := context.Background(), memfs.New()
	stats, err := d.Backup(ctx, dst, indexdir.BackupOptions{Copy: w.r.IntN(2) == 0})
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	same := func(what string, rebuilt bool) error {
		o, err := w.contents(dst, reader.Options{}, rebuilt)
		if err == nil && !equal(w.schema, live, o.live) {
			err = errors.New("other documents than those of the index")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	}
	if err := same("backup", false); err != nil {
		return err
	}
	lost := w.r.IntN(3)
	if stats.Files == 0 {
		lost = min(lost, 1) // without any file it would be no index
	}
	w.trace.printf("backup of %d files, loses %d", stats.Files, lost)
	if err := w.lose(dst, lost); err != nil {
		return err
	}
	if lost < 2 {
		return same("backup without a file of its manifest", false)
	}
	if _, err := w.contents(dst, reader.Options{}, false); err == nil {
		return errors.New("a backup without its manifest can be opened")
	}
	broken, err := indexdir.OpenFS(dst)
	if err != nil {
		return err
	}
	defer broken.Close()
	sound := func(ctx context.Context, s *segment.Segment) error {
		return check.Segment(ctx, s, check.Options{})
	}
	err = broken.Repair(ctx, sound, mending.Mend, func(inv *indexdir.Inventory) (*indexdir.Recovery, error) { return broken.Rebuild(ctx, inv) })
	if err != nil {
		return fmt.Errorf("repair: %w", err)
	}
	return same("repaired backup", true)
}

// mergeInto merges the index into a new one, which must hold what it holds, live.
func (w *world) mergeInto(live []map[string]*document) error {
	d, err := indexdir.OpenFS(w.fs)
	if err != nil {
		return err
	}
	defer d.Close()
	ctx, dst, o := context.Background(), memfs.New(), DrawOptions(w.r, Past{Stored: w.stored, Fields: w.fields})
	if w.fields {
		o.Schema = w.schema.Clone()
		w.r.Shuffle(len(o.Schema.Fields), func(i, j int) {
			o.Schema.Fields[i], o.Schema.Fields[j] = o.Schema.Fields[j], o.Schema.Fields[i]
		})
		if err := w.lacking(d); err != nil {
			return err
		}
	}
	o.Order = "" // its field may have been renamed or dropped
	into, err := writer.OpenFS(ctx, dst, o)
	if err != nil {
		return err
	}
	w.trace.printf("merged into %s", describe(o))
	_, err = into.MergeFrom(ctx, slices.Repeat([]store.ReadFS{d.FS()}, 1+w.r.IntN(2))...)
	if err == nil {
		err = into.Commit(ctx)
	}
	if err := errors.Join(err, into.Close()); err != nil {
		return err
	}
	x, err := w.contents(dst, reader.Options{}, false)
	if err == nil && !equal(x.schema, live, x.live) {
		err = errors.New("other documents than those of the index")
	}
	return err
}

// lacking checks that an index without one of the fields of d, which has documents, does not take them.
func (w *world) lacking(d *indexdir.Dir) error {
	name := w.schema.Fields[w.r.IntN(len(w.schema.Fields))].Name
	s, err := w.schema.Drop(name)
	if err != nil || !w.filled {
		return nil // it is the only one
	}
	ctx := context.Background()
	into, err := writer.OpenFS(ctx, memfs.New(), writer.Options{Schema: s})
	if err != nil {
		return err
	}
	defer into.Close()
	if _, err = into.MergeFrom(ctx, d.FS()); !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
		return fmt.Errorf("without field %q: %v", name, err)
	}
	return nil
}

// lose removes n of the two files of the manifest.
func (w *world) lose(fs *memfs.FS, n int) error {
	names, err := fs.List()
	if err != nil {
		return err
	}
	prefixes := []string{"manifest-", "mirror-"}
	if n < 2 {
		at := w.r.IntN(2)
		prefixes = prefixes[at : at+n]
	}
	for _, name := range names {
		if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			if err := fs.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// version returns a query for the version of some document, in the column f, and that document unless it is deleted.
func (o *observation) version(r *rand.Rand, f *schema.Field) (q search.Query, docs []uint32) {
	in := query.In{Field: f.Name, Values: []any{schema.KeywordValue(0, []byte("nosuch"))}}
	if len(o.records) > 0 {
		doc := r.IntN(len(o.records))
		in.Values[0] = schema.KeywordValue(0, []byte(o.values[f.Name][doc][0].(string)))
		if !o.records[doc].Deleted {
			docs = append(docs, uint32(doc))
		}
	}
	return search.Query{Node: query.Bool{Filter: []query.Node{in}}}, docs
}

// matches returns a query for a word, in some field if there is a schema, and the documents that match it: where no
// field that it draws is indexed, a version.
func (o *observation) matches(r *rand.Rand, word string) (q search.Query, docs []uint32) {
	q.RawTerms, q.Mode = [][]byte{[]byte(word)}, query.ModeAnd
	f := versionField(o.schema)
	if o.schema != nil {
		for range 4 {
			if x := &o.schema.Fields[r.IntN(len(o.schema.Fields))]; x.Indexing() != schema.IndexNone {
				f = x
			}
		}
		q = search.Query{Node: query.Term{Field: f.Name, Text: word}}
		if f.Indexing() == schema.IndexNone {
			return o.version(r, f)
		}
	}
	for i, d := range o.docs {
		if !d.Deleted && slices.Contains(d.Terms, word) {
			docs = append(docs, uint32(i))
		}
	}
	for i, d := range o.records {
		if !d.Deleted && slices.Contains(d.Terms[f.Name], word) {
			docs = append(docs, uint32(i))
		}
	}
	return q, docs
}

// deleteMatches deletes what a query for a word finds in a snapshot, as far as it is a's.
func (l *life) deleteMatches(r *rand.Rand, a *author) error {
	word := fmt.Sprintf("w%d", r.IntN(1<<(1+r.IntN(8))))

	x, err := reader.Open(context.Background(), reader.FromStore(l.fs), reader.Options{})
	if err != nil {
		return l.judge("reader", err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return err
	}
	defer s.Close()
	o, err := l.observe(s, false)
	if err != nil {
		return l.judge("read", err)
	}
	searcher, err := search.NewSearcher(s, search.Options{})
	if err != nil {
		return l.judge("searcher", err)
	}
	defer searcher.Close()
	q, want := o.matches(r, word)
	var got []uint32
	for doc, err := range searcher.Matches(context.Background(), q) {
		if err != nil {
			return l.judge("matches", err)
		}
		got = append(got, doc)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("commit %d: documents %d match %s, found were %d", s.Generation(), want, word, got)
	}
	for _, doc := range got {
		id, err := s.AppendID(nil, doc)
		if err != nil {
			return l.judge("id", err)
		}
		if id[0] != a.name[0] {
			continue
		}
		a.begin(change{id: string(id)})
		l.ops.Add(1)
		if err := l.judge("change", l.writer.Delete(context.Background(), id)); err != nil {
			return err
		}
		a.finish()
	}
	return nil
}
