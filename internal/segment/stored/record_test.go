package stored_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/record"
	"github.com/pinion-index/pinion/internal/segment/build"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// Records are checked against FIELDS.
func TestRecords(t *testing.T) {
	good := record.Append(record.Append(nil, 1, schema.TextValue(0, []byte("text"))), 2, schema.IntegerValue(0, -7))
	for _, c := range []struct {
		record []byte
		want   string // of the error, "" for none
	}{
		{nil, ""},
		{good, ""},
		{good[:len(good)-1], "malformed record"},
		{record.Append(nil, 4, schema.TextValue(0, "")), "field 4, which FIELDS does not have"},
		{record.Append(nil, 3, schema.KeywordValue(0, []byte("k"))), `field "tag", which is not stored`},
		{record.Append(good, 2, schema.FloatValue(0, 1)), "is none of kind integer"},
	} {
		o := (&segtest.Model{IDs: []string{"a", "b"}, Lens: []uint32{0, 0}}).Options(segtest.Default())
		o.Stored, o.Lengths, o.Analyzer, o.AnalyzerOptions = true, nil, "", ""
		lens := []segment.LengthTable{segment.NewLengthTable([]uint32{0, 0})}
		o.Fields = []build.Field{
			{Field: schema.Field{ID: 2, Name: "n", Kind: schema.Integer, Index: schema.IndexNone, Stored: true}},
			{Field: schema.Field{ID: 3, Name: "tag", Kind: schema.Keyword, Index: schema.IndexDocs}},
			{Field: schema.Field{ID: 1, Name: "text", Kind: schema.Text, Index: schema.IndexFreqs, Analyzer: "simple", Stored: true}, Lengths: lens},
		}
		f := new(segtest.MemFile)
		b, err := build.New(format.NewFileWriter(f, format.KindSegment, format.ID{1}), o)
		if err == nil {
			err = errors.Join(b.AddDoc([]byte("a"), good), b.AddDoc([]byte("b"), c.record))
		}
		if err == nil {
			_, err = b.Finish()
		}
		if err != nil {
			t.Fatal(err)
		}
		err = check.Segment(t.Context(), segtest.Open(t, f.B), check.Options{})
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, format.ErrCorrupt) || !strings.Contains(err.Error(), "document 1: ") || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("% x: %v, want one that says %q", c.record, err, c.want)
		}
	}
}
