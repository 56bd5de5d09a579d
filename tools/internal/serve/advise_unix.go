//go:build unix

package serve

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// advise tells the kernel in which sections of a segment pages look things up here and
// there. A fault there then reads its own page, not all those around it: 128 KiB, or
// the megabytes to which a device may be set. What advise and prefetch say are hints,
// whose failure does no harm.
func (g *seg) advise() {
	for _, s := range g.Header().Sections {
		switch s.ID {
		case format.SectionPostings, format.SectionTerms, format.SectionIDs, format.SectionIDIndex, format.SectionIDHash, format.SectionStored:
			g.madvise(s.Offset, s.PaddedLength(), unix.MADV_RANDOM)
		}
	}
}

// maxPayload is how much of the payload of a list prefetch asks for.
const maxPayload = 4 << 20

// prefetch lets the kernel read a list, which takes about two bytes a posting: all that is
// checked before any block, 24 bytes for 128 postings, and the beginning of the payload.
func (g *seg) prefetch(e segment.Entry) {
	if e.Kind == segment.KindExtent {
		sec, _ := g.Header().Section(format.SectionPostings)
		n := 2*format.PageSize + int64(e.DF)*24/128 + min(2*int64(e.DF), maxPayload)
		g.madvise(sec.Offset+e.Offset, min(n, sec.Length-e.Offset), unix.MADV_WILLNEED)
	}
}

// madvise gives advice about n bytes of the mapped file and the rest of their pages.
func (g *seg) madvise(off, n int64, advice int) {
	m, ok := g.Data().(interface{ Mapped() []byte })
	if !ok {
		return
	}
	b, page := m.Mapped(), int64(os.Getpagesize())
	from, to := off/page*page, min(off+n, int64(len(b)))
	if 0 <= from && from < to {
		_ = unix.Madvise(b[from:to], advice)
	}
}
