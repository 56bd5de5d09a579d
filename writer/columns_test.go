package writer_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/pinion-index/pinion/reader"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// worldOrder is the order of the documents in each segment.
type worldOrder struct {
	field uint32 // 0: any
	desc  bool
}

func drawFloat(t *rapid.T) float64 {
	return rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 0.5, -0.5, -3, 3, math.MaxFloat64, -math.SmallestNonzeroFloat64}).Draw(t, "float")
}

// reorder brings the documents in an order.
func (x *fieldWorld) reorder(o writer.Order, is worldOrder) error {
	_, err := x.w.Merge(context.Background(), writer.MergeOptions{Order: o})
	x.order = is
	return err
}

// sort sorts the documents by a column, if there is one.
func (x *fieldWorld) sort(t *rapid.T) error {
	for i := range x.schema.Fields {
		if f := &x.schema.Fields[i]; f.Column && rapid.Bool().Draw(t, "by "+f.Name) {
			desc := rapid.Bool().Draw(t, "descending")
			return x.reorder(writer.OrderField(f.Name, desc), worldOrder{f.ID, desc})
		}
	}
	return nil
}

// inUnit returns v as f has it.
func inUnit(f *schema.Field, v schema.Value) schema.Value {
	t := v.Time()
	switch f.Unit {
	case schema.UnitSecond:
		return schema.TimeValue(v.Field, time.Unix(t.Unix(), 0))
	case schema.UnitMicrosecond:
		return schema.TimeValue(v.Field, time.UnixMicro(t.UnixMicro()))
	}
	return v
}

// shown is a value of a column, by what values are compared.
type shown struct {
	number float64 // or
	text   string
}

func shownOf(f *schema.Field, v schema.Value) shown {
	switch f.Kind {
	case schema.Keyword:
		return shown{text: string(v.Bytes())}
	case schema.Float:
		return shown{number: v.Float() + 0, text: "float"}
	}
	return shown{text: fmt.Sprint(inUnit(f, v))}
}

// checkColumn compares the column of f with what the documents have, and the order of these.
func (x *fieldWorld) checkColumn(t rapid.TB, s *reader.Snapshot, f *schema.Field) {
	if !f.Column {
		return
	}
	checked := 0
	for _, g := range s.Segments() {
		seg := g.Views()
		number, ok := seg.FieldByID(f.ID)
		var c *segment.Column
		var err error
		if ok {
			if c, ok, err = seg.Field(number).Column(); !ok {
				t.Fatalf("field %s: no column in %s: %v", f.Name, g.Name(), err)
			}
		}
		deletes, err := g.Deletes()
		if err != nil {
			t.Fatal(err)
		}
		var before []int64
		for doc := range seg.Meta().Docs {
			var keys []int64
			if c != nil {
				if keys, err = c.Append(nil, doc); err != nil {
					t.Fatal(err)
				}
			}
			if x.order.field == f.ID && doc > 0 && !x.order.follows(keys, before) {
				t.Fatalf("field %s, descending %t: document %d with %d follows one with %d", f.Name, x.order.desc, doc, keys, before)
			}
			before = keys
			if deletes.Has(doc) {
				continue
			}
			id, err := seg.Documents().AppendID(nil, doc)
			if err != nil {
				t.Fatal(err)
			}
			x.checkValues(t, f, c, string(id), keys)
			checked++
		}
	}
	if checked != len(x.docs) {
		t.Fatalf("field %s: %d documents, want %d", f.Name, checked, len(x.docs))
	}
}

// checkValues compares the keys of a document in the column of f.
func (x *fieldWorld) checkValues(t rapid.TB, f *schema.Field, c *segment.Column, id string, keys []int64) {
	want, got := map[shown]bool{}, map[shown]bool{}
	for _, v := range x.docs[id] {
		if v.field == f.ID {
			want[shownOf(f, v.value)] = true
		}
	}
	for _, key := range keys {
		v := schema.KeyValue(0, f.Kind, f.Unit, key)
		if f.Kind == schema.Keyword {
			b, err := c.Keyword(nil, key)
			if err != nil {
				t.Fatal(err)
			}
			v = schema.KeywordValue(0, b)
		}
		got[shownOf(f, v)] = true
	}
	same := len(want) == len(got) && len(got) == len(keys)
	for v := range want {
		same = same && got[v]
	}
	if !same || !slices.IsSorted(keys) {
		t.Fatalf("field %s of document %s: %v (%d), want %v", f.Name, id, got, keys, want)
	}
}

// follows reports whether a document with these values may follow one with those before.
func (o worldOrder) follows(keys, before []int64) bool {
	switch {
	case len(before) == 0:
		return len(keys) == 0
	case len(keys) == 0:
		return true
	case o.desc:
		return cmp.Compare(keys[len(keys)-1], before[len(before)-1]) <= 0
	}
	return keys[0] >= before[0]
}
