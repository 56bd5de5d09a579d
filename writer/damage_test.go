package writer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/memfs"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/store"
)

// copyFS copies all files but the lock, passing each through change.
func copyFS(t *testing.T, from store.FS, change func(name string, b []byte) []byte) *memfs.FS {
	t.Helper()
	to := memfs.New()
	names, err := from.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name == indexdir.LockName {
			continue
		}
		data, err := from.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := data.Range(0, data.Size())
		if err != nil {
			t.Fatal(err)
		}
		f, err := to.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteAt(change(name, bytes.Clone(b)), 0)
		if err := errors.Join(err, f.Sync(), f.Close(), data.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Sync(); err != nil {
		t.Fatal(err)
	}
	return to
}

// resum recomputes the checksums of pages, sections, header and footer.
func resum(t *testing.T, file []byte) {
	t.Helper()
	h, err := format.ParseFile("", file)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range h.Sections {
		if s.ID == format.SectionPageSums {
			sumPages(file, file[s.Offset:s.Offset+s.Length], h.Version.Pages(h.FrontSize(), s.Offset))
		}
		h.Sections[i].Checksum = xxhash.Sum64(file[s.Offset : s.Offset+s.PaddedLength()])
	}
	front := h.AppendFront(nil)
	copy(file, front)
	copy(file[len(file)-format.FooterSize:], h.AppendFooter(nil, front))
}

// sumPages writes the checksums of pages, and after each group its own.
func sumPages(file, sums []byte, pages format.Pages) {
	page := pages.First
	for len(sums) > 0 {
		n := min(format.PageSumSize*format.PageGroup, len(sums)-format.PageSumSize)
		for at := 0; at < n; at += format.PageSumSize {
			lo, hi := pages.Bounds(page)
			binary.LittleEndian.PutUint32(sums[at:], format.PageSum(file[lo:hi]))
			page++
		}
		binary.LittleEndian.PutUint32(sums[n:], format.PageSum(sums[:n]))
		sums = sums[n+format.PageSumSize:]
	}
}

// TestMergeOfDamaged merges segments in which bytes were changed. The merge must
// not panic or hang, nor pass on damage that checksums show. A failure is of kind
// ErrCorrupt and names the file.
func TestMergeOfDamaged(t *testing.T) {
	ctx := t.Context()
	o := Options{Schema: schema.Implicit("whitespace", "", true), Threads: 2}
	fs := memfs.New()
	w := mustOpen(t, fs, o)
	m := model{stored: true}
	r := rand.New(rand.NewPCG(11, 11))
	for range 3 {
		fill(t, w, &m, r, 300, 1500)
		if err := w.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	for i := range 300 {
		hostile := i%2 == 1
		broken := copyFS(t, fs, func(name string, b []byte) []byte {
			if strings.HasPrefix(name, "segment") {
				for range 1 + r.IntN(3) {
					b[format.PageSize+r.IntN(len(b)-format.PageSize-format.FooterSize)] ^= 1 << r.IntN(8)
				}
				if hostile {
					resum(t, b)
				}
			}
			return b
		})
		w, err := OpenFS(ctx, broken, o)
		if err == nil {
			if _, err = w.Merge(ctx, MergeOptions{}); err != nil {
				if err := w.Commit(ctx); err == nil {
					t.Error("commit after a failed merge")
				}
			} else if err := w.Commit(ctx); err != nil {
				t.Error(err)
			} else if !hostile {
				m.check(t, broken) // the change affected no content
			}
			w.Close()
		}
		if hostile && errors.Is(err, ErrAnalyzer) {
			continue
		}
		if err != nil && (!errors.Is(err, format.ErrCorrupt) || !strings.Contains(err.Error(), "segment-")) {
			t.Fatalf("error of a damaged index: %v", err)
		}
	}
}
