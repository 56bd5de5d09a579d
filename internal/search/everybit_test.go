package search_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/internal/segment/check"
	"github.com/pinion-index/pinion/reader"
)

// found reports whether verification of checksums finds damage in a file of f.
func (f files) found(name string) (bool, error) {
	if other, ok := strings.CutPrefix(name, "manifest-"); ok {
		f = maps.Clone(f)
		delete(f, "mirror-"+other) // either suffices
	} else if other, ok := strings.CutPrefix(name, "mirror-"); ok {
		f = maps.Clone(f)
		delete(f, "manifest-"+other)
	}
	x, err := reader.Open(context.Background(), reader.FromStore(&inMemory{f}), reader.Options{})
	if err != nil {
		return true, nil
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		return true, nil
	}
	defer s.Close()
	for _, seg := range s.Segments() {
		if _, err := seg.Deletes(); err != nil {
			return true, nil
		}
		if seg.Name() != name {
			continue
		}
		if err := check.Segment(context.Background(), seg.Views(), check.Options{Level: check.Checksums}); err != nil {
			return true, nil
		}
	}
	return false, nil
}

// flip flips a bit and asks the questions in only.
func (f files) flip(name string, bit int, only []bool) answers {
	b := f[name]
	b[bit/8] ^= 1 << (bit % 8)
	defer func() { b[bit/8] ^= 1 << (bit % 8) }()
	return ask(func() (*reader.Index, error) {
		return reader.Open(context.Background(), reader.FromStore(&inMemory{f}), reader.Options{})
	}, only)
}

// readers returns which questions read a page of a file, which it learns by damaging it.
func (f files) readers(name string, from, to, questions int) []bool {
	reads := make([]bool, questions)
	for _, at := range []int{from, (from + to) / 2, to - 1} {
		if a := f.flip(name, at*8, nil); len(a.errs) == questions {
			for i, err := range a.errs {
				reads[i] = reads[i] || err != nil
			}
		}
	}
	return reads
}

// Whichever bit of an index flips, verification finds it and every answer is right or an error. For
// each bit of a page those questions are asked that read the page, and one other in turn; for every
// 256th all are. The test takes every 61st bit of a small index; PINION_EVERY_BIT=I/N/DOCS takes every
// bit of part I of N of an index of so many documents: 300 make 160 KiB, 28,000 more than 1 MiB.
func TestEveryBit(t *testing.T) {
	longtest.Once(t)
	part, parts, docs, step := 0, 1, 300, 61
	if v := os.Getenv("PINION_EVERY_BIT"); v != "" {
		step = 1
		if _, err := fmt.Sscanf(v, "%d/%d/%d", &part, &parts, &docs); err != nil || part >= parts {
			t.Fatalf("PINION_EVERY_BIT=%s is not I/N/DOCS", v)
		}
	}
	f := flipIndex(t, docs)
	want := ask(func() (*reader.Index, error) {
		return reader.Open(t.Context(), reader.FromStore(&inMemory{f}), reader.Options{})
	}, nil)
	if err := errors.Join(want.errs...); err != nil {
		t.Fatal(err)
	}
	for name := range f {
		if found, err := f.found(name); found || err != nil {
			t.Fatalf("damage is found in %s, which is sound: %v", name, err)
		}
	}
	flipped, page := 0, 0
	for _, name := range slices.Sorted(maps.Keys(f)) {
		b := f[name]
		for from := 0; from < len(b); from += format.PageSize {
			if page++; page%parts != part {
				continue
			}
			to := min(from+format.PageSize, len(b))
			reads := f.readers(name, from, to, len(want.all))
			for bit := from * 8; bit < to*8; bit += step {
				only, turn := reads, flipped%len(reads)
				if flipped%256 == 0 {
					only = nil
				} else if !reads[turn] {
					only = slices.Clone(reads)
					only[turn] = true
				}
				if msg := f.flip(name, bit, only).compare(want); msg != "" {
					t.Errorf("%s, byte %d, bit %d: %s", name, bit/8, bit%8, msg)
				}
				b[bit/8] ^= 1 << (bit % 8)
				found, err := f.found(name)
				b[bit/8] ^= 1 << (bit % 8)
				if !found || err != nil {
					t.Errorf("%s, byte %d, bit %d: verification finds nothing, %v", name, bit/8, bit%8, err)
				}
				flipped++
			}
		}
	}
	t.Logf("%d bits flipped in %d pages", flipped, page)
}
