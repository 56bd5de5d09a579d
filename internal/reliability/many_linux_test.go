package reliability

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pinion-index/pinion/internal/search"
	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/writer"
)

// documents writes an index of n documents that all have the word common.
func documents(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	w, err := writer.Open(t.Context(), dir, writer.Options{})
	for i := 0; err == nil && i < n; i++ {
		err = w.Add(t.Context(), writer.Text(fmt.Append(nil, i), []byte("common "+numbered(i))))
	}
	if err == nil {
		err = errors.Join(w.Commit(t.Context()), w.Close())
	}
	check(t, err)
	return dir
}

// searched is an open index with a Searcher, which may be closed.
type searched struct {
	*reader.Index
	*search.Searcher
}

func searchIn(dir string) (s searched, err error) {
	if s.Index, err = reader.Open(context.Background(), reader.Dir(dir), reader.Options{}); err != nil {
		return s, err
	}
	snapshot, err := s.Snapshot()
	if err == nil {
		s.Searcher, err = search.NewSearcher(snapshot, search.Options{})
		snapshot.Close()
	}
	if err != nil {
		s.Index.Close()
	}
	return s, err
}

// ask returns an error unless the index has ten documents with the word common.
func (s searched) ask() error {
	r, err := s.Search(ctx, search.Query{Text: "common"})
	if err == nil && len(r.Hits) != 10 {
		err = fmt.Errorf("%s: %d hits", s.Index, len(r.Hits))
	}
	return err
}

func (s searched) close() error { return errors.Join(s.Searcher.Close(), s.Index.Close()) }

// usage returns the resident memory and the mappings of this process.
func usage(t *testing.T) (memory, mappings int) {
	t.Helper()
	for range 3 { // the second one empties pools
		debug.FreeOSMemory()
	}
	pages, err := os.ReadFile("/proc/self/statm")
	check(t, err)
	maps, err := os.ReadFile("/proc/self/maps")
	check(t, err)
	n, err := strconv.Atoi(strings.Fields(string(pages))[1])
	check(t, err)
	return n * os.Getpagesize(), bytes.Count(maps, []byte("\n"))
}

// TestManyIndexes searches many small indexes in one process and keeps them open: they take no
// mappings, and 60 kB of memory each.
func TestManyIndexes(t *testing.T) {
	n, first := trials(10_000), documents(t, 10)
	files, err := filepath.Glob(filepath.Join(first, "*.pin"))
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	for _, f := range files {
		st, err := os.Stat(f)
		check(t, err)
		size += st.Size()
	}
	if size > 3_250 { // docs/roadmap.md says of what
		t.Errorf("an index of ten documents takes %d bytes", size)
	}
	root := t.TempDir()
	var all []searched
	add := func(n int) {
		for range n {
			dir := filepath.Join(root, strconv.Itoa(len(all)))
			err := os.Mkdir(dir, 0o777)
			for _, f := range files {
				err = errors.Join(err, os.Link(f, filepath.Join(dir, filepath.Base(f))))
			}
			check(t, err)
			s, err := searchIn(dir)
			check(t, err)
			all = append(all, s)
			check(t, s.ask())
		}
	}
	add(20) // which loads the program
	memory, mappings := usage(t)
	add(n)
	searching, _ := usage(t)
	for i := range all {
		check(t, all[i].Searcher.Close())
		all[i].Searcher = new(search.Searcher)
	}
	open, m := usage(t)
	t.Logf("%d indexes of ten documents: %d bytes of memory each, with a Searcher %d", n, (open-memory)/n, (searching-memory)/n)
	if (open-memory)/n > 20_000 {
		t.Errorf("%d bytes of memory each", (open-memory)/n)
	}
	if m-mappings > n/20 {
		t.Errorf("%d mappings more for %d indexes", m-mappings, n)
	}
	for _, s := range all {
		check(t, s.close())
	}
}

// TestMappingLimit opens an index until the process may map no more files: opening fails with an
// error that names the limit, and what is open goes on.
func TestMappingLimit(t *testing.T) {
	b, err := os.ReadFile("/proc/sys/vm/max_map_count")
	check(t, err)
	limit, err := strconv.Atoi(strings.TrimSpace(string(b)))
	check(t, err)
	if *share < 100 || limit > 100_000 {
		t.Skipf("only with -share 100, where vm.max_map_count is at most 100000; it is %d", limit)
	}
	dir := documents(t, 4000) // small files are not mapped
	var all []searched
	for err == nil {
		var s searched
		if s, err = searchIn(dir); err == nil {
			all = append(all, s)
		}
		if len(all) > limit {
			t.Fatalf("%d indexes are open", len(all))
		}
	}
	if !errors.Is(err, syscall.ENOMEM) || !strings.Contains(err.Error(), "vm.max_map_count") {
		t.Fatal(err)
	}
	_, mappings := usage(t)
	t.Logf("%d indexes are open, %d of %d mappings: %v", len(all), mappings, limit, err)
	if len(all) < limit/3 {
		t.Errorf("%d of %d mappings", mappings, limit)
	}
	memory := make([][]byte, 1024)
	for i := range memory { // the process still gets memory
		memory[i] = make([]byte, 1<<20)
		check(t, all[i%len(all)].ask())
	}
	for _, s := range all {
		check(t, s.close())
	}
	runtime.KeepAlive(memory)
}
