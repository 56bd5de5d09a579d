package writer

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer/internal/lists"
)

// fill adds n documents to w and m. So many of them have the word "often" that its
// list has several blocks.
func fill(t *testing.T, w *Writer, m *model, r *rand.Rand, n, ids int) {
	t.Helper()
	for range n {
		id, text := fmt.Sprint("d", r.IntN(ids)), "often "+randomText(r, r.IntN(9))
		if err := w.Add(t.Context(), doc(id, text)); err != nil {
			t.Fatal(err)
		}
		m.add(id, text)
	}
}

// TestMergeCopies checks which blocks a merge copies: those of the first segment
// and, of a later one, those that come after full blocks.
func TestMergeCopies(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false)})
	defer w.Close()
	m := model{}
	for seg, docs := range []int{512, 640, 300} {
		for i := range docs {
			id := fmt.Sprintf("%d-%d", seg, i)
			m.add(id, "often")
			if err := w.Add(ctx, doc(id, "often")); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	stats, err := w.Merge(ctx, MergeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// 4 blocks, 4 of 5 (the first gap of a later segment is new), 1 of 2, and a tail
	// of 44; the two re-encoded first blocks.
	want := MergeStats{Sources: 3, Outputs: 1, Docs: 1452, Postings: 1452, Copied: 9, Encoded: 2*128 + 44}
	if stats != want {
		t.Errorf("merge did %+v, want %+v", stats, want)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	m.check(t, fs)

	// With another codec nothing can be copied.
	fs2 := memfs.New()
	w2 := mustOpen(t, fs2, Options{Schema: schema.Implicit("whitespace", "", false), DocsCodec: "vbyte128", FreqsCodec: "vbyte128"})
	defer w2.Close()
	dir, err := indexdir.OpenFS(fs)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	stats, err = w2.MergeFrom(ctx, dir.FS())
	if err != nil || stats.Copied != 0 || stats.Encoded != 1452 {
		t.Errorf("merge to another codec did %+v, %v", stats, err)
	}
	if err := w2.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	m.check(t, fs2)
}

func TestMaxSegments(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false)})
	defer w.Close()
	m := model{}
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1000, 10, 20, 500, 30, 400} {
		fill(t, w, &m, r, n, 1<<30)
		if err := w.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	docs := func() (n []int) {
		for _, s := range w.segments {
			n = append(n, int(s.info.Docs))
		}
		return n
	}
	for _, tt := range []struct {
		most int
		want []int
	}{
		{9, []int{1000, 10, 20, 500, 30, 400}},
		{5, []int{1000, 30, 500, 30, 400}},
		{3, []int{1000, 530, 430}},
		{2, []int{1000, 960}},
		{0, []int{1960}},
	} {
		if _, err := w.Merge(ctx, MergeOptions{MaxSegments: tt.most}); err != nil {
			t.Fatal(err)
		}
		if got := docs(); !slices.Equal(got, tt.want) {
			t.Errorf("at most %d: segments of %v documents, want %v", tt.most, got, tt.want)
		}
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		m.check(t, fs)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := fs.List()
	if err != nil || len(names) != 4 { // manifest, its mirror, segment, lock
		t.Errorf("files left: %v, %v", names, err)
	}
}

func TestPurge(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", true)})
	defer w.Close()
	m := model{stored: true}
	r := rand.New(rand.NewPCG(1, 1))
	for range 3 {
		fill(t, w, &m, r, 300, 400)
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	total := 0
	for _, s := range w.segments {
		total += int(s.info.Docs)
	}
	stats, err := w.Merge(ctx, MergeOptions{MaxSegments: 3, Purge: true})
	if err != nil {
		t.Fatal(err)
	}
	if stats.Sources != 2 || stats.Purged != uint64(total-len(m.docs)) || stats.Copied != 0 && len(w.segments) != 3 {
		t.Errorf("purge did %+v; %d documents of %d live", stats, len(m.docs), total)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	m.check(t, fs)
	if stats, err := w.Merge(ctx, MergeOptions{MaxSegments: 3, Purge: true}); err != nil || stats != (MergeStats{}) {
		t.Errorf("second purge did %+v, %v", stats, err)
	}
}

// TestPurgeBetweenJobs purges a term that ends a job of lists. The next term shares more
// bytes with it than with the last term that is left.
func TestPurgeBetweenJobs(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), MergePolicy: NoMerges})
	defer w.Close()
	text := ""
	for i := range lists.ChunkTerms - 1 {
		text += fmt.Sprintf("a%04d ", i)
	}
	m := model{}
	for id, text := range []string{text, "b", "bc bcd"} {
		m.add(fmt.Sprint(id), text)
		if err := w.Add(ctx, doc(fmt.Sprint(id), text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	m.delete("1")
	if err := w.Delete(ctx, []byte("1")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Merge(ctx, MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	m.check(t, fs)
}

// TestMergeOfLongTerms checks that a merge holds few long terms at a time.
func TestMergeOfLongTerms(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	const size = 60000
	before, most := uint64(0), uint64(0)
	w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false), MergePolicy: NoMerges, Progress: func(p Progress) {
		if p.Stage == "merge" {
			before, most = p.Done, max(most, p.Done-before)
		}
	}})
	defer w.Close()
	m := model{}
	for i := range 40 {
		id, text := fmt.Sprint(i), fmt.Sprintf("%0*d", size, i)
		m.add(id, text)
		if err := w.Add(ctx, doc(id, text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Merge(ctx, MergeOptions{Recode: true}); err != nil {
		t.Fatal(err)
	}
	if most*size > lists.ChunkBytes+size {
		t.Errorf("a job of %d terms of %d bytes", most, size)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	m.check(t, fs)
}

func TestMergeInto(t *testing.T) {
	ctx := t.Context()
	r := rand.New(rand.NewPCG(5, 5))
	root := t.TempDir()
	all := model{stored: true}
	var dirs []string
	for i := range 3 {
		path := filepath.Join(root, fmt.Sprint(i))
		dirs = append(dirs, path)
		w, err := Open(ctx, path, Options{Schema: schema.Implicit("whitespace", "", true)})
		if err != nil {
			t.Fatal(err)
		}
		m := model{stored: true}
		for range 2 {
			fill(t, w, &m, r, 200, 500)
			if err := w.Commit(ctx); err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
		for _, d := range m.docs {
			all.delete(d.id)
			all.docs = append(all.docs, d)
		}
	}
	out := filepath.Join(root, "out")
	stats, err := MergeInto(ctx, out, dirsAt(dirs...), Options{}, MergeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if stats.Sources != 6 || stats.Docs != uint64(len(all.docs)) {
		t.Errorf("merge did %+v, want %d documents", stats, len(all.docs))
	}
	all.check(t, store.Dir(out))
	for _, d := range dirs {
		if err := CheckReadable(d); err != nil {
			t.Errorf("source %s: %v", d, err)
		}
	}
	if _, err := MergeInto(ctx, out, dirsAt(dirs[0], out), Options{}, MergeOptions{}); err == nil {
		t.Error("an index was merged into itself")
	}
	if _, err := MergeInto(ctx, out, dirsAt(filepath.Join(root, "nowhere")), Options{}, MergeOptions{}); err == nil {
		t.Error("a directory that is not there was merged")
	}
	other := filepath.Join(root, "other")
	w, err := Open(ctx, other, Options{Schema: schema.Implicit("simple", "", false)})
	if err := errors.Join(err, w.Add(ctx, doc("x", "y")), w.Commit(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := MergeInto(ctx, out, dirsAt(other), Options{}, MergeOptions{}); !errors.Is(err, ErrAnalyzer) {
		t.Errorf("merging an index of another analyzer: %v", err)
	}
	all.check(t, store.Dir(out))
}

// CheckReadable opens the newest commit of an index.
func CheckReadable(path string) error {
	dir, err := indexdir.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	_, _, err = schemaOf(dir)
	return err
}

// TestMergeMixesStored joins a segment with stored text and ones without, as writers of
// version 0.2 could leave them.
func TestMergeMixesStored(t *testing.T) {
	ctx := t.Context()
	fs := memfs.New()
	for i, stored := range []bool{false, true, false} {
		w := mustOpen(t, fs, Options{Schema: schema.Implicit("whitespace", "", false)})
		w.opts.Schema.Fields[0].Stored = stored // whatever the others do
		if err := (evolving{w}).setFields(); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Add(ctx, doc(fmt.Sprint(i), "text")), w.Commit(ctx), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	w := mustOpen(t, fs, Options{})
	defer w.Close()
	if err := w.Add(ctx, doc("3", "text")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Merge(ctx, MergeOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	m := model{docs: []shownDoc{show("0", "text", false), show("1", "text", true), show("2", "text", false), show("3", "text", true)}}
	m.check(t, fs)
}

// dirsAt returns the directories at paths.
func dirsAt(paths ...string) []store.ReadFS {
	dirs := make([]store.ReadFS, len(paths))
	for i, path := range paths {
		dirs[i] = store.Dir(path)
	}
	return dirs
}
