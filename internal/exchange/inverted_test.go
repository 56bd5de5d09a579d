package exchange

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/writer"
)

// collection is an inverted collection in memory. It is the model of the tests,
// and the input of the exporter.
type collection struct {
	ids     []string
	lengths []uint32
	lists   []list
	at      int
}

type list struct {
	term        string
	docs, freqs []uint32
}

func (c *collection) Docs() int { return len(c.ids) }
func (c *collection) doc(doc uint32) (writer.InvertedDoc, error) {
	return writer.InvertedDoc{ID: []byte(c.ids[doc]), Len: c.lengths[doc]}, nil
}
func (c *collection) next() (writer.InvertedList, error) {
	if c.at == len(c.lists) {
		return writer.InvertedList{}, io.EOF
	}
	l := c.lists[c.at]
	c.at++
	return writer.InvertedList{Term: []byte(l.term), Postings: format.Postings{Docs: l.docs, Freqs: l.freqs}}, nil
}

// collect reads a collection to its end.
func collect(in InvertedSource) (*collection, error) {
	c := &collection{}
	for d, err := range in.Inverted().Docs {
		if err != nil {
			return nil, err
		}
		c.ids = append(c.ids, string(d.ID))
		c.lengths = append(c.lengths, d.Len)
	}
	for l, err := range in.Inverted().Lists {
		if err != nil {
			return nil, err
		}
		c.lists = append(c.lists, list{string(l.Term), slices.Clone(l.Docs), slices.Clone(l.Freqs)})
	}
	return c, nil
}

func equal(a, b *collection) bool {
	return slices.Equal(a.ids, b.ids) && slices.Equal(a.lengths, b.lengths) &&
		slices.EqualFunc(a.lists, b.lists, func(x, y list) bool {
			return x.term == y.term && slices.Equal(x.docs, y.docs) && slices.Equal(x.freqs, y.freqs)
		})
}

// drawCollection draws a collection with sorted terms; lengths may be wrong.
func drawCollection(t *rapid.T) *collection {
	n := rapid.IntRange(1, 300).Draw(t, "docs")
	c := &collection{}
	seed := rapid.Int64().Draw(t, "seed")
	rng := rand.New(rand.NewSource(seed))
	for i := range n {
		c.ids = append(c.ids, fmt.Sprintf("doc-%d", n-1-i))
		c.lengths = append(c.lengths, rng.Uint32()>>(1+rng.Intn(31)))
	}
	terms := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zé]{1,5}`), 0, 30, rapid.ID).Draw(t, "terms")
	sort.Strings(terms)
	for _, term := range terms {
		l := list{term: term}
		p := rng.Float64()
		for doc := range n {
			if rng.Float64() < p {
				l.docs = append(l.docs, uint32(doc))
				l.freqs = append(l.freqs, 1+rng.Uint32()>>(1+rng.Intn(31)))
			}
		}
		if len(l.docs) > 0 {
			c.lists = append(c.lists, l)
		}
	}
	return c
}

func exported(t interface{ Fatal(...any) }, c *collection) []byte {
	c.at = 0
	var out bytes.Buffer
	if err := WriteCIFF(&out, invertedOf(c), int64(len(c.lists)), "made by a test"); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestCIFFIdentity checks that what is written is read back, and that writing it
// again gives the same bytes.
func TestCIFFIdentity(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		want := drawCollection(rt)
		b := exported(rt, want)
		content := b
		if rapid.Bool().Draw(rt, "gzip") {
			content = gzipped(b)
		}
		path := write(t, filepath.Join(dir, "x.ciff"), content)
		in, f, err := OpenInverted(path, FormatAuto)
		if err != nil || f != FormatCIFF {
			rt.Fatal(f, err)
		}
		defer in.Close()
		got, err := collect(in)
		if err != nil {
			rt.Fatal(err)
		}
		if !equal(got, want) {
			rt.Fatalf("got %v, want %v", got, want)
		}
		if again := exported(rt, got); !bytes.Equal(again, b) {
			rt.Fatalf("written again: %x, want %x", again, b)
		}
	})
}

// ciffBytes is a CIFF file assembled by hand from the protobuf wire format: lists
// out of order, documents out of order, and a docID of 0 both omitted and
// present.
func ciffBytes() []byte {
	message := func(b string) string { return string(binary.AppendUvarint(nil, uint64(len(b)))) + b }
	return []byte(message("\x08\x01\x10\x03\x18\x02\x20\x03\x28\x02\x30\x05\x39\x00\x00\x00\x00\x00\x00\x04\x40\x42\x04test") +
		message("\x0a\x01b\x10\x02\x18\x04"+"\x22\x02\x10\x01"+"\x22\x04\x08\x01\x10\x03") +
		message("\x22\x05\x10\x80\x01\x08\x01"+"\x0a\x01c\x10\x01\x18\x80\x01"+"\x60\x07") + // tf before docid, unknown field
		message("\x0a\x01a\x10\x01\x18\x01"+"\x22\x04\x08\x00\x10\x01") +
		message("\x08\x01\x12\x01Y\x18\x03") +
		message("\x12\x01X\x18\x82\x01"))
}

func TestCIFFByHand(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temp)
	}
	want := &collection{
		ids: []string{"X", "Y"}, lengths: []uint32{130, 3},
		lists: []list{{"a", []uint32{0}, []uint32{1}}, {"b", []uint32{0, 1}, []uint32{1, 3}}, {"c", []uint32{1}, []uint32{128}}},
	}
	for name, b := range map[string][]byte{"plain": ciffBytes(), "gzip": gzipped(ciffBytes())} {
		in, err := OpenCIFF(write(t, filepath.Join(dir, name), b))
		if err != nil {
			t.Fatal(err)
		}
		if h := in.Header(); h.AvgLength != 2.5 || h.Description != "test" || h.TotalTokens != 5 {
			t.Errorf("header %+v", h)
		}
		got, err := collect(in)
		if err != nil || !equal(got, want) {
			t.Errorf("%s: %v %v, want %v", name, got, err, want)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("temporary files left: %v", left)
	}
}

// readCIFF writes b to a file, opens it and reads it.
func readCIFF(t *testing.T, dir string, b []byte) error {
	in, err := OpenCIFF(write(t, filepath.Join(dir, "x.ciff"), b))
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = collect(in)
	return err
}

func TestCIFFTruncated(t *testing.T) {
	dir := t.TempDir()
	whole := ciffBytes()
	for n := range whole {
		err := readCIFF(t, dir, whole[:n])
		var e *Error
		if !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(n) || n > 0 && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
}

func TestCIFFBroken(t *testing.T) {
	m := func(b string) string { return string(binary.AppendUvarint(nil, uint64(len(b)))) + b }
	head := m("\x08\x01\x10\x01\x18\x02")
	listA := m("\x0a\x01a\x10\x01\x18\x01\x22\x02\x10\x01")
	docs := m("\x12\x01X") + m("\x08\x01\x12\x01Y")
	dir := t.TempDir()
	for _, test := range []struct{ name, in, want string }{
		{"good", head + listA + docs, ""},
		{"version", m("\x08\x02\x10\x01\x18\x02"), "offset 0: broken message: header: CIFF version 2, only 1 is known"},
		{"header wire type", m("\x0a\x01x"), "wire type"},
		{"negative count", m("\x08\x01\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "field 2 is -1, beyond the range of a count"},
		{"trailing", head + listA + docs + "\x00", "offset 29: the file goes on behind the last document record"},
		{"huge message", "\xff\xff\xff\xff\x0f", "a message of 4294967295 bytes"},
		{"huge claim", "\xff\xff\xff\xff\x07\x08", "message of 2147483647 bytes, 1 are there"},
		{"varint overflow", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "overflow"},
		{"twice", m("\x08\x01\x10\x02\x18\x02") + listA + listA + docs, `a second list for term "a"`},
		{"twice apart", m("\x08\x01\x10\x03\x18\x02") + listA + strings.Replace(listA, "a", "A", 1) + listA + docs, `a second list for term "a"`},
		{"no term", head + m("\x10\x01\x18\x01\x22\x02\x10\x01") + docs, "offset 7: broken message: an empty term"},
		{"no postings", head + m("\x0a\x01a") + docs, `term "a" has no postings`},
		{"df", head + m("\x0a\x01a\x10\x02\x18\x01\x22\x02\x10\x01") + docs, `df is 2, but 1 postings follow`},
		{"cf", head + m("\x0a\x01a\x10\x01\x18\x02\x22\x02\x10\x01") + docs, `cf is 2, but the frequencies sum to 1`},
		{"tf 0", head + m("\x0a\x01a\x10\x01\x18\x01\x22\x02\x08\x01") + docs, `posting 0 has the frequency 0`},
		{"beyond", head + m("\x0a\x01a\x10\x01\x18\x01\x22\x04\x08\x02\x10\x01") + docs, `posting 0 lies beyond the last of 2 documents`},
		{"gap 0", head + m("\x0a\x01a\x10\x02\x18\x02\x22\x02\x10\x01\x22\x02\x10\x01") + docs, `posting 1 repeats the docID before it`},
		{"negative gap", head + m("\x0a\x01a\x10\x01\x18\x01\x22\x0d\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x01") + docs, `posting 0 lies beyond`},
		{"doc twice", head + listA + m("\x12\x01X") + m("\x12\x01Y"), "two document records for docID 0"},
		{"doc range", head + listA + m("\x12\x01X") + m("\x08\x02\x12\x01Y"), "docID 2, but there are 2 documents"},
		{"doc id", head + listA + m("\x12\x01X") + m("\x08\x01"), "document record 1: the id is empty"},
		{"group", head + m("\x0b\x0c"), "malformed protobuf"},
	} {
		err := readCIFF(t, dir, []byte(test.in))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestWriteCIFFErrors(t *testing.T) {
	c := &collection{ids: []string{"a"}, lengths: []uint32{1}, lists: []list{{"t", []uint32{0}, []uint32{1}}}}
	if err := WriteCIFF(io.Discard, invertedOf(c), 2, ""); err == nil || !strings.Contains(err.Error(), "2 lists announced, 1 came") {
		t.Error(err)
	}
	c.at = 0
	if err := WriteCIFF(failingWriter{}, invertedOf(c), 1, ""); !errors.Is(err, io.ErrShortWrite) {
		t.Error(err)
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// writeDS2I writes c as ds2i files, with lists in the given order.
func writeDS2I(t *testing.T, base string, c *collection, order []int, named bool) {
	t.Helper()
	var docs, freqs, sizes, terms, ids []byte
	put := func(b []byte, v []uint32) []byte {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(v)))
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		return b
	}
	docs = put(docs, []uint32{uint32(len(c.ids))})
	for _, i := range order {
		docs, freqs = put(docs, c.lists[i].docs), put(freqs, c.lists[i].freqs)
		terms = append(terms, c.lists[i].term+"\n"...)
	}
	sizes = put(sizes, c.lengths)
	for _, id := range c.ids {
		ids = append(ids, id+"\n"...)
	}
	write(t, base+".docs", docs)
	write(t, base+".freqs", freqs)
	write(t, base+".sizes", sizes)
	os.Remove(base + ".terms")
	os.Remove(base + ".documents")
	if named {
		write(t, base+".terms", terms)
		write(t, base+".documents", ids)
	}
}

func TestDS2I(t *testing.T) {
	base := filepath.Join(t.TempDir(), "coll")
	rapid.Check(t, func(rt *rapid.T) {
		want := drawCollection(rt)
		named := rapid.Bool().Draw(rt, "named")
		order := rand.New(rand.NewSource(rapid.Int64().Draw(rt, "order"))).Perm(len(want.lists))
		writeDS2I(t, base, want, order, named)
		if !named {
			for i := range want.ids {
				want.ids[i] = fmt.Sprint(i)
			}
			lists := make([]list, len(want.lists))
			for at, i := range order {
				lists[at] = want.lists[i]
				lists[at].term = fmt.Sprint(at)
			}
			sort.Slice(lists, func(i, j int) bool { return lists[i].term < lists[j].term })
			want.lists = lists
		}
		in, f, err := OpenInverted(base+rapid.SampledFrom([]string{"", ".docs", ".freqs", ".sizes"}).Draw(rt, "name"), FormatAuto)
		if err != nil || f != FormatDS2I {
			rt.Fatal(f, err)
		}
		defer in.Close()
		got, err := collect(in)
		if err != nil {
			rt.Fatal(err)
		}
		if !equal(got, want) {
			rt.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestDS2IBroken(t *testing.T) {
	base := filepath.Join(t.TempDir(), "coll")
	u := func(v ...uint32) (b []byte) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		return b
	}
	docs, freqs, sizes := u(1, 2, 2, 0, 1, 1, 1), u(2, 1, 1, 1, 4), u(2, 10, 20)
	for _, test := range []struct {
		name               string
		docs, freqs, sizes []byte
		terms, want        string
	}{
		{"good", docs, freqs, sizes, "", ""},
		{"odd bytes", append(u(1, 2, 2, 0, 1, 1, 1), 9), freqs, sizes, "", "coll.docs: offset 28: the file ends early: length of a sequence"},
		{"truncated", docs[:24], freqs, sizes, "", "coll.docs: offset 20: a sequence of 1 numbers, but 0 bytes are left"},
		{"huge", u(1, 2, 1<<31, 0), freqs, sizes, "", "a sequence of 2147483648 numbers, but 4 bytes are left"},
		{"no count", u(2, 2, 2), freqs, sizes, "", "one number, that of documents, is wanted first"},
		{"sizes", docs, freqs, u(1, 10), "", "coll.sizes: offset 0: lengths of 1 documents"},
		{"sizes more", docs, freqs, u(2, 10, 20, 0), "", "coll.sizes: offset 12: the file goes on"},
		{"freqs short", docs, u(2, 1, 1), sizes, "", "coll.freqs: offset 12: the file ends before list 1"},
		{"freqs more", docs, append(freqs, u(1, 1)...), sizes, "", "coll.freqs: offset 20: more lists"},
		{"lengths differ", docs, u(1, 1, 1, 4), sizes, "", "list 0 has 2 docIDs and 1 frequencies"},
		{"empty list", u(1, 2, 0), u(0), sizes, "", "list 0 is empty"},
		{"descending", u(1, 2, 2, 1, 0), u(2, 1, 1), sizes, "", `term "0": docID 0 of 2 documents behind docID 1`},
		{"beyond", u(1, 2, 1, 2), u(1, 1), sizes, "", `docID 2 of 2 documents`},
		{"zero", docs, u(2, 1, 0, 1, 4), sizes, "", `posting 1 has the frequency 0`},
		{"terms short", docs, freqs, sizes, "a\n", "coll.terms:2: 1 names for 2 things"},
		{"terms twice", docs, freqs, sizes, "a\na\n", `term "a" comes twice`},
		{"term empty", docs, freqs, sizes, "a\n\n", "coll.terms:2: an empty term"},
	} {
		write(t, base+".docs", test.docs)
		write(t, base+".freqs", test.freqs)
		write(t, base+".sizes", test.sizes)
		os.Remove(base + ".terms")
		if test.terms != "" {
			write(t, base+".terms", []byte(test.terms))
		}
		in, err := OpenDS2I(base)
		if err == nil {
			_, err = collect(in)
			in.Close()
		}
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	if _, err := OpenDS2I(base + "absent"); err == nil {
		t.Error("an absent collection was opened")
	}
}
