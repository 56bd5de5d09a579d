package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/tools/inspect"
)

// holes writes zeros as holes of a sparse file.
type holes struct{ *os.File }

var zeros [1 << 20]byte

func (h holes) WriteAt(p []byte, off int64) (int, error) {
	if len(p) == len(zeros) && &p[0] == &zeros[0] {
		return len(p), nil
	}
	return h.File.WriteAt(p, off)
}

// far is the size of the section of zeros that moveFar puts before all others.
const far = 4 << 30

// moveFar rewrites a segment with its sections behind an optional one that no reader
// knows, so that they lie over 4 GiB. On disk most of the file is a hole.
func moveFar(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h, err := format.ParseFile(path, data)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := format.NewFileWriter(holes{f}, h.Kind, h.ID)
	w.Begin(1000, 0)
	for range far / len(zeros) {
		w.Write(zeros[:])
	}
	err = w.End()
	for _, s := range h.Sections {
		if s.ID == format.SectionPageSums {
			continue // Finish writes it
		}
		w.Begin(s.ID, s.Flags)
		w.Write(data[s.Offset : s.Offset+s.Length])
		err = w.End()
	}
	if err == nil {
		_, err = w.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// commitFar commits an index again whose first segment has another length since.
func commitFar(t *testing.T, dir string) {
	t.Helper()
	d, err := indexdir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := l.Manifest().Clone()
	m.Segments[0].FileLen, m.Segments[0].Tail = 0, 0 // not known
	if err := l.Commit(m); err != nil {
		t.Fatal(err)
	}
}

// TestFar checks sizes and offsets over 4 GiB on every page, and that bytes there are
// found to belong to their list.
func TestFar(t *testing.T) {
	if testing.Short() {
		t.Skip("computes checksums of 4 GiB")
	}
	dir := build(t)
	name := indexdir.SegmentName(1)
	moveFar(t, filepath.Join(dir, name))
	commitFar(t, dir)
	h := start(t, Options{Index: dir, With: dir})
	x, err := open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.close()
	e, ok, err := x.Segs[0].Lists().Lookup([]byte("every"))
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	l, err := x.Segs[0].Lists().List(e)
	if err != nil {
		t.Fatal(err)
	}
	list := inspect.ListOf(x.Segs[0], l).Offset
	if list < far {
		t.Fatalf("the list is at %d", list)
	}
	postings, _ := x.Segs[0].Header().Section(format.SectionPostings)
	file := "bytes?file=" + name
	for path, want := range map[string][]string{
		"":                                      {"4.00 GiB", "section 1000"},
		"search?q=number7":                      {"id-7"},
		"list?term=every":                       {fmt.Sprintf("off=%d", list)},
		"doc?id=id-500":                         {"number500"},
		"block?term=every":                      {"id-99"},
		"compare?q=every":                       {"4,29", "The same documents with the same scores"},
		file:                                    {fmt.Sprintf("%09x", postings.Offset), "000000000"},
		file + "&term=every":                    {fmt.Sprintf("%09x", list), "extent of every"},
		file + "&section=meta":                  {"601"},
		file + "&off=0x1000":                    {"000001000", "section 1000"},
		file + "&off=0xfffffff0":                {"0fffffff0", "100000000"},
		fmt.Sprintf("%s&off=%d", file, list+40): {fmt.Sprintf("%09x", (list+40)&^15), "In the list of"},
		fmt.Sprintf("%s&off=%d", file, int64(1)<<62): {"there is none at 4611686018427387904"},
	} {
		_, body := get(t, h.URL+"/secret/"+path)
		for _, want := range want {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not have %q", path, want)
			}
		}
	}
}
