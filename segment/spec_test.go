package segment

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
)

// annotator prints bytes with what they mean. It reads them by the rules of
// FORMAT.md and shares no code with the package.
type annotator struct {
	out strings.Builder
	b   []byte
	pos int
}

// take prints the next n bytes and what they are.
func (a *annotator) take(n int, what string, args ...any) []byte {
	p := a.b[a.pos : a.pos+n]
	text := fmt.Sprintf(what, args...)
	for i := 0; i < max(n, 1); i += 16 {
		line := fmt.Sprintf("%04x  %-48s %s", a.pos+i, fmt.Sprintf("% x", p[i:min(i+16, n)]), text)
		a.out.WriteString(strings.TrimRight(line, " ") + "\n")
		text = ""
	}
	a.pos += n
	return p
}

func (a *annotator) u8(what string)  { a.take(1, what+" %d", a.b[a.pos]) }
func (a *annotator) u16(what string) { a.take(2, what+" %d", binary.LittleEndian.Uint16(a.b[a.pos:])) }

func (a *annotator) u32(what string) uint32 {
	v := binary.LittleEndian.Uint32(a.b[a.pos:])
	a.take(4, what+" %d", v)
	return v
}

func (a *annotator) u64(what string) uint64 {
	v := binary.LittleEndian.Uint64(a.b[a.pos:])
	a.take(8, what+" %d", v)
	return v
}

func (a *annotator) varint(what string) uint64 {
	v, n := binary.Uvarint(a.b[a.pos:])
	a.take(n, what+" %d", v)
	return v
}

func (a *annotator) str(what string) {
	n, k := binary.Uvarint(a.b[a.pos:])
	a.take(k+int(n), what+" %q", a.b[a.pos+k:a.pos+k+int(n)])
}

// head prints a term or id and returns it.
func (a *annotator) head(what, prev string) string {
	lcp, n := int(a.b[a.pos]&15), int(a.b[a.pos]>>4)
	term := prev[:lcp] + string(a.b[a.pos+1:a.pos+1+n])
	a.take(1+n, "%s %q: %d shared, %d more", what, term, lcp, n)
	return term
}

func (a *annotator) header() {
	a.take(8, "magic")
	a.u16("major version")
	a.u16("minor version")
	a.u32("kind")
	a.take(16, "id")
	a.u64("FileLen")
	a.take(8, "xxhash64 of bytes 64 up to 4096")
	n := a.u32("sections")
	a.u32("reserved")
	a.take(8, "xxhash64 of bytes 0 up to 56")
	for i := range n {
		a.u32(fmt.Sprintf("section %d: id", i))
		a.u32("  flags")
		a.u64("  offset")
		a.u64("  length")
		a.take(8, "  xxhash64")
	}
}

func (a *annotator) meta() {
	for _, f := range []string{"META version", "documents", "terms", "postings", "tokens", "least length", "greatest length", "bytes of a length"} {
		a.varint(f)
	}
	a.str("analyzer")
	a.str("options")
	a.varint("extents")
	a.varint("bytes of compact entries")
	a.varint("flags")
	a.u64("docID codecs")
	a.u64("frequency codecs")
}

func (a *annotator) terms(n int) {
	prev := ""
	for range n {
		prev = a.head("term", prev)
	}
	for range n {
		v, k := binary.Uvarint(a.b[a.pos:])
		switch v & 3 {
		case 0:
			a.take(k, "entry: docID %d, tf 1", v>>2)
		case 1:
			tf, k2 := binary.Uvarint(a.b[a.pos+k:])
			a.take(k+k2, "entry: docID %d, tf %d", v>>2, tf+2)
		case 2:
			size, k2 := binary.Uvarint(a.b[a.pos+k:])
			a.take(k+k2, "entry: compact list, df %d, %d bytes", v>>2, size)
			bits := ""
			for _, c := range a.b[a.pos : a.pos+int(size)] {
				for i := range 8 {
					bits += fmt.Sprint(c >> i & 1)
				}
			}
			a.take(int(size), "  bits, first one first: %s", bits)
		default:
			df, k2 := binary.Uvarint(a.b[a.pos+k:])
			a.take(k+k2, "entry: extent at %d, df %d", v>>2*64, df)
		}
	}
}

// annotate prints a segment.
func annotate(b []byte, h *format.Header) string {
	a := &annotator{b: b}
	a.header()
	for _, s := range h.Sections {
		fmt.Fprintf(&a.out, "\nsection %s, at %#x of the file\n", s.ID, s.Offset)
		a.b, a.pos = b[s.Offset:s.Offset+s.Length], 0
		switch s.ID {
		case format.SectionMeta:
			a.meta()
		case format.SectionTerms:
			a.terms(3)
		case format.SectionTermIndex:
			a.take(8, "key of block 0: %#x", binary.LittleEndian.Uint64(a.b))
			a.u64("offset of block 0")
			a.u64("end of block 0")
		case format.SectionDocLengths:
			a.take(3, "lengths %d, %d, %d", a.b[0], a.b[1], a.b[2])
		case format.SectionIDs:
			prev := ""
			for range 3 {
				prev = a.head("id", prev)
			}
		case format.SectionIDIndex:
			a.u64("offset of block 0")
			a.u64("end of block 0")
		case format.SectionIDHash:
			for range 3 {
				a.take(8, "hash %#x, docID %d", binary.LittleEndian.Uint32(a.b[a.pos+4:]), binary.LittleEndian.Uint32(a.b[a.pos:]))
			}
		case format.SectionStored:
			a.take(int(s.Length), "block 0, compressed: three times length and text")
		case format.SectionStoredIndex:
			for _, f := range []string{"block 0: ", "end: "} {
				a.u32(f + "first docID")
				a.u32(f + "form")
				a.u64(f + "offset")
			}
		}
		if a.pos != int(s.Length) {
			panic(fmt.Sprintf("section %s has %d bytes, %d are explained", s.ID, s.Length, a.pos))
		}
	}
	fmt.Fprintf(&a.out, "\nfooter, at %#x of the file\n", len(b)-64)
	a.b, a.pos = b[len(b)-64:], 0
	a.take(8, "magic %q", a.b[:8])
	a.take(24, "bytes 8 up to 32 of the header")
	a.u64("FileLen")
	a.take(8, "bytes 56 up to 64 of the header")
	a.u64("reserved")
	a.take(8, "xxhash64 of the footer's bytes 0 up to 56")
	return a.out.String()
}

// annotateExtent prints an extent of two blocks without regression or buckets.
func annotateExtent(b []byte) string {
	a := &annotator{b: b}
	a.take(8, "xxhash64 of bytes 8 up to the end")
	a.u32("length in units of 64 bytes:")
	a.u32("df")
	a.u8("codec of docIDs")
	a.u8("codec of frequencies")
	a.u8("log2 of the block length")
	a.u8("flags")
	a.u32("first docID")
	quad := func(what string) {
		var pairs string
		for i := range 4 {
			pairs += fmt.Sprintf(" (%d, %d)", b[a.pos+2*i], b[a.pos+2*i+1])
		}
		a.take(8, "%s, codes (tf, length):%s", what, pairs)
	}
	quad("quad of the list")
	words := func(what string, n int) (last uint32) {
		for i := range n {
			last = a.u32(fmt.Sprintf("%s[%d]", what, i))
		}
		return last
	}
	docWords := words("docEnds", 3)
	freqWords := words("freqEnds", 3)
	words("last", 2)
	a.pad(8)
	quad("quad of block 0")
	quad("quad of block 1")
	for _, k := range []int{10, 100, 1000} {
		a.take(2, "%d-th impact: tf code %d, length code %d", k, a.b[a.pos], a.b[a.pos+1])
	}
	a.u16("reserved")
	a.pad(16)
	a.take(int(docWords)*4, "docIDs: every gap is 1, so that every value but the first is 1")
	a.pad(16)
	a.take(int(freqWords)*4, "frequencies: 128 values 0 take no bits, then 0 and 2 in two")
	a.pad(64)
	if a.pos != len(b) {
		panic("bytes left over")
	}
	return a.out.String()
}

func (a *annotator) pad(to int) {
	if n := -a.pos & (to - 1); n > 0 {
		a.take(n, "padding")
	}
}

func workedSegment(t *testing.T) string {
	m := &model{lists: map[string][]posting{}, lens: make([]uint32, 3)}
	m.ids = []string{"a1", "a2", "b"}
	m.texts = []string{"apply", "apple apply apply", "apply bee bee bee"}
	m.addList("apple", []posting{{1, 1}})
	m.addList("apply", []posting{{0, 1}, {1, 2}, {2, 1}})
	m.addList("bee", []posting{{2, 3}})
	w := defaultBuild()
	w.stored = true
	b := m.build(t, w)
	return annotate(b, mustOpen(t, b).Header())
}

func workedExtent(t *testing.T) string {
	var ps []posting
	for i := range 130 {
		ps = append(ps, posting{uint32(2 * i), 1})
	}
	ps[129].tf = 3
	o := BuilderOptions{Docs: 1000, Lengths: make(Lengths, 1000), DocsCodec: codecNamed("bp128"), FreqsCodec: codecNamed("bp128")}
	for i := range 1000 {
		o.Lengths.(Lengths)[i] = 20
	}
	docs, freqs := split(ps)
	l, _, err := newListEncoder(&o, format.NewImpactModel(20)).Encode(nil, docs, freqs)
	if err != nil {
		t.Fatal(err)
	}
	return annotateExtent(l.Bytes)
}

// The worked bytes in FORMAT.md are what the builder writes.
func TestWorkedBytes(t *testing.T) {
	const file = "../format/FORMAT.md"
	spec, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(spec)
	for name, text := range map[string]string{"segment": workedSegment(t), "extent": workedExtent(t)} {
		begin, end := "<!-- begin worked "+name+" -->\n", "<!-- end worked "+name+" -->"
		i, j := strings.Index(doc, begin), strings.Index(doc, end)
		if i < 0 || j < 0 {
			t.Fatalf("no place for the worked %s in FORMAT.md", name)
		}
		want := begin + "\n```\n" + text + "```\n\n"
		if doc[i:j] != want && !*update {
			t.Errorf("the worked %s in FORMAT.md is not what is written today; run go test ./segment -update", name)
		}
		doc = doc[:i] + want + doc[j:]
	}
	if *update {
		if err := os.WriteFile(file, []byte(doc), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
