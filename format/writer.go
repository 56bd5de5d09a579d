package format

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
)

// FileWriter writes a container: sections in order, then the footer, then the front, so that a partially written file has no valid header. A segment gets the section
// PAGESUMS, whose sums FileWriter holds until the end: a thousandth of the file. It gathers
// small writes. After a failure all methods return the first error.
type FileWriter struct {
	w     io.WriterAt
	h     Header
	room  int    // sections that the table has room for
	off   int64  // offset of the next byte
	small []byte // gathered, to be written in front of off
	sum   *xxhash.Digest
	pages pageSummer
	open  bool
	err   error
}

// NewFileWriter returns a FileWriter for a file of the given kind and id. w must be
// empty. The file has room for all sections of its kind.
func NewFileWriter(w io.WriterAt, kind Kind, id ID) *FileWriter {
	f := &FileWriter{w: w, h: Header{Version: Current(), Kind: kind, ID: id}, sum: xxhash.New()}
	n := 0
	for _, row := range sections {
		if row.Kind == kind && !row.Reserved {
			n++
		}
	}
	f.Reserve(n)
	return f
}

// Reserve makes room for n sections. It must be called before the first one.
func (f *FileWriter) Reserve(n int) {
	if f.err == nil && (n > MaxSections || len(f.h.Sections) > 0) {
		f.err = fmt.Errorf("format: room for %d sections reserved out of turn, at most %d fit", n, MaxSections)
		return
	}
	f.room = n
	f.off = f.h.Version.LeastFront(n)
}

// SetVersion makes v the version of a file whose sections are copied from another one: any from 0.3 on, which lay them
// out alike. It may be called at any time before Finish.
func (f *FileWriter) SetVersion(v Version) {
	if f.err == nil && (v.Check() != nil || v.paged()) {
		f.err = fmt.Errorf("format: version %v is not written", v)
		return
	}
	f.h.Version = v
}

// Begin starts section id. flags is 0 or SectionRequired. Errors are returned by the next
// call of Write, End or Finish.
func (f *FileWriter) Begin(id SectionID, flags uint32) {
	if f.err != nil {
		return
	}
	if f.open || len(f.h.Sections) == f.room {
		f.err = fmt.Errorf("format: section %s begun out of turn", id)
		return
	}
	if len(f.h.Sections) == 0 {
		f.pages.begin(f.off)
	}
	f.open = true
	f.h.Sections = append(f.h.Sections, Section{ID: id, Flags: flags, Offset: f.off})
	f.sum.Reset()
}

// Write appends p to the open section. It implements io.Writer.
func (f *FileWriter) Write(p []byte) (int, error) {
	if f.err == nil && !f.open {
		f.err = fmt.Errorf("format: write outside a section")
	}
	if f.err != nil {
		return 0, f.err
	}
	for at := 0; at < len(p) && f.err == nil; at += cached {
		part := p[at:min(at+cached, len(p))]
		f.sum.Write(part)
		if f.h.Kind == KindSegment {
			f.pages.add(part)
		}
		f.append(part)
	}
	return len(p), f.err
}

// cached is how many bytes are summed and written at a time: a cache has them until they are written.
const cached = 256 << 10

// gather is how many bytes of small writes are gathered.
const gather = 16 << 10

// append appends p to the file. What is gathered before is written by flush.
func (f *FileWriter) append(p []byte) error {
	if len(f.small)+len(p) > gather {
		f.flush()
	}
	if len(p) < gather {
		f.small = append(f.small, p...)
	} else if f.err == nil {
		_, f.err = f.w.WriteAt(p, f.off)
	}
	f.off += int64(len(p))
	return f.err
}

// flush writes what was gathered.
func (f *FileWriter) flush() {
	if len(f.small) > 0 && f.err == nil {
		_, f.err = f.w.WriteAt(f.small, f.off-int64(len(f.small)))
	}
	f.small = f.small[:0]
}

// End pads and closes the open section.
func (f *FileWriter) End() error {
	if f.err != nil {
		return f.err
	}
	if !f.open {
		f.err = fmt.Errorf("format: no section to end")
		return f.err
	}
	s := &f.h.Sections[len(f.h.Sections)-1]
	s.Length = f.off - s.Offset
	f.zeros(s.PaddedLength() - s.Length)
	s.Checksum = f.sum.Sum64()
	f.open = false
	return f.err
}

// padding is as long as the longest padding.
var padding [ReadablePadding + SectionAlign]byte

func (f *FileWriter) zeros(n int64) {
	f.Write(padding[:n]) // the error is kept in f.err
}

// Finish writes PAGESUMS, if the file has one, the footer and the front, and returns the
// header. It does not sync or close the file.
func (f *FileWriter) Finish() (*Header, error) {
	if f.err == nil && f.open {
		f.err = fmt.Errorf("format: finish with an open section")
	}
	if f.err != nil {
		return nil, f.err
	}
	if f.h.Kind == KindSegment {
		if err := f.writePageSums(); err != nil {
			return nil, err
		}
	}
	f.h.FileLen = f.off + FooterSize
	front := f.h.AppendFront(nil)
	f.append(f.h.AppendFooter(nil, front))
	if f.flush(); f.err != nil {
		return nil, f.err
	}
	if _, f.err = f.w.WriteAt(front, 0); f.err != nil {
		return nil, f.err
	}
	return &f.h, nil
}

// writePageSums adds PAGESUMS.
func (f *FileWriter) writePageSums() error {
	f.Begin(SectionPageSums, SectionRequired)
	sums := f.pages.finish()
	f.pages = pageSummer{}
	for len(sums) > 0 {
		k := min(PageSumSize*PageGroup, len(sums))
		f.Write(sums[:k])
		f.Write(binary.LittleEndian.AppendUint32(nil, PageSum(sums[:k])))
		sums = sums[k:]
	}
	return f.End()
}
