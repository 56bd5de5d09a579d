package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/query"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/testdata"
	"github.com/pinion-index/pinion/writer"
)

const (
	parts      = 3       // commits that the collection is built in
	firstVerse = "Ge1:1" // id of the collection's first document
)

// clear deletes the documents of an earlier run from the index in dir, if there is one.
// It refuses a directory that holds anything else, another index included, and removes
// no file.
func clear(ctx context.Context, dir string) (err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	var ids [][]byte
	err = view(dir, func(s *reader.Snapshot) error {
		if s.Stats().Docs == 0 { // an earlier run was interrupted
			return nil
		}
		_, ok, err := s.FindID([]byte(firstVerse))
		if err == nil && (!ok || s.Stats().Docs > testdata.KJVDocs) {
			err = fmt.Errorf("%s holds another index", dir)
		}
		for doc := range s.Stats().Docs {
			if err != nil {
				return err
			}
			var id []byte
			id, err = s.AppendID(nil, uint32(doc))
			ids = append(ids, id)
		}
		return err
	})
	if errors.Is(err, format.ErrNotAnIndex) {
		err = fmt.Errorf("%s holds other files, such as %s", dir, entries[0].Name())
	}
	if err != nil {
		return fmt.Errorf("%w: name another --dir", err)
	}
	w, err := writer.Open(ctx, dir, writer.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, id := range ids {
		if err := w.Delete(ctx, id); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

// view calls f with the newest snapshot of the index in dir.
func view(dir string, f func(*reader.Snapshot) error) error {
	index, err := reader.Open(context.Background(), reader.Dir(dir), reader.Options{})
	if err != nil {
		return err
	}
	defer index.Close()
	snapshot, err := index.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	return f(snapshot)
}

// build adds the bundled collection in several commits, a segment each.
func build(ctx context.Context, out io.Writer, dir string) (err error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(testdata.KJV))
	if err != nil {
		return err
	}
	start := time.Now()
	w, err := writer.Open(ctx, dir, writer.Options{Schema: schema.Implicit("", "", true)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	verses := json.NewDecoder(unzipped) // package exchange reads more formats, and faster
	for n := 1; ; n++ {
		var verse struct{ ID, Contents string }
		err := verses.Decode(&verse)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = w.Add(ctx, writer.Text([]byte(verse.ID), []byte(verse.Contents)))
		}
		if err == nil && n%(testdata.KJVDocs/parts) == 0 && n < testdata.KJVDocs-parts {
			err = w.Commit(ctx)
		}
		if err != nil {
			return err
		}
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "Done in %s.\n", time.Since(start).Round(time.Millisecond))
	return nil
}

// merge makes one segment of all.
func merge(ctx context.Context, out io.Writer, dir string) (err error) {
	start := time.Now()
	w, err := writer.Open(ctx, dir, writer.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	stats, err := w.Merge(ctx, writer.MergeOptions{})
	if err != nil {
		return err
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d segments into %d, %s postings, in %s.\n", stats.Sources, stats.Outputs,
		humanize.Comma(int64(stats.Postings)), time.Since(start).Round(time.Millisecond))
	return nil
}

// verify reads and checks everything.
func verify(ctx context.Context, out io.Writer, dir string) error {
	return view(dir, func(s *reader.Snapshot) error {
		if err := s.Verify(ctx); err != nil {
			return err
		}
		for _, segment := range s.Segments() {
			fmt.Fprintf(out, "%s  %s bytes  ok\n", segment.Name(), humanize.Comma(segment.Header().FileLen))
		}
		return nil
	})
}

// summarize prints the sizes of the index and of its segments.
func summarize(out io.Writer, dir string) error {
	return view(dir, func(s *reader.Snapshot) error {
		stats := s.Stats()
		fmt.Fprintf(out, "%s documents, %s postings, %s tokens (%.1f a document)\n\n", humanize.Comma(int64(stats.Docs)),
			humanize.Comma(int64(stats.Postings)), humanize.Comma(int64(stats.Tokens)), stats.AvgLen())
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprint(t, "docs\tterms\tpostings\tbytes\t  segment\n")
		for _, segment := range s.Segments() {
			m := segment.Meta()
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t  %s\n", humanize.Comma(int64(m.Docs)), humanize.Comma(int64(m.Terms)),
				humanize.Comma(int64(m.Postings)), humanize.Comma(segment.Header().FileLen), segment.Name())
		}
		return t.Flush()
	})
}

// search prints the three best verses for a query.
func search(ctx context.Context, out io.Writer, dir string, mode query.Mode, text string) error {
	index, err := pinion.OpenReader(ctx, dir)
	if err != nil {
		return err
	}
	defer index.Close()
	page, err := index.Search(ctx, pinion.Request{Query: query.Match{Text: text, Mode: mode}, Limit: 3, Fields: []string{"text"}})
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, hit := range page.Hits {
		fmt.Fprintf(t, "%.4f\t%s\t%s\n", hit.Score, hit.ID, hit.Value("text"))
	}
	return t.Flush()
}
