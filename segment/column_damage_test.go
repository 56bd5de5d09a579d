package segment_test

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
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/internal/segment/segtest"
	"github.com/pinion-index/pinion/segment"
)

// A damaged page of COLUMNS fails what needs it, and nothing else, with file, section, field and
// block; one of COLUMNBOUNDS fails its columns. So it is in memory and on demand.
func TestDamagedColumns(t *testing.T) {
	b := segment.Aligned(columns(rand.New(rand.NewPCG(3, 1)), 20_000).Build(t, segtest.Default()))
	good := segtest.Open(t, b)
	cols, _ := good.Header().Section(format.SectionColumns)
	bounds, _ := good.Header().Section(format.SectionColumnBounds)
	open := func(mapped bool) *segment.Segment {
		d := segment.Data(&onDemand{b: b, fail: -1})
		if mapped {
			d = b
		}
		s, err := segment.Open("test.pin", d)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	failed, fine := 0, 0
	for _, mapped := range []bool{true, false} {
		for at := cols.Offset + 100; at < cols.Offset+cols.Length; at += 2 * format.PageSize {
			b[at] ^= 16
			s := open(mapped)
			page := [2]int64{at &^ (format.PageSize - 1), at&^(format.PageSize-1) + format.PageSize}
			for i := range s.Fields() {
				c, ok, err := s.Field(i).Column()
				if err != nil {
					t.Fatal(err)
				}
				begin := cols.Offset + columnBegin(good, i)
				for block := 0; ok && block < c.Blocks(); block++ {
					end := begin + c.Bounds(block).Bytes
					var values segment.ColumnValues
					err := c.Read(block, &values)
					if begin >= end || end <= page[0] || begin >= page[1] {
						if begin = end; err != nil {
							t.Fatalf("field %d, block %d at %d to %d, damage at %d: %v", i, block, begin, end, at, err)
						}
						fine++
						continue
					}
					failed++
					begin = end
					var e *format.Error
					if !errors.As(err, &e) || !errors.Is(err, format.ErrCorrupt) || e.File != "test.pin" || e.Section != "columns" || e.Block != block || !strings.Contains(e.Msg, fmt.Sprintf("column %q", s.Fields()[i].Name)) {
						t.Errorf("field %d, block %d: %v", i, block, err)
					}
					if _, err := c.Append(nil, uint32(block)*segment.ColumnBlock); !errors.Is(err, format.ErrCorrupt) {
						t.Errorf("field %d, block %d: appended, %v", i, block, err)
					}
				}
			}
			if err := check.Segment(t.Context(), s, check.Options{}); !errors.Is(err, format.ErrCorrupt) {
				t.Errorf("byte %d: checked, %v", at, err)
			}
			b[at] ^= 16
		}
		b[bounds.Offset+bounds.Length/2] ^= 1
		s, some := open(mapped), false
		for i := range s.Fields() {
			_, _, err := s.Field(i).Column()
			some = some || errors.Is(err, format.ErrCorrupt)
		}
		if !some {
			t.Error("COLUMNBOUNDS is damaged, and all columns are there")
		}
		b[bounds.Offset+bounds.Length/2] ^= 1
	}
	if failed < 20 || fine < 20 {
		t.Errorf("%d blocks failed, %d did not", failed, fine)
	}
}

// columnBegin returns where the blocks of the column of field i begin in COLUMNS.
func columnBegin(s *segment.Segment, i int) (at int64) {
	for j := range i + 1 {
		c, ok, _ := s.Field(j).Column()
		if !ok {
			continue
		}
		if at += int64(c.Info().Bytes); j == i {
			for b := range c.Blocks() {
				at -= c.Bounds(b).Bytes
			}
		}
	}
	return at
}

// Bytes that no builder writes are refused or found by full verification, whatever the checksums
// say, and reading them does no harm.
func TestForgedColumns(t *testing.T) {
	longtest.Once(t)
	good := columns(rand.New(rand.NewPCG(5, 1)), 5000).Build(t, segtest.Default())
	header := segtest.Open(t, good).Header()
	r := rand.New(rand.NewPCG(6, 1))
	found := 0
	for i := range 300 {
		sec, _ := header.Section([]format.SectionID{format.SectionColumns, format.SectionColumnBounds}[i%2])
		bad := segment.Aligned(bytes.Clone(good))
		bad[sec.Offset+r.Int64N(sec.Length)] ^= 1 << r.IntN(8)
		segtest.Repair(bad)
		s, err := segment.Open("bad", bad)
		if err != nil {
			t.Fatal(err)
		}
		var docs [segment.ColumnBlock / 64]uint64
		var values segment.ColumnValues
		for f := range s.Fields() {
			c, ok, err := s.Field(f).Column()
			for b := 0; ok && err == nil && b < c.Blocks(); b++ {
				c.Read(b, &values)
				c.Range(b, c.Info().Min+1, c.Info().Max-1, &docs)
				c.In(b, []int64{-5, 1, 4, 10, 16, 22, 100, 1000}, &docs)
				c.Append(nil, uint32(b)*segment.ColumnBlock+77)
			}
			if ok && err == nil {
				for word, err := range c.Keywords(0) {
					c.Ordinal(slices.Clone(word))
					if err != nil {
						break
					}
				}
			}
		}
		switch err := check.Segment(t.Context(), s, check.Options{}); {
		case errors.Is(err, format.ErrCorrupt):
			found++
		case err != nil || sec.ID == format.SectionColumnBounds: // other values may have these bytes
			t.Errorf("%s: %v", sec.ID, err)
		}
	}
	if found < 160 {
		t.Errorf("only %d of 300 were found", found)
	}
}
