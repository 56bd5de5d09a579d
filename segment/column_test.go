package segment_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// columns draws a segment with columns of all kinds beside a field that is none.
func columns(r *rand.Rand, docs int) *segtest.Fields {
	m := &segtest.Fields{}
	for i := range docs {
		m.IDs = append(m.IDs, fmt.Sprint("d", i))
	}
	for i, kind := range []schema.Kind{schema.Integer, schema.Text, schema.Keyword, schema.Float, schema.Time, schema.Keyword} {
		f := segtest.FieldModel{Field: schema.Field{ID: uint32(9 - i), Name: string(rune('a' + i)), Kind: kind}, Lens: make([]uint32, docs)}
		if kind != schema.Text {
			f.RandomColumn(r, docs)
		}
		if i == 2 {
			f.Index = schema.IndexNone // only a column
		}
		m.Fields = append(m.Fields, f)
	}
	return m
}

// What the views of columns give is what was added.
func TestColumns(t *testing.T) {
	longtest.Once(t)
	for i, docs := range []int{0, 1, 63, 200, 500, 700, 1000, 1000, 4095, 4096, 4097, 9000} {
		m := columns(rand.New(rand.NewPCG(uint64(i), 1)), docs)
		m.Check(t, segtest.Open(t, m.Build(t, segtest.Default())))
	}
}

// sized returns a column of 2^16 documents, opened, and the bytes of both sections.
func sized(t testing.TB, kind schema.Kind, value func(i int) int64) (*segment.Column, int64) {
	const docs = 1 << 16
	m := &segtest.Fields{Fields: []segtest.FieldModel{{Field: schema.Field{ID: 1, Name: "f", Kind: kind, Column: true}}}}
	f := &m.Fields[0]
	if kind == schema.Keyword {
		f.Index = schema.IndexNone
	}
	for i := range docs {
		m.IDs = append(m.IDs, fmt.Sprint(i))
		v := value(i)
		if kind == schema.Keyword {
			f.Words = append(f.Words, []string{fmt.Sprint("level-", v)})
		} else {
			f.Values = append(f.Values, []int64{v})
		}
	}
	s := segtest.Open(t, m.Build(t, segtest.Default()))
	c, _, err := s.Field(0).Column()
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	for _, id := range []format.SectionID{format.SectionColumns, format.SectionColumnBounds} {
		sec, _ := s.Header().Section(id)
		size += sec.Length
	}
	return c, size
}

// Bytes a value, bounds included: docs/sizes.md has the table.
func TestColumnSizes(t *testing.T) {
	longtest.Once(t)
	r := rand.New(rand.NewPCG(5, 1))
	at := int64(1_795_683_600_000)
	line := func(unit int64) func(int) int64 { // a line of a log each 300 ms
		return func(int) int64 {
			at += int64(r.ExpFloat64() * 300)
			return at / unit
		}
	}
	for _, test := range []struct {
		what  string
		kind  schema.Kind
		value func(i int) int64
		most  float64
	}{
		{"random, 20 bits", schema.Integer, func(int) int64 { return r.Int64N(1 << 20) }, 2.52},
		{"five levels", schema.Keyword, func(int) int64 { return r.Int64N(5) }, 0.387},
		{"ascending seconds", schema.Time, line(1000), 0.27},
		{"ascending milliseconds", schema.Time, line(1), 1.445},
		{"prices in whole units", schema.Integer, func(int) int64 { return 100 * r.Int64N(1000) }, 1.27},
	} {
		c, size := sized(t, test.kind, test.value)
		if is := float64(size) / float64(c.Info().Values); is > test.most || is < test.most*0.98 {
			t.Errorf("%s: %.3f bytes a value, want about %.3f", test.what, is, test.most)
		}
	}
}

// BenchmarkColumnRange reads all blocks in several ways, and reports M values/s of the fastest
// round.
func BenchmarkColumnRange(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 1))
	c, _ := sized(b, schema.Integer, func(int) int64 { return r.Int64N(1 << 20) })
	var docs [segment.ColumnBlock / 64]uint64
	var values segment.ColumnValues
	for name, one := range map[string]func(block int) error{
		"mask": func(block int) error { return c.Range(block, 1<<18, 1<<19, &docs) },
		"read": func(block int) error { return c.Read(block, &values) },
		"five": func(block int) error { return c.In(block, []int64{5, 500, 5000, 50_000, 500_000}, &docs) },
	} {
		b.Run(name, func(b *testing.B) {
			best := time.Hour
			for b.Loop() {
				start := time.Now()
				for block := range c.Blocks() {
					if err := one(block); err != nil {
						b.Fatal(err)
					}
				}
				best = min(best, time.Since(start))
			}
			b.ReportMetric(float64(c.Info().Values)/best.Seconds()/1e6, "Mvalues/s")
		})
	}
	wide, _ := sized(b, schema.Float, func(int) int64 { return schema.FloatKey(float64(r.IntN(100_000)) / 100) })
	b.Run("floats", func(b *testing.B) {
		best := time.Hour
		for b.Loop() {
			start := time.Now()
			for block := range wide.Blocks() {
				if err := wide.Range(block, schema.FloatKey(100), schema.FloatKey(300), &docs); err != nil {
					b.Fatal(err)
				}
			}
			best = min(best, time.Since(start))
		}
		b.ReportMetric(float64(wide.Info().Values)/best.Seconds()/1e6, "Mvalues/s")
	})
	b.Run("one", func(b *testing.B) {
		var v []int64
		for b.Loop() {
			v, _ = c.Append(v[:0], r.Uint32N(1<<16))
		}
	})
}
