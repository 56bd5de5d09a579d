package compat

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/pinion-index/pinion/reader"
)

// This file and segment_test.go read an index according to format/FORMAT.md, whose
// sections the comments name. They panic with a failure.

type failure string

func need(ok bool, format string, args ...any) {
	if !ok {
		panic(failure(fmt.Sprintf(format, args...)))
	}
}

func u16(b []byte, at int) int    { return int(binary.LittleEndian.Uint16(b[at:])) }
func u32(b []byte, at int) int    { return int(binary.LittleEndian.Uint32(b[at:])) }
func u64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

// cursor reads the fields of section 1.
type cursor struct{ b []byte }

func (c *cursor) varint() int {
	v, n := binary.Uvarint(c.b)
	need(n > 0 && (n == 1 || c.b[n-1] != 0), "varint")
	c.b = c.b[n:]
	return int(v)
}

func (c *cursor) take(n int) []byte {
	need(n >= 0 && n <= len(c.b), "%d bytes wanted of %d", n, len(c.b))
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) str() string { return string(c.take(c.varint())) }

// container reads a file (section 3) and returns its id and sections.
func container(path string, kind int) (id string, sections map[int][]byte) {
	b, err := os.ReadFile(path)
	need(err == nil, "%v", err)
	need(len(b) >= 64+64 && string(b[:8]) == "\x89PIN\r\n\x1a\n", "%s: magic", path)
	old := u16(b, 10) == 2
	need(u16(b, 8) == 0 && (old || u16(b, 10) == 3 || u16(b, 10) == 4 && kind != 3 || u16(b, 10) == 5 && kind == 1 || u16(b, 10) >= 6 && u16(b, 10) <= 8) && u32(b, 12) == kind && u32(b, 52) == 0, "%s: header", path)
	need(u64(b, 32) == uint64(len(b)), "%s: FileLen", path)
	align, n := 64, u32(b, 48)
	front := len(b) - 64
	if n > 0 {
		front = int(u64(b, 64+8))
	}
	need(front%64 == 0 && front >= 64+32*n && front <= 4096 && front <= len(b)-64, "%s: F is %d", path, front)
	if old {
		align = 4096
		need(front == 4096, "%s: F is %d", path, front)
	}
	need(u64(b, 56) == xxhash.Sum64(b[:56]) && u64(b, 40) == xxhash.Sum64(b[64:front]), "%s: checksums of the header", path)
	end := front
	sections = map[int][]byte{}
	for i := range n {
		e := b[64+32*i:]
		off, length := int(u64(e, 8)), int(u64(e, 16))
		padded := (length + 64 + align - 1) / align * align
		need(off == end && u32(e, 4)&^1 == 0, "%s: section %d", path, i)
		need(u32(e, 0) < 16 || slices.Contains([]int{18, 19, 20, 22, 24, 25, 27, 28, 29}, u32(e, 0)), "%s: section %d is of a later version", path, u32(e, 0))
		need(xxhash.Sum64(b[off:off+padded]) == u64(e, 24), "%s: checksum of section %d", path, i)
		need(sections[u32(e, 0)] == nil, "%s: section id %d twice", path, u32(e, 0))
		for _, c := range b[off+length : off+padded] {
			need(c == 0, "%s: padding of section %d", path, i)
		}
		sections[u32(e, 0)] = b[off : off+length : off+length]
		end = off + padded
	}
	if kind == 1 {
		need(n > 0 && u32(b, 64+32*(n-1)) == 13, "%s: PAGESUMS is not the last section", path)
		pageSums(b, front, int(u64(b, 64+32*(n-1)+8)), old, sections[13])
	}
	for _, c := range b[64+32*n : front] {
		need(c == 0, "%s: padding of the front", path)
	}
	f := b[end:]
	need(len(f) == 64 && string(f[:8]) == "PINIONED" && bytes.Equal(f[8:32], b[8:32]) && u64(f, 32) == uint64(len(b)) &&
		bytes.Equal(f[40:48], b[56:64]) && u64(f, 48) == 0 && u64(f, 56) == xxhash.Sum64(f[:56]), "%s: footer", path)
	return string(b[16:32]), sections
}

// pageSums checks PAGESUMS of file b, whose sections begin at front and PAGESUMS at end
// (section 4.9).
func pageSums(b []byte, front, end int, old bool, sums []byte) {
	c := &cursor{sums}
	table := crc32.MakeTable(crc32.Castagnoli)
	page, pages := 0, (end+4095)/4096
	if old {
		page = 1
	}
	for group := 0; page < pages; group++ {
		var sum []byte
		for i := 0; i < 1023 && page < pages; i++ {
			got := c.take(4)
			bytes := b[max(4096*page, front):min(4096*page+4096, end)]
			need(u32(got, 0) == int(crc32.Checksum(bytes, table)), "checksum of page %d", page)
			sum = append(sum, got...)
			page++
		}
		need(u32(c.take(4), 0) == int(crc32.Checksum(sum, table)), "checksum of group %d", group)
	}
	need(len(c.b) == 0, "bytes behind PAGESUMS")
}

// bothReaders returns what the reader of FORMAT.md alone and what package reader have of the index in dir, which verifies.
func bothReaders(t *testing.T, what, dir string) (*contents, *reader.Snapshot) {
	t.Helper()
	got, err := readIndex(dir)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	index, err := reader.Open(t.Context(), reader.Dir(dir), reader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	snapshot, err := index.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { snapshot.Close() })
	if err := snapshot.Verify(t.Context()); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	return got, snapshot
}

// readIndex reads the index in dir (sections 2, 6 and 7).
func readIndex(dir string) (c *contents, err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case failure:
			err = errors.New(string(f))
		default:
			panic(f)
		}
	}()
	gen := 0
	for _, prefix := range []string{"manifest-", "mirror-"} { // either suffices
		names, err := filepath.Glob(filepath.Join(dir, prefix+"*.pin"))
		need(err == nil, "%v", err)
		for _, name := range names {
			gen = max(gen, generation(name))
		}
	}
	need(gen > 0, "no manifest")
	manifest := filepath.Join(dir, fmt.Sprintf("manifest-%012d.pin", gen))
	mirror := filepath.Join(dir, fmt.Sprintf("mirror-%012d.pin", gen))
	if a, err := os.ReadFile(manifest); err != nil {
		manifest = mirror
	} else if b, err := os.ReadFile(mirror); err == nil {
		need(bytes.Equal(a, b), "the two files of the manifest differ")
	}
	_, sections := container(manifest, 2)
	m := readManifest(sections[11], minor(manifest))
	need(m.generation == gen, "generation")
	if a, ok := sections[25]; ok {
		readAncestry(a, gen)
	}
	if m, ok := sections[26]; ok {
		readCommitMeta(m)
	}
	hasVersion(manifest, slices.ContainsFunc(m.fields, func(f field) bool { return f.kind == 6 }), false)
	need(m.analyzer == "whitespace" || m.fields != nil, "analyzer")
	c = &contents{}
	for _, e := range m.segments {
		s := readEntry(dir, &e)
		s.checkSchema(m, &e)
		c.segments = append(c.segments, s.segmentContents)
		c.flags |= s.flags
	}
	return c, nil
}

// isFirst reports whether a file is of version 0.2.
func isFirst(path string) bool { return minor(path) == 2 }

// hasVersion checks that a file of a version before 0.6 is of that of the newest thing in it (12).
func hasVersion(path string, impacts, emptyKeyword bool) {
	switch v := minor(path); {
	case v >= 6:
	case emptyKeyword:
		need(v == 5, "%s: the empty keyword in version 0.%d", path, v)
	case impacts:
		need(v == 4, "%s: impacts in version 0.%d", path, v)
	default:
		need(v < 4, "%s: version 0.%d", path, v)
	}
}

func minor(path string) int {
	b, err := os.ReadFile(path)
	need(err == nil && len(b) >= 64, "%s: %v", path, err)
	return u16(b, 10)
}

// readEntry reads a segment with its deletes (sections 4 and 7).
func readEntry(dir string, e *entry) (s *parsed) {
	path := filepath.Join(dir, fmt.Sprintf("segment-%012d.pin", e.num))
	id, sections := container(path, 1)
	need(id == e.id, "segment %d: id", e.num)
	st, err := os.Stat(path)
	need(err == nil && (e.length == 0 || st.Size() == int64(e.length)), "segment %d: length", e.num)
	s = readSegment(sections, minor(path) >= 6)
	hasVersion(path, slices.ContainsFunc(s.fields, func(f *segmentField) bool { return f.kind == 6 }), s.emptyKeyword)
	tokens := 0
	for _, d := range s.docs {
		tokens += d.tokens
	}
	need(len(s.docs) == e.docs && s.postings == e.postings && s.tokens == e.tokens, "segment %d: counts", e.num)
	need(e.fields != nil || tokens == e.tokens, "segment %d: lengths", e.num)
	tokens = 0
	if e.deletes != 0 {
		path := filepath.Join(dir, fmt.Sprintf("deletes-%012d.pin", e.deletes))
		id, sections := container(path, 3)
		need(id == e.id, "deletes %d: id", e.deletes)
		own := strings.Repeat("\x00", 16)
		c := &cursor{sections[12]}
		if !isFirst(path) {
			own = string(c.take(16))
		}
		need(e.deletesID == "" && own == strings.Repeat("\x00", 16) || own == e.deletesID, "deletes %d: its own id", e.deletes)
		docs := c.roaring()
		need(len(docs) == e.deleted, "deletes %d: number", e.deletes)
		for _, d := range docs {
			s.docs[d].deleted = true
			tokens += s.docs[d].tokens
		}
	}
	need(e.fields != nil || tokens == e.deletedTokens, "segment %d: tokens of deleted documents", e.num)
	if e.values != 0 {
		path := filepath.Join(dir, fmt.Sprintf("values-%012d.pin", e.values))
		id, sections := container(path, 4)
		c := &cursor{sections[29]}
		need(id == e.id && string(c.take(16)) == e.valuesID && minor(path) >= 8, "values %d: ids", e.values)
		s.readValues(c)
	}
	return s
}

// roaring reads a roaring bitmap in the portable form.
func (c *cursor) roaring() (docs []int) {
	u16 := func() int { return int(binary.LittleEndian.Uint16(c.take(2))) }
	kind, n := u16(), u16()+1
	var flags []byte
	if need(kind == 12346 || kind == 12347, "roaring cookie %d", kind); kind == 12346 {
		n = u16() | u16()<<16
	} else {
		flags = c.take((n + 7) / 8)
	}
	var keys, counts []int
	for range n {
		keys, counts = append(keys, u16()), append(counts, u16()+1)
	}
	if flags == nil || n >= 4 {
		c.take(4 * n) // offsets
	}
	for i, key := range keys {
		before := len(docs)
		switch {
		case flags != nil && flags[i/8]>>(i%8)&1 != 0:
			for range u16() {
				start, more := u16(), u16()
				for d := range more + 1 {
					docs = append(docs, key<<16+start+d)
				}
			}
		case counts[i] > 4096:
			for at, b := range c.take(8192) {
				for bit := range 8 {
					if b>>bit&1 != 0 {
						docs = append(docs, key<<16+at*8+bit)
					}
				}
			}
		default:
			for range counts[i] {
				docs = append(docs, key<<16+u16())
			}
		}
		need(len(docs)-before == counts[i], "roaring container %d: number", i)
	}
	need(len(c.b) == 0, "bytes behind a roaring bitmap")
	return docs
}

// generation returns the number in a name such as manifest-000000000001.pin.
func generation(path string) (n int) {
	_, number, _ := strings.Cut(filepath.Base(path), "-")
	fmt.Sscanf(number, "%d.pin", &n)
	return n
}
