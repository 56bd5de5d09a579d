package reader_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/pinion-index/pinion/reader"
)

// exampleIndex is the directory of a small index.
func exampleIndex() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "pinion")
	if err != nil {
		log.Fatal(err)
	}
	writeTo(fatal{}, dir, &content{docs: 4, lists: map[string]postings{
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

	x, err := reader.Open(context.Background(), reader.Dir(dir), reader.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	for p, err := range s.Postings([]byte("light")) {
		if err != nil {
			log.Fatal(err)
		}
		id, err := s.AppendID(nil, p.Doc)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.Doc, string(id), p.Freq)
	}
	// Output:
	// 0 doc-0 1
	// 1 doc-1 3
	// 2 doc-2 1
	// 5 doc-1 4
}

func ExampleOpen() {
	dir, remove := exampleIndex()
	defer remove()

	x, err := reader.Open(context.Background(), reader.Dir(dir), reader.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	st := s.Stats()
	fmt.Println(st.Segments, "segments,", st.Live, "documents,", st.Postings, "postings")
	fmt.Println(s.DF([]byte("light")))
	// Output:
	// 2 segments, 5 documents, 8 postings
	// 4 <nil>
}

// Reading a list from end to end, segment by segment: docIDs are local, and
// deleted documents are still there.
func ExampleSegment_Postings() {
	dir, remove := exampleIndex()
	defer remove()
	x, err := reader.Open(context.Background(), reader.Dir(dir), reader.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	for _, seg := range s.Segments() {
		for p, err := range seg.Postings([]byte("light")) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(seg.Base()+p.Doc, p.Freq)
		}
	}
	// Output:
	// 0 1
	// 1 3
	// 2 1
	// 4 1
	// 5 4
}

func ExampleSnapshot_Terms() {
	dir, remove := exampleIndex()
	defer remove()
	x, err := reader.Open(context.Background(), reader.Dir(dir), reader.Options{})
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

// Intersecting two lists with cursors: each moves to the document of the other.
func ExampleCursor() {
	dir, remove := exampleIndex()
	defer remove()
	x, err := reader.Open(context.Background(), reader.Dir(dir), reader.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	both := func(seg *reader.Segment, t1, t2 string) error {
		a, err := seg.Cursor([]byte(t1))
		if err != nil {
			return err
		}
		defer a.Close()
		b, err := seg.Cursor([]byte(t2))
		if err != nil {
			return err
		}
		defer b.Close()
		for doc := a.Doc(); doc != reader.NoDoc; doc = a.NextGEQ(b.Doc()) {
			if b.NextGEQ(doc) == doc {
				fmt.Println(seg.Base()+doc, a.Freq(), b.Freq())
				b.Next()
			}
		}
		return errors.Join(a.Err(), b.Err())
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
func ExampleOpen_source() {
	dir, remove := exampleIndex()
	defer remove()
	files := os.DirFS(dir) // in place of an embed.FS

	x, err := reader.Open(context.Background(), reader.FromFS(files), reader.Options{CacheSize: 8 << 20})
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
	// Output: 4 <nil>
}
