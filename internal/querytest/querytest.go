// Package querytest holds collections for the tests of query and its packages.
package querytest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/testdata"
	"github.com/pinion-index/pinion/writer"
)

// Terms returns words in the form of search.Query.RawTerms.
func Terms(words ...string) [][]byte {
	var ts [][]byte
	for _, w := range words {
		ts = append(ts, []byte(w))
	}
	return ts
}

// Words cuts text as the analyzer simple does, but with its own code.
func Words(text string) []string {
	f := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.Is(unicode.Nd, r) })
	return slices.DeleteFunc(f, func(w string) bool { return len(w) > 64 })
}

// ZipfDocs makes n documents over about vocab words of Zipfian frequency, w0 being the most
// frequent, in clusters that prefer words of their own.
func ZipfDocs(rng *rand.Rand, n, vocab, meanLen int) [][]string {
	z := rand.NewZipf(rng, 1.1, 2, uint64(vocab-1))
	docs := make([][]string, n)
	for d := range docs {
		length := 1 + int(float64(meanLen)*math.Exp(rng.NormFloat64()*0.7)*0.8)
		topic := d / 97
		for range length {
			w := int(z.Uint64())
			if rng.IntN(6) == 0 {
				w = vocab + topic*5 + rng.IntN(5)
			}
			docs[d] = append(docs[d], fmt.Sprintf("w%d", w))
			if rng.IntN(10) == 0 {
				docs[d] = append(docs[d], docs[d][len(docs[d])-1]) // raises frequencies
			}
		}
	}
	return docs
}

// Verses returns the texts of the bundled collection.
func Verses(t testing.TB) []string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(testdata.KJV))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for lines := bufio.NewScanner(z); lines.Scan(); {
		var v struct{ Contents string }
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, v.Contents)
	}
	return texts
}

// Live is an index in memory that changes while snapshots of it are searched.
type Live struct {
	*writer.Writer
	t  testing.TB
	fs *memfs.FS
}

// NewLive returns an empty index, with the analyzer simple and without merges in the background
// unless o has others. It is closed when the test ends.
func NewLive(t testing.TB, o writer.Options) *Live {
	t.Helper()
	l := &Live{t: t, fs: memfs.New()}
	if o.Schema == nil {
		o.Schema = schema.Implicit("simple", "", false)
	}
	if o.MergePolicy == nil {
		o.MergePolicy = writer.NoMerges
	}
	w, err := writer.OpenFS(context.Background(), l.fs, o)
	l.Do(err)
	l.Writer = w
	t.Cleanup(func() { l.Close() })
	return l
}

// FS returns the file system of the index.
func (l *Live) FS() *memfs.FS { return l.fs }

// Do ends the test if err is not nil.
func (l *Live) Do(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// AddText adds document d.
func (l *Live) AddText(d int, text string) {
	l.t.Helper()
	l.Do(l.Add(context.Background(), writer.Text(fmt.Appendf(nil, "d%07d", d), []byte(text))))
}

// MergeAll merges all segments.
func (l *Live) MergeAll() {
	l.t.Helper()
	_, err := l.Merge(context.Background(), writer.MergeOptions{})
	l.Do(err)
}

// Snapshot commits and returns a snapshot of the result, which is closed when the test ends.
func (l *Live) Snapshot() *reader.Snapshot {
	l.t.Helper()
	l.Do(l.Commit(context.Background()))
	x, err := reader.Open(context.Background(), reader.FromStore(l.fs), reader.Options{})
	l.Do(err)
	s, err := x.Snapshot()
	l.Do(err)
	l.t.Cleanup(func() { s.Close(); x.Close() })
	return s
}

// Directory writes an index of docs, with a new segment before each of the documents in cuts and
// the deleted ones deleted, to a local directory, whose files readers map into memory.
func Directory(t testing.TB, o writer.Options, docs [][]string, deleted []int, cuts ...int) string {
	t.Helper()
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("local directories cannot be locked")
	}
	dir := t.TempDir()
	w, err := writer.Open(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	l := &Live{Writer: w, t: t}
	defer func() { l.Do(l.Close()) }()
	l.fill(docs, deleted, cuts)
	return dir
}

// fill adds and deletes documents, and commits.
func (l *Live) fill(docs [][]string, deleted, cuts []int) {
	l.t.Helper()
	for d, words := range docs {
		if slices.Contains(cuts, d) {
			l.Do(l.Flush(context.Background()))
		}
		l.AddText(d, strings.Join(words, " "))
	}
	l.Do(l.Commit(context.Background()))
	for _, d := range deleted {
		l.Do(l.Delete(context.Background(), fmt.Appendf(nil, "d%07d", d)))
	}
	l.Do(l.Commit(context.Background()))
}

// Index returns a snapshot of docs, with a new segment before each of the documents in cuts,
// without the deleted ones.
func Index(t testing.TB, docs [][]string, deleted []int, cuts ...int) *reader.Snapshot {
	t.Helper()
	l := NewLive(t, writer.Options{})
	l.fill(docs, deleted, cuts)
	return l.Snapshot()
}
