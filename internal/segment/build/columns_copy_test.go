package build_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// columnModel draws documents that have nothing but values in columns. Those of field "d" ascend
// from one that is lower the greater the source.
func columnModel(r *rand.Rand, source, docs int) *segtest.Fields {
	m := &segtest.Fields{IDs: make([]string, docs)}
	for i, kind := range []schema.Kind{schema.Integer, schema.Keyword, schema.Time, schema.Keyword} {
		f := segtest.FieldModel{Field: schema.Field{ID: uint32(i + 1), Name: string(rune('a' + i)), Kind: kind, Index: schema.IndexNone}}
		f.RandomColumn(r, docs)
		for doc := 0; doc < docs && i == 3; doc++ {
			f.Words[doc] = []string{fmt.Sprintf("%02d-%05d", 9-source, doc/700)}
		}
		m.Fields = append(m.Fields, f)
	}
	return m
}

// copied returns the segment that CopyColumns makes of documents of sources, and that of a model of
// these documents.
func copied(t *testing.T, r *rand.Rand, models []*segtest.Fields, runs []build.ColumnRun, shuffled bool) (got, want []byte) {
	t.Helper()
	all := columnModel(r, 0, 0)
	sources := make([]build.ColumnSource, len(models))
	docs := make([]int, len(models)) // copied
	for _, run := range runs {
		m := models[run.Source]
		docs[run.Source] += int(run.To - run.From)
		for f := range all.Fields {
			to, from := &all.Fields[f], &m.Fields[f]
			if to.Kind == schema.Keyword {
				to.Words = append(to.Words, from.Words[run.From:run.To]...)
			} else {
				to.Values = append(to.Values, from.Values[run.From:run.To]...)
			}
		}
	}
	for i, m := range models {
		for doc := range m.IDs {
			m.IDs[doc] = fmt.Sprint(i, "-", doc)
		}
		s := segtest.Open(t, m.Build(t, segtest.Default()))
		sources[i] = build.ColumnSource{Segment: s, Fields: []int{0, 1, 2, 3}, Whole: docs[i] == len(m.IDs), Shuffled: shuffled}
	}
	w := segtest.Default()
	o := build.Options{DocsCodec: w.Docs, FreqsCodec: w.Freqs}
	for i := range all.Fields {
		o.Fields = append(o.Fields, build.Field{Field: all.Fields[i].Field})
	}
	for _, run := range runs {
		all.IDs = append(all.IDs, models[run.Source].IDs[run.From:run.To]...)
	}
	o.Docs = uint32(len(all.IDs))
	f := new(segtest.MemFile)
	b, err := build.New(format.NewFileWriter(f, format.KindSegment, format.ID{1, 2, 3}), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range all.IDs {
		if err := b.AddDoc([]byte(id), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := build.CopyColumns(t.Context(), b, sources, slices.Values(runs)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	return f.B, all.Build(t, w)
}

// Columns that are copied, in whole blocks or in pieces, have the bytes of those that are made of
// the same documents' values.
func TestCopyColumns(t *testing.T) {
	longtest.Once(t)
	for seed := range uint64(longtest.Count(8, 24)) {
		r := rand.New(rand.NewPCG(seed, 37))
		shuffled := seed%4 == 3
		var models []*segtest.Fields
		var runs []build.ColumnRun
		for i := range 1 + r.IntN(3) {
			docs := []int{1, 300, segment.ColumnBlock, 2 * segment.ColumnBlock, 2*segment.ColumnBlock + 777}[r.IntN(5)]
			models = append(models, columnModel(r, i, docs))
			from, deletes := 0, r.IntN(2) == 0
			for from < docs {
				to := min(docs, from+1+r.IntN([]int{70, 900, 3 * segment.ColumnBlock}[r.IntN(3)]))
				runs = append(runs, build.ColumnRun{Source: i, From: uint32(from), To: uint32(to)})
				if from = to; deletes && r.IntN(2) == 0 {
					from += 1 + r.IntN(900)
				}
			}
		}
		if shuffled {
			r.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		}
		if got, want := copied(t, r, models, runs, shuffled); !bytes.Equal(got, want) {
			t.Errorf("seed %d: %d runs of %d segments, shuffled %t: %d bytes differ from %d", seed, len(runs), len(models), shuffled, len(got), len(want))
		}
	}
	r := rand.New(rand.NewPCG(1, 38)) // all blocks of the first source are copied
	models := []*segtest.Fields{columnModel(r, 0, 2*segment.ColumnBlock), columnModel(r, 1, 5000)}
	runs := []build.ColumnRun{{Source: 0, To: 2 * segment.ColumnBlock}, {Source: 1, To: 5000}}
	if got, want := copied(t, r, models, runs, false); !bytes.Equal(got, want) {
		t.Error("blocks copied as they are differ")
	}
}

// Columns that verification finds damaged are refused, with file, section, column and block, where their values are written
// anew: what is copied would be sound, and its values wrong.
func TestCopyForgedColumns(t *testing.T) {
	longtest.Once(t)
	r := rand.New(rand.NewPCG(3, 39))
	const docs = segment.ColumnBlock + 800
	m := columnModel(r, 0, docs)
	for doc := range m.IDs {
		m.IDs[doc] = fmt.Sprint(doc)
	}
	good := m.Build(t, segtest.Default())
	header := segtest.Open(t, good).Header()
	refused, blocks := 0, 0
	changes := longtest.Count(100, 300)
	for i := range changes {
		sec, _ := header.Section([]format.SectionID{format.SectionColumns, format.SectionColumnBounds}[min(i%5/4, 1)])
		bad := segment.Aligned(bytes.Clone(good))
		bad[sec.Offset+r.Int64N(sec.Length)] ^= 1 << r.IntN(8)
		segtest.Repair(bad)
		s, err := segment.Open("bad", bad)
		if err != nil {
			t.Fatal(err)
		}
		fault := check.Segment(t.Context(), s, check.Options{Parts: check.Optional})
		for _, shuffled := range []bool{false, true} {
			runs := []build.ColumnRun{{From: 5, To: 9}, {From: docs - 7, To: docs}}
			if shuffled {
				slices.Reverse(runs)
			}
			err := copyColumns(t, runs, shuffled, s)
			if (err == nil) != (fault == nil) {
				t.Errorf("change %d, shuffled %t: %v; verification: %v", i, shuffled, err, fault)
			}
			if err == nil {
				continue
			}
			var e, f *format.Error
			errors.As(fault, &f)
			if !errors.Is(err, format.ErrCorrupt) || !errors.As(err, &e) || e.File != "bad" || e.Section != f.Section || e.Block != f.Block || !strings.Contains(e.Msg, "column ") {
				t.Errorf("change %d, shuffled %t: %v; verification: %v", i, shuffled, err, fault)
			}
			if refused++; e.Block >= 0 {
				blocks++
			}
		}
	}
	if refused < changes*2/5 || blocks < changes/15 {
		t.Errorf("%d copies refused, %d of them for a block", refused, blocks)
	}
}

// A keyword that no document of a source has is refused in the words of verification, also where another source has it and where
// few documents are copied. One that only documents have that are not copied is left out.
func TestCopyUnusedKeywords(t *testing.T) {
	const docs = 300
	m := columnModel(rand.New(rand.NewPCG(7, 40)), 0, docs)
	for doc := range m.IDs {
		m.IDs[doc] = fmt.Sprint(doc)
		m.Fields[1].Words[doc] = []string{fmt.Sprintf("%02d", doc%75)} // each is that of four documents
		m.Fields[3].Words[doc] = []string{fmt.Sprintf("%03d", doc)}
	}
	good := m.Build(t, segtest.Default())
	sound := segtest.Open(t, good)
	some := []build.ColumnRun{{From: 5, To: 9}, {From: docs - 7, To: docs}}
	if err := copyColumns(t, some, false, sound); err != nil {
		t.Fatal(err)
	}
	sec, _ := sound.Header().Section(format.SectionColumns)
	refused := 0
	for bit := int64(0); bit < 8*sec.Length; bit += 13 {
		bad := segment.Aligned(bytes.Clone(good))
		bad[sec.Offset+bit/8] ^= 1 << (bit % 8)
		segtest.Repair(bad)
		s, err := segment.Open("bad", bad)
		if err != nil {
			t.Fatal(err)
		}
		var fault, e *format.Error
		errors.As(check.Segment(t.Context(), s, check.Options{Parts: check.Optional}), &fault)
		if fault == nil || !strings.Contains(fault.Msg, "no document has keyword") {
			continue
		}
		refused++
		for name, err := range map[string]error{
			"alone":            copyColumns(t, []build.ColumnRun{{To: docs}}, false, s),
			"with another":     copyColumns(t, []build.ColumnRun{{To: docs}, {Source: 1, To: docs}}, false, s, sound),
			"some":             copyColumns(t, some, false, s),
			"in another order": copyColumns(t, []build.ColumnRun{{From: 9, To: docs}, {Source: 1, To: docs}, {To: 9}}, true, s, sound),
			"none":             copyColumns(t, []build.ColumnRun{{Source: 1, To: docs}}, false, s, sound),
		} {
			if !errors.Is(err, format.ErrCorrupt) || !errors.As(err, &e) || e.Error() != fault.Error() {
				t.Errorf("bit %d, %s: %v; verification: %v", bit, name, err, fault)
			}
		}
	}
	if refused < 15 {
		t.Errorf("%d dictionaries with unused keywords", refused)
	}
}

// copyColumns copies the columns of segments, which have those of columnModel.
func copyColumns(t *testing.T, runs []build.ColumnRun, shuffled bool, segments ...*segment.Segment) error {
	t.Helper()
	w := segtest.Default()
	o := build.Options{DocsCodec: w.Docs, FreqsCodec: w.Freqs}
	for i := range segments[0].Fields() {
		o.Fields = append(o.Fields, build.Field{Field: segments[0].Fields()[i].Field})
	}
	sources := make([]build.ColumnSource, len(segments))
	copied := make([]uint32, len(segments))
	for _, run := range runs {
		o.Docs += run.To - run.From
		copied[run.Source] += run.To - run.From
	}
	b, err := build.New(format.NewFileWriter(new(segtest.MemFile), format.KindSegment, format.ID{1, 2, 3}), o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range o.Docs {
		if err := b.AddDoc(fmt.Append(nil, i), nil); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range segments {
		sources[i] = build.ColumnSource{Segment: s, Fields: []int{0, 1, 2, 3}, Whole: copied[i] == s.Meta().Docs, Shuffled: shuffled}
	}
	return build.CopyColumns(t.Context(), b, sources, slices.Values(runs))
}
