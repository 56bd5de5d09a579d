package indexdir

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/schema"
)

var update = flag.Bool("update", false, "rewrite golden files")

// memory is a file being written to or read from a slice.
type memory struct{ b []byte }

func (m *memory) WriteAt(p []byte, off int64) (int, error) {
	if n := int(off) + len(p); n > len(m.b) {
		m.b = append(m.b, make([]byte, n-len(m.b))...)
	}
	return copy(m.b[off:], p), nil
}
func (m *memory) Sync() error  { return nil }
func (m *memory) Close() error { return nil }
func (m *memory) Size() int64  { return int64(len(m.b)) }
func (m *memory) Range(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > int64(len(m.b))-n {
		return nil, fs.ErrInvalid
	}
	return m.b[off : off+n], nil
}

func manifestFile(t testing.TB, content []byte) *memory {
	t.Helper()
	var f memory
	if err := writeSection(&f, format.KindManifest, format.ID{1: 1, 15: 0xF0}, format.SectionManifest, content); err != nil {
		t.Fatal(err)
	}
	return &f
}

func goldenManifest() *Manifest {
	return &Manifest{
		Generation: 7, NextFile: 300, Schema: schema.Implicit("english", "stop=lucene", false), StoredUnknown: true,
		Segments: []SegmentInfo{
			{File: 12, ID: format.ID{0: 1, 15: 2}, Docs: 338791, Postings: 14103196, Tokens: 19358188, DeletesFile: 299, Deleted: 3, DeletedTokens: 171},
			{File: 14, ID: format.ID{0: 3, 15: 4}, Docs: 1, Postings: 1, Tokens: 1},
		},
	}
}

// golden compares the non-zero lines of a file's dump with testdata, or rewrites
// testdata.
func golden(t *testing.T, name string, file []byte) {
	t.Helper()
	var got strings.Builder
	for i, line := range strings.SplitAfter(hex.Dump(file), "\n") {
		if i*16 < len(file) && !bytes.Equal(file[i*16:min(i*16+16, len(file))], make([]byte, min(16, len(file)-i*16))) {
			got.WriteString(line)
		}
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("%s differs; lines that are not all zero:\n%s", path, got.String())
	}
}

var (
	version02 = format.Version{Minor: 2}
	version03 = format.Version{Minor: 3}
)

// schemaManifest has a schema, of which a field was dropped, and a segment that still has it.
func schemaManifest() *Manifest {
	return &Manifest{
		Generation: 7, NextFile: 300, KeepCommits: 2,
		Schema: &schema.Schema{NextID: 5, Fields: []schema.Field{
			{ID: 4, Name: "url", Kind: schema.Keyword, Index: schema.IndexDocs, Stored: true, K1: 1.2},
			{ID: 1, Name: "title", Kind: schema.Text, Index: schema.IndexFreqs, Analyzer: "english", Options: "stop=none", Lengths: schema.LengthsByte, B: 0.3, Boost: 2},
			{ID: 2, Name: "year", Kind: schema.Integer, Index: schema.IndexNone, Stored: true},
		}},
		Segments: []SegmentInfo{
			{File: 12, ID: format.ID{0: 1, 15: 2}, Docs: 1000, Postings: 5000, Tokens: 7000, DeletesFile: 299, DeletesID: format.ID{0: 9}, Deleted: 3, FileLen: 1 << 20, Tail: 1 << 19,
				Fields: []FieldStats{{ID: 1, Docs: 900, Tokens: 4000, Deleted: 2, DeletedTokens: 9}, {ID: 3, Docs: 1000, Tokens: 2000, Deleted: 3, DeletedTokens: 3}}},
			{File: 14, ID: format.ID{0: 3, 15: 4}, Docs: 1, Postings: 1, Tokens: 1, FileLen: 4096, Tail: 1024},
		},
	}
}

// orderManifest has documents sorted by a column.
func orderManifest() *Manifest {
	m := schemaManifest()
	m.Schema.Fields[2].Column = true
	m.Order = Order{Field: 2, Desc: true}
	return m
}

// undump returns the file of which testdata has the non-zero lines. The last line is not zero.
func undump(t *testing.T, name string) (file []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		at, err := strconv.ParseInt(line[:8], 16, 0)
		b, err2 := hex.DecodeString(strings.ReplaceAll(line[8:58], " ", ""))
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		file = append(append(file, make([]byte, int(at)-len(file))...), b...)
	}
	return file
}

// What older versions wrote is read for ever, and what this version writes does not change.
func TestManifestGolden(t *testing.T) {
	for _, test := range []struct {
		name string
		v    format.Version
		want *Manifest
	}{
		{"manifest-0.2.hex", version02, goldenManifest()},
		{"manifest-0.3.hex", version03, goldenManifest()},
		{"manifest-schema-0.3.hex", version03, schemaManifest()},
		{"manifest-order-0.3.hex", version03, orderManifest()},
		{"manifest.hex", format.Current(), goldenManifest()},
		{"manifest-schema.hex", format.Current(), schemaManifest()},
		{"manifest-order.hex", format.Current(), orderManifest()},
	} {
		f := &memory{}
		if test.want.Version = test.v; test.v != format.Current() {
			f.b = undump(t, test.name)
		} else {
			f = manifestFile(t, AppendManifest(nil, test.want))
			golden(t, test.name, f.b)
		}
		if m, err := ReadManifest("m", f); err != nil || !reflect.DeepEqual(m, test.want) {
			t.Errorf("%s: %+v, %v", test.name, m, err)
		}
	}
}

func TestDeletesGolden(t *testing.T) {
	s := SegmentInfo{ID: format.ID{0: 1, 15: 2}, Docs: 100000, Deleted: 20006, DeletesFile: 1, DeletesID: format.ID{3: 7}}
	bm := docset.BitsOf(3, 5, 70000, 70002, 70004, 99999)
	bm.AddSet(docset.Range(20000, 40000))
	content := bm.AppendPortable(s.DeletesID[:])
	var f memory
	if err := writeSection(&f, format.KindDeletes, s.ID, format.SectionDeletes, content); err != nil {
		t.Fatal(err)
	}
	golden(t, "deletes.hex", f.b)
	got, err := ReadDeletes("d", &f, &s)
	if err != nil || !got.HasAll(bm) || got.Len() != bm.Len() {
		t.Fatal(err)
	}
	for what, x := range map[string]SegmentInfo{
		"another segment": {ID: format.ID{9}, Docs: s.Docs, Deleted: s.Deleted, DeletesID: s.DeletesID},
		"another count":   {ID: s.ID, Docs: s.Docs, Deleted: s.Deleted + 1, DeletesID: s.DeletesID},
		"fewer documents": {ID: s.ID, Docs: 99999, Deleted: s.Deleted, DeletesID: s.DeletesID},
		"another file":    {ID: s.ID, Docs: s.Docs, Deleted: s.Deleted, DeletesID: format.ID{8}},
	} {
		if _, err := ReadDeletes("d", &f, &x); !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A deletes file of version 0.2 has no id of its own.
func TestFirstDeletes(t *testing.T) {
	f := memory{undump(t, "deletes-0.2.hex")}
	s := SegmentInfo{ID: format.ID{0: 1, 15: 2}, Docs: 100000, Deleted: 20006, DeletesFile: 1}
	if bm, err := ReadDeletes("d", &f, &s); err != nil || bm.Len() != 20006 {
		t.Error(err)
	}
	s.DeletesID[0] = 1
	if _, err := ReadDeletes("d", &f, &s); !errors.Is(err, format.ErrCorrupt) {
		t.Errorf("with an id: %v", err)
	}
}

// Every byte of a manifest file is covered by a check: any flipped bit is found.
func TestManifestFlippedBits(t *testing.T) {
	f := manifestFile(t, AppendManifest(nil, goldenManifest()))
	for bit := range 8 * len(f.b) {
		f.b[bit/8] ^= 1 << (bit % 8)
		if _, err := ReadManifest("m", f); err == nil {
			t.Fatalf("flipped bit %d of byte %d goes unnoticed", bit%8, bit/8)
		}
		f.b[bit/8] ^= 1 << (bit % 8)
	}
	for n := range f.b {
		if _, err := ReadManifest("m", &memory{f.b[:n]}); err == nil {
			t.Fatalf("truncation to %d bytes goes unnoticed", n)
		}
	}
}

// fields makes m what schemaManifest returns.
func fields(m *Manifest) { *m = *schemaManifest() }

func TestManifestRefuses(t *testing.T) {
	for what, change := range map[string]func(*Manifest){
		"generation 0":           func(m *Manifest) { m.Generation = 0 },
		"huge generation":        func(m *Manifest) { m.Generation = 1 << 60 },
		"no next file":           func(m *Manifest) { m.NextFile = 0 },
		"file number too high":   func(m *Manifest) { m.NextFile = 14 },
		"file number 0":          func(m *Manifest) { m.Segments[0].File = 0 },
		"file number twice":      func(m *Manifest) { m.Segments[1].File = 299 },
		"too many documents":     func(m *Manifest) { m.Segments[0].Docs = 1<<31 + 1 },
		"too many deleted":       func(m *Manifest) { m.Segments[0].Deleted = 338792 },
		"deletes without a file": func(m *Manifest) { m.Segments[1].Deleted = 1 },
		"deletes file for none":  func(m *Manifest) { m.Segments[0].Deleted = 0 },
		"too many tokens":        func(m *Manifest) { m.Segments[0].DeletedTokens = 19358189 },
		"tokens of none":         func(m *Manifest) { m.Segments[1].DeletedTokens = 1 },
		"tokens of all":          func(m *Manifest) { m.Segments[0].Deleted = 338791 },
		"postings overflow":      func(m *Manifest) { m.Segments[1].Postings = math.MaxUint64 },
		"tokens overflow":        func(m *Manifest) { m.Segments[1].Tokens = math.MaxUint64 },
		"long analyzer":          func(m *Manifest) { m.Schema.Fields[0].Analyzer = strings.Repeat("x", MaxAnalyzerName+1) },
		"documents overflow": func(m *Manifest) {
			m.Segments[0].Docs, m.Segments[1].Docs = 1<<31, 1<<31
		},
		"commits to keep":       func(m *Manifest) { m.KeepCommits = MaxKeepCommits + 1 },
		"id of no deletes":      func(m *Manifest) { fields(m); m.Segments[0].DeletesFile = 0 },
		"tail behind the end":   func(m *Manifest) { m.Segments[0].Tail = 1 },
		"file too long":         func(m *Manifest) { m.Segments[0].FileLen = format.MaxFileSize + 1 },
		"no fields":             func(m *Manifest) { fields(m); m.Schema.Fields = nil },
		"field without id":      func(m *Manifest) { fields(m); m.Schema.Fields[0].ID = 0 },
		"field without index":   func(m *Manifest) { fields(m); m.Schema.Fields[0].Index = 0 },
		"integer with places":   func(m *Manifest) { fields(m); m.Schema.Fields[2].Positions = true },
		"field of impacts":      func(m *Manifest) { fields(m); m.Schema.Fields[0].Kind = schema.Impacts },
		"no analyzer":           func(m *Manifest) { fields(m); m.Schema.Fields[1].Analyzer = "" },
		"id of the next field":  func(m *Manifest) { fields(m); m.Schema.NextID = 4 },
		"column of text":        func(m *Manifest) { fields(m); m.Schema.Fields[1].Column = true },
		"unit of an integer":    func(m *Manifest) { fields(m); m.Schema.Fields[2].Unit = schema.UnitSecond },
		"name twice":            func(m *Manifest) { fields(m); m.Schema.Fields[0].Name = "title" },
		"tokens deleted":        func(m *Manifest) { fields(m); m.Segments[0].DeletedTokens = 1 },
		"fields in disorder":    func(m *Manifest) { fields(m); m.Segments[0].Fields[1].ID = 1 },
		"field of the future":   func(m *Manifest) { fields(m); m.Segments[0].Fields[1].ID = 5 },
		"field of 0":            func(m *Manifest) { fields(m); m.Segments[0].Fields[0].ID = 0 },
		"field of more":         func(m *Manifest) { fields(m); m.Segments[0].Fields[0].Docs = 1001 },
		"more live":             func(m *Manifest) { fields(m); m.Segments[0].Fields[0].Docs = 1000 },
		"more deleted":          func(m *Manifest) { fields(m); m.Segments[0].Fields[0].Deleted = 4 },
		"fewer tokens":          func(m *Manifest) { fields(m); m.Segments[0].Fields[0].Tokens = 906 },
		"fewer deleted tokens":  func(m *Manifest) { fields(m); m.Segments[0].Fields[0].DeletedTokens = 1 },
		"tokens of no deleted":  func(m *Manifest) { fields(m); m.Segments[0].Fields[0].Deleted = 0 },
		"order by no field":     func(m *Manifest) { *m = *orderManifest(); m.Order.Field = 3 },
		"order by no column":    func(m *Manifest) { *m = *orderManifest(); m.Order.Field = 4 },
		"order of no schema":    func(m *Manifest) { m.Order.Field = 1 },
		"descending by nothing": func(m *Manifest) { *m = *orderManifest(); m.Order.Field = 0 },
		"tokens of no document": func(m *Manifest) { fields(m); m.Segments[1].Fields = []FieldStats{{ID: 1, Tokens: 1}} },
	} {
		m := goldenManifest()
		change(m)
		if m.check() == nil {
			t.Errorf("%s: not refused when written", what)
		}
		if _, err := ReadManifest("m", manifestFile(t, AppendManifest(nil, m))); !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
	m := schemaManifest()
	m.Schema = nil
	if m.check() == nil {
		t.Error("statistics of fields without a schema are not refused")
	}
	good := AppendManifest(nil, goldenManifest())
	for what, content := range map[string][]byte{
		"empty":         {},
		"cut":           good[:len(good)-1],
		"trailing byte": append(good[:len(good):len(good)], 0),
		"many segments": {1, 1, 0, 0, 0, 0, 0, 0xFF, 0xFF, 3},
		"unknown flag":  {1, 1, 0, 0, 8, 0, 0, 0},
		"sorted":        {1, 1, 0, 0, 0, 0, 1, 0},
		"order":         {1, 1, 0, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x20, 0},
		"many fields":   {1, 1, 0, 0, 1, 0, 0, 1, 0xFF, 3},
	} {
		_, err := ReadManifest("m", manifestFile(t, content))
		var e *format.Error
		if !errors.As(err, &e) || e.Kind != format.ErrCorrupt || e.File != "m" || e.Section != "manifest" {
			t.Errorf("%s: %v", what, err)
		}
	}
	var f memory
	if err := writeSection(&f, format.KindDeletes, format.ID{}, format.SectionManifest, good); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadManifest("m", &f); !errors.Is(err, format.ErrCorrupt) {
		t.Errorf("wrong kind: %v", err)
	}
	f = memory{}
	if err := writeSection(&f, format.KindManifest, format.ID{}, 999, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadManifest("m", &f); !errors.Is(err, format.ErrTooNew) {
		t.Errorf("unknown required section: %v", err)
	}
}

func drawManifest(t *rapid.T) *Manifest {
	m := &Manifest{
		Generation:  rapid.Uint64Range(1, format.MaxFileNumber).Draw(t, "generation"),
		KeepCommits: rapid.IntRange(0, MaxKeepCommits).Draw(t, "commits to keep"),
		Segments:    []SegmentInfo{},
	}
	if rapid.Bool().Draw(t, "schema") {
		m.Schema = &schema.Schema{NextID: 9, Fields: []schema.Field{{
			ID: rapid.Uint32Range(1, 8).Draw(t, "field"), Name: rapid.StringMatching(`[a-zé]{1,9}`).Draw(t, "name"), Kind: schema.Text,
			Analyzer: rapid.StringN(1, 20, 255).Draw(t, "analyzer"), Options: rapid.StringN(0, 20, 255).Draw(t, "options"),
			Index: schema.IndexFreqs, Positions: rapid.Bool().Draw(t, "positions"),
			Stored: rapid.Bool().Draw(t, "stored"), K1: rapid.Float64Range(0, 1e6).Draw(t, "k1"), Boost: rapid.Float64Range(1e-6, 1e6).Draw(t, "weight"),
		}}}
		if m.Schema.Fields[0].ID < 8 {
			m.Schema.Fields = append(m.Schema.Fields, schema.Field{ID: 8, Name: "AT", Kind: schema.Time, Index: schema.IndexNone, Column: true,
				Stored: rapid.Bool().Draw(t, "times stored"), Unit: schema.Unit(rapid.IntRange(0, 3).Draw(t, "unit"))})
		}
	} else {
		text := func(most int, what string) string {
			return string(rapid.SliceOfN(rapid.Byte(), 0, most).Draw(t, what))
		}
		m.Schema = schema.Implicit(text(255, "analyzer"), text(300, "options"), rapid.Bool().Draw(t, "texts"))
		m.StoredUnknown = !m.Schema.Fields[0].Stored && rapid.Bool().Draw(t, "texts unknown")
	}
	next := uint64(1)
	for range rapid.IntRange(0, 20).Draw(t, "segments") {
		s := SegmentInfo{
			File: next, Docs: rapid.Uint32Range(0, 1<<27).Draw(t, "docs"),
			Postings: rapid.Uint64Range(0, 1<<50).Draw(t, "postings"), Tokens: rapid.Uint64Range(0, 1<<50).Draw(t, "tokens"),
		}
		copy(s.ID[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
		next++
		if s.Deleted = rapid.Uint32Range(0, s.Docs).Draw(t, "deleted"); s.Deleted > 0 {
			s.DeletesFile = next
			copy(s.DeletesID[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id of deletes"))
			if s.DeletedTokens = s.Tokens; s.Deleted < s.Docs {
				s.DeletedTokens = rapid.Uint64Range(0, s.Tokens).Draw(t, "deleted tokens")
			}
			next += rapid.Uint64Range(1, 1<<40).Draw(t, "gap")
		}
		s.FileLen = rapid.Int64Range(0, format.MaxFileSize).Draw(t, "length")
		s.Tail = rapid.Int64Range(0, s.FileLen).Draw(t, "tail")
		if !m.Schema.IsImplicit() {
			s.DeletedTokens = 0
			drawFields(t, &s)
		}
		m.Segments = append(m.Segments, s)
	}
	m.NextFile = next
	return m
}

// drawFields draws statistics of fields.
func drawFields(t *rapid.T, s *SegmentInfo) {
	for id := rapid.Uint32Range(1, 9).Draw(t, "first"); id < 9; id += rapid.Uint32Range(1, 9).Draw(t, "next") {
		f := FieldStats{ID: id, Deleted: rapid.Uint32Range(0, s.Deleted).Draw(t, "deleted")}
		live := rapid.Uint32Range(0, s.Docs-s.Deleted).Draw(t, "live")
		f.Docs = f.Deleted + live
		if f.Deleted > 0 {
			f.DeletedTokens = uint64(f.Deleted) + rapid.Uint64Range(0, 1<<40).Draw(t, "deleted tokens")
		}
		if f.Tokens = f.DeletedTokens; live > 0 {
			f.Tokens += uint64(live) + rapid.Uint64Range(0, 1<<40).Draw(t, "tokens")
		}
		s.Fields = append(s.Fields, f)
	}
}

func TestManifestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := drawManifest(rt)
		got, err := decodeManifest(appendManifest(nil, m, version03), 0, version03)
		m.Version = version03
		if err == nil && rapid.Bool().Draw(rt, "of 0.2") {
			forget(m)
			m.Version = version02
			got, err = decodeManifest(appendManifest(nil, m, version02), 0, version02)
		}
		if err != nil || !reflect.DeepEqual(got, m) || !reflect.DeepEqual(m.Clone(), m) {
			rt.Fatalf("%+v\n%+v\n%v", m, got, err)
		}
	})
}

// forget removes from a manifest what version 0.2 does not say.
func forget(m *Manifest) {
	name, options := m.Analyzer()
	m.Schema, m.StoredUnknown, m.KeepCommits = schema.Implicit(name, options, false), true, 0
	for i := range m.Segments {
		s := &m.Segments[i]
		s.DeletesID, s.FileLen, s.Tail, s.Fields = format.ID{}, 0, 0, nil
		if s.Deleted == s.Docs && s.Deleted > 0 {
			s.DeletedTokens = s.Tokens
		}
	}
}

// What is written is read as the same documents.
func TestDeletesRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const docs = 1 << 18
		want := map[uint32]bool{}
		bm := &docset.Bits{}
		for range rapid.IntRange(1, 6).Draw(rt, "pieces") {
			start := rapid.Uint32Range(0, docs-1).Draw(rt, "start")
			n := rapid.SampledFrom([]uint32{1, 2, 100, 5000, 70000}).Draw(rt, "n")
			step := rapid.SampledFrom([]uint32{1, 2, 7}).Draw(rt, "step")
			for i := range n {
				if v := start + i*step; v < docs {
					want[v] = true
					bm.Add(v)
				}
			}
		}
		b := bm.AppendPortable(nil)
		got, err := decodeDeletes(b, 0, docs)
		if err != nil || int(got.Len()) != len(want) {
			rt.Fatal(err)
		}
		last := uint32(0)
		for v := range got.All() {
			if last = v; !want[v] {
				rt.Fatalf("%d was never added", v)
			}
		}
		if _, err := decodeDeletes(b, 0, last); err == nil {
			rt.Fatal("a docID beyond the segment passes")
		}
		// Damaged bytes give an error or a usable set.
		for range 20 {
			c := bytes.Clone(b)
			c[rapid.IntRange(0, min(len(c), 64)-1).Draw(rt, "at")] ^= byte(rapid.IntRange(1, 255).Draw(rt, "flip"))
			if got, err := decodeDeletes(c, 0, docs); err == nil && len(slices.Collect(got.All())) != int(got.Len()) {
				rt.Fatal("broken bitmap passes")
			}
		}
	})
}

func TestNames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.Uint64Range(0, format.MaxFileNumber).Draw(rt, "n")
		for want, s := range map[string]string{
			manifestPrefix: ManifestName(n), mirrorPrefix: MirrorName(n), segmentPrefix: SegmentName(n), deletesPrefix: DeletesName(n),
		} {
			for _, old := range []bool{false, true} {
				for _, temp := range []bool{false, true} {
					s := s
					if old {
						s = oldPrefix + s
					}
					if temp {
						s += tempSuffix
					}
					valid := !old || want == manifestPrefix || want == mirrorPrefix
					if got, ok := parseName(s); ok != valid || ok && got != (fileName{want, n, old, temp}) {
						rt.Fatalf("%s is parsed as %+v, %v", s, got, ok)
					} else if ok && got.String() != strings.TrimSuffix(s, tempSuffix) {
						rt.Fatalf("%s is %s", s, got)
					}
				}
			}
		}
	})
	for _, s := range []string{"", "mydata.tmp", "manifest-1.pin", "manifest-0000000000001.pin", "manifest-00000000000x.pin",
		"segment-000000000001", "segment-000000000001.pin.tmp.tmp", "old-old-manifest-000000000001.pin", "mirror-+00000000001.pin"} {
		if n, ok := parseName(s); ok {
			t.Errorf("%s is parsed as %+v", s, n)
		}
	}
}
