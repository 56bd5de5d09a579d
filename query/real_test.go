package query

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/format/codec/vbyte1024"
	"github.com/pinion-index/pinion/format/codec/vbyte128"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/testdata"
	"github.com/pinion-index/pinion/writer"
)

// verses returns the texts of the bundled collection.
func verses(t testing.TB) []string {
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

// live is an index that changes while snapshots of it are searched.
type live struct {
	t  testing.TB
	fs store.FS
	w  *writer.Writer
}

func newLive(t testing.TB, o writer.Options) *live {
	l := &live{t: t, fs: memfs.New()}
	var err error
	l.w, err = writer.OpenFS(context.Background(), l.fs, o)
	l.do(err)
	t.Cleanup(func() { l.w.Close() })
	return l
}

func (l *live) do(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// searcher commits and returns a Searcher over the result.
func (l *live) searcher() *Searcher {
	l.t.Helper()
	l.do(l.w.Commit(context.Background()))
	x, err := reader.OpenFS(l.fs)
	l.do(err)
	s, err := x.Snapshot()
	l.do(err)
	l.t.Cleanup(func() { s.Close(); x.Close() })
	q, err := NewSearcher(s, DefaultOptions)
	l.do(err)
	return q
}

// Real text through writer, merge, reader and every algorithm: the oracle cuts
// the text by itself.
func TestRealText(t *testing.T) {
	texts := verses(t)
	if testing.Short() {
		texts = texts[:4000]
	}
	ctx := context.Background()
	simple, err := analysis.New("simple", "")
	if err != nil {
		t.Fatal(err)
	}
	l := newLive(t, writer.Options{Analyzer: simple})
	other := newLive(t, writer.Options{Analyzer: simple, DocsCodec: vbyte128.Codec{}, FreqsCodec: vbyte128.Codec{}})
	long := newLive(t, writer.Options{Analyzer: simple, DocsCodec: vbyte1024.Codec{}, FreqsCodec: vbyte1024.Codec{}})
	docs := make([][]string, len(texts))
	for i, text := range texts {
		docs[i] = words(text)
		d := writer.Document{ID: fmt.Appendf(nil, "v%d", i), Contents: []byte(text)}
		l.do(l.w.Add(ctx, d))
		other.do(other.w.Add(ctx, d))
		long.do(long.w.Add(ctx, d))
		if i == len(texts)/3 || i == len(texts)/2 {
			l.do(l.w.Flush(ctx))
		}
	}
	c := &collection{docs: docs, oracle: newOracle(docs, nil), params: DefaultParams}
	c.searchers = append(c.searchers, l.searcher())
	if n := len(c.searchers[0].parts); n < 3 {
		t.Fatalf("%d segments, want 3", n)
	}
	_, err = l.w.Merge(ctx, writer.MergeOptions{})
	l.do(err)
	c.searchers = append(c.searchers, l.searcher(), other.searcher(), long.searcher())

	rng := rand.New(rand.NewPCG(17, 18))
	queries := []string{"In the beginning", "the LORD is my shepherd", "and", "jesus wept", "begat begat", "nosuchword darkness", "thou shalt not kill"}
	for range 25 {
		d := docs[rng.IntN(len(docs))]
		at := rng.IntN(len(d))
		queries = append(queries, fmt.Sprint(d[at:min(len(d), at+1+rng.IntN(7))]))
	}
	for _, q := range queries {
		ts, err := c.searchers[0].Parse(q)
		if err != nil {
			t.Fatal(err)
		}
		var parsed []string
		for _, w := range ts {
			parsed = append(parsed, string(w))
		}
		if !slices.Equal(parsed, words(q)) {
			t.Fatalf("%q is parsed as %q", q, parsed)
		}
		for _, mode := range []Mode{Or, And, AndOr} {
			for _, k := range []int{10, 300} {
				if err := c.check(t, parsed, k, mode, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// Deleted and replaced documents are never hits, and count in the statistics
// until a merge drops them.
func TestDeletesAcrossMerge(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(19, 20))
	docs := zipfDocs(rng, 900, 60, 8)
	whitespace, err := analysis.New("whitespace", "")
	if err != nil {
		t.Fatal(err)
	}
	l := newLive(t, writer.Options{Analyzer: whitespace})
	for i, d := range docs {
		text := ""
		for _, w := range d {
			text += w + " "
		}
		l.do(l.w.Add(ctx, writer.Document{ID: fmt.Appendf(nil, "d%d", i), Contents: []byte(text)}))
		if i%400 == 399 {
			l.do(l.w.Commit(ctx))
		}
	}
	l.do(l.w.Commit(ctx))
	deleted := map[int]bool{}
	for len(deleted) < 200 {
		d := rng.IntN(len(docs))
		deleted[d] = true
		l.do(l.w.Delete(ctx, fmt.Appendf(nil, "d%d", d)))
	}
	before := &collection{docs: docs, oracle: newOracle(docs, deleted), params: DefaultParams, searchers: []*Searcher{l.searcher()}}
	_, err = l.w.Merge(ctx, writer.MergeOptions{})
	l.do(err)
	var kept [][]string
	for i, d := range docs {
		if !deleted[i] {
			kept = append(kept, d)
		}
	}
	after := &collection{docs: kept, oracle: newOracle(kept, nil), params: DefaultParams, searchers: []*Searcher{l.searcher()}}
	for range 20 {
		ws := []string{fmt.Sprintf("w%d", rng.IntN(60)), fmt.Sprintf("w%d", rng.IntN(60)), fmt.Sprintf("w%d", rng.IntN(9))}
		for _, mode := range []Mode{Or, And, AndOr} {
			for _, c := range []*collection{before, after} {
				if err := c.check(t, ws, 10, mode, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
