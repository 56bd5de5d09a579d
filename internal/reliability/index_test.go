package reliability

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

var (
	share  = flag.Int("share", 2, "percent of the trials of docs/trials.md to make")
	number = flag.Int("trials", 0, "random trials to make, instead of a share of those")
	seed   = flag.Uint64("seed", 1, "seed of the first random trial")
	seeds  = flag.Int("seeds", 1, "seeds of each crash that keeps some of what was not synced")
)

// trials returns how many random trials to make of n.
func trials(n int) int {
	if *number > 0 {
		return *number
	}
	return max(1, n**share/100)
}

// skip reports whether trial i of a series is not among the share to make.
func skip(i int) bool { return i%max(1, 100 / *share) != 0 }

func check(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// fields, instead of the name of a codec, is an index with a schema.
const fields = "fields"

func fieldSchema() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "title", Kind: schema.Text, Analyzer: "whitespace", Stored: true, Lengths: schema.LengthsByte, K1: 1.2, Boost: 3},
		{Name: "body", Kind: schema.Text, Analyzer: "whitespace", Stored: true},
		{Name: "notes", Kind: schema.Text, Analyzer: "whitespace", Index: schema.IndexDocs},
		{Name: "shelf", Kind: schema.Keyword, Stored: true},
		{Name: "number", Kind: schema.Integer, Stored: true, Column: true},
		{Name: "weight", Kind: schema.Float, Stored: true},
	}}
}

func options(codec string) writer.Options {
	o := writer.Options{Memory: writer.MinMemory, Threads: 2}
	if codec == fields {
		o.Schema = fieldSchema()
		return o
	}
	o.Schema = schema.Implicit("whitespace", "", true)
	o.DocsCodec, o.FreqsCodec = codec, codec
	return o
}

// text returns the text of document n of a collection.
func text(r *rand.Rand, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "all n%d ", n)
	for range r.IntN(10) {
		b.WriteString(strings.Repeat(fmt.Sprintf("w%d ", r.IntN(1<<(1+r.IntN(7)))), 1+r.IntN(3)))
	}
	return b.String()
}

// add adds n documents, the first of which is number from.
func add(ctx context.Context, w *writer.Writer, r *rand.Rand, from, n int) error {
	for i := from; i < from+n; i++ {
		if err := addText(ctx, w, fmt.Sprintf("d%d", i), text(r, i)); err != nil {
			return err
		}
	}
	return nil
}

// addText adds a document with a text, some of which is in each field if there is a schema.
func addText(ctx context.Context, w *writer.Writer, id, text string) error {
	s := w.Schema()
	if s.IsImplicit() {
		return w.Add(ctx, writer.Text([]byte(id), []byte(text)))
	}
	d, words := writer.Doc{ID: []byte(id)}, strings.Fields(text)
	for i := range s.Fields {
		part := strings.Join(words[i%len(words):], " ")
		switch s.Fields[i].Kind {
		case schema.Text:
			d.Values = append(d.Values, schema.TextValue(i, []byte(part)), schema.TextValue(i, []byte(words[0])))
		case schema.Keyword:
			d.Values = append(d.Values, schema.KeywordValue(i, []byte(words[len(words)-1])), schema.KeywordValue(i, []byte(words[0])))
		case schema.Integer:
			d.Values = append(d.Values, schema.IntegerValue(i, int64(len(text))))
		case schema.Float:
			d.Values = append(d.Values, schema.FloatValue(i, 1/float64(len(text))))
		case schema.Time:
			d.Values = append(d.Values, schema.NanosValue(i, int64(len(text))))
		}
	}
	return w.Add(ctx, d)
}

// set changes the numbers of some documents of an index with a schema in place.
func set(ctx context.Context, w *writer.Writer, every int, to int64) error {
	var changes []writer.Change
	for i := 0; i < 100; i += every {
		n := w.Schema().Number("number")
		changes = append(changes, writer.Change{Doc: writer.Doc{ID: fmt.Appendf(nil, "d%d", i), Values: []schema.Value{schema.IntegerValue(n, to+int64(i))}}, Set: []string{"number"}})
	}
	return w.Apply(ctx, changes, nil)
}

// build builds an index of segments with so many documents each, the last of which
// deletes some documents of the first.
func build(t testing.TB, seed uint64, codec string, docs ...int) *memfs.FS {
	t.Helper()
	f, ctx := memfs.New(), context.Background()
	w, err := writer.OpenFS(ctx, f, options(codec))
	check(t, err)
	r, at := rand.New(rand.NewPCG(seed, 7)), 0
	for i, n := range docs {
		check(t, add(ctx, w, r, at, n))
		if at += n; i > 0 && i == len(docs)-1 {
			for d := range docs[0] / 7 {
				check(t, w.Delete(ctx, fmt.Appendf(nil, "d%d", d*7)))
			}
		}
		check(t, w.Commit(ctx))
	}
	check(t, w.Close())
	return f
}

// contents returns the live documents of an index, which it verifies, by id: their texts, or the
// values of their fields. An id that two of them have is an error. A folder without an index has none.
func contents(f store.ReadFS) (map[string]string, error) {
	docs := map[string]string{}
	x, err := reader.Open(context.Background(), reader.FromStore(f), reader.Options{})
	if errors.Is(err, format.ErrNotAnIndex) && !hasFiles(f) {
		return docs, nil
	}
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
	for doc := range uint32(s.Stats().Docs) {
		deleted, err := s.Deleted(doc)
		if err != nil {
			return nil, err
		}
		if deleted {
			continue
		}
		id, err := s.AppendID(nil, doc)
		if err != nil {
			return nil, err
		}
		text, err := s.AppendStored(nil, doc)
		if err != nil {
			return nil, err
		}
		if is := s.Schema(); !is.IsImplicit() {
			if text, err = record.AppendLines(nil, text, is.ByID); err != nil {
				return nil, err
			}
		}
		if _, ok := docs[string(id)]; ok {
			return nil, fmt.Errorf("two live documents have the id %s", id)
		}
		docs[string(id)] = string(text)
	}
	return docs, nil
}

// isManifest reports whether name is one of the files that say what an index holds.
func isManifest(name string) bool {
	return strings.HasSuffix(name, ".pin") && (strings.HasPrefix(name, "manifest-") || strings.HasPrefix(name, "mirror-"))
}

// hasFiles reports whether f holds a manifest.
func hasFiles(f store.ReadFS) bool {
	names, _ := f.List()
	for _, n := range names {
		if isManifest(n) {
			return true
		}
	}
	return false
}

// files returns the content of all files.
func files(t testing.TB, f store.ReadFS) static {
	t.Helper()
	names, err := f.List()
	check(t, err)
	s := static{}
	for _, name := range names {
		d, err := f.Open(name)
		check(t, err)
		b, err := d.Range(0, d.Size())
		check(t, err, d.Close())
		s[name] = aligned(b)
	}
	return s
}

func aligned(b []byte) []byte {
	c := format.AlignedBytes(len(b))
	copy(c, b)
	return c
}

// static is a folder of files that do not change.
type static map[string][]byte

func (s static) ID() any        { return fmt.Sprintf("%p", s) }
func (s static) String() string { return "static" }

func (s static) List() (names []string, err error) {
	for n := range s {
		names = append(names, n)
	}
	return names, nil
}

func (s static) Open(name string) (store.Data, error) {
	b, ok := s[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &staticFile{name, b}, nil
}

// with returns s with another content of a file, or without it if that is nil.
func (s static) with(name string, content []byte) static {
	c := static{}
	for n, b := range s {
		c[n] = b
	}
	if delete(c, name); content != nil {
		c[name] = aligned(content)
	}
	return c
}

// copy returns a file system that can be written.
func (s static) copy(t testing.TB) *memfs.FS {
	t.Helper()
	f := memfs.New()
	for name, b := range s {
		w, err := f.Create(name)
		check(t, err)
		_, err = w.WriteAt(b, 0)
		check(t, err, w.Sync())
	}
	check(t, f.Sync())
	return f
}

type staticFile struct {
	name string
	b    []byte
}

func (f *staticFile) Size() int64    { return int64(len(f.b)) }
func (f *staticFile) Mapped() []byte { return f.b }
func (f *staticFile) Close() error   { return nil }
func (f *staticFile) Range(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > int64(len(f.b))-n {
		return nil, format.Locate(format.Corrupt("%d bytes wanted at %d of %d", n, off, len(f.b)), format.Place{File: f.name, Block: format.NoBlock})
	}
	return f.b[off : off+n], nil
}

// isIndexError reports whether err says that a file is not a valid file of an index.
func isIndexError(err error) bool {
	for _, kind := range []error{format.ErrCorrupt, format.ErrNotAnIndex, format.ErrTooNew, format.ErrTooOld} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
