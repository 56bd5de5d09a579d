package reader_test

import (
	"fmt"
	"log"
	"os"
	"testing/fstest"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/store"
)

// exampleIndex is the directory of a small index.
func exampleIndex() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "pinion")
	if err != nil {
		log.Fatal(err)
	}
	commit(fatal{}, store.OSDir(dir), &content{docs: 4, lists: map[string]postings{
		"dark":     {[]uint32{1, 3}, []uint32{1, 2}},
		"darkness": {[]uint32{1}, []uint32{1}},
		"light":    {[]uint32{0, 1, 2}, []uint32{1, 3, 1}},
	}}, &content{docs: 2, deleted: []uint32{0}, lists: map[string]postings{
		"light": {[]uint32{0, 1}, []uint32{1, 4}},
	}})
	return dir, func() { os.RemoveAll(dir) }
}

func Example() {
	dir, remove := exampleIndex()
	defer remove()

	x, err := reader.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	err = s.EachPosting([]byte("light"), func(doc, freq uint32) bool {
		id, err := s.ID(doc, nil)
		fmt.Println(doc, string(id), freq, err)
		return true
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 doc-0 1 <nil>
	// 1 doc-1 3 <nil>
	// 2 doc-2 1 <nil>
	// 5 doc-1 4 <nil>
}

func ExampleSnapshot_Terms() {
	dir, remove := exampleIndex()
	defer remove()
	x, err := reader.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	terms := s.Terms([]byte("dark"))
	for terms.Next() {
		fmt.Println(string(terms.Term()), terms.DF())
	}
	if err := terms.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// dark 2
	// darkness 1
}

// Intersecting two lists with cursors: each moves to where the other stands. The
// fault guard covers the whole of it.
func ExampleCursor() {
	dir, remove := exampleIndex()
	defer remove()
	x, err := reader.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	both := func(seg *reader.Segment, t1, t2 string) (err error) {
		defer store.CatchFault(store.ArmFault(), &err)
		a, b := reader.NewCursor(), reader.NewCursor()
		defer a.Close()
		defer b.Close()
		for t, c := range map[string]*reader.Cursor{t1: a, t2: b} {
			e, ok, err := seg.Lookup([]byte(t))
			if err != nil || !ok {
				return err
			}
			if err := c.Init(seg, e); err != nil {
				return err
			}
		}
		for doc := a.Doc(); doc != reader.NoDoc; doc = a.NextGEQ(b.Doc()) {
			if b.NextGEQ(doc) == doc {
				fmt.Println(seg.Base+doc, a.Freq(), b.Freq())
				b.Next()
			}
		}
		if err := a.Err(); err != nil {
			return err
		}
		return b.Err()
	}
	for _, seg := range s.Segments() {
		if err := both(seg, "light", "dark"); err != nil {
			log.Fatal(err)
		}
	}
	// Output: 1 3 1
}

// An index can be embedded in the program: declare the files as an embed.FS and
// open a sub-tree of it.
func ExampleOpenReaderAt() {
	dir, remove := exampleIndex()
	defer remove()
	files := copyOf(fatal{}, store.OSDir(dir)) // stands for an embed.FS
	var _ fstest.MapFS = files

	x, err := reader.OpenReaderAt(reader.FromFS(files), reader.CacheSize(8<<20))
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	fmt.Println(s.DF([]byte("light")))
	// Output: 5 <nil>
}
