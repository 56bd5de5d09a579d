package build_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/segment/build"
	"github.com/pinion-index/pinion/segment/internal/segtest"
)

// columnModel draws documents that have nothing but values in columns. Those of field "d" ascend
// from one that is lower the greater the source.
func columnModel(r *rand.Rand, source, docs int) *segtest.Fields {
	m := &segtest.Fields{IDs: make([]string, docs)}
	for i, kind := range []schema.Kind{schema.KindInteger, schema.KindKeyword, schema.KindTime, schema.KindKeyword} {
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
			if to.Kind == schema.KindKeyword {
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
	for seed := range uint64(24) {
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
