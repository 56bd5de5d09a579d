package indexdir

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/store"
)

// NewID returns a random file id. It need not be hard to guess, only another one each time:
// crypto/rand would add a quarter of a megabyte to every program.
func NewID() format.ID {
	var id format.ID
	binary.LittleEndian.PutUint64(id[:8], rand.Uint64())
	binary.LittleEndian.PutUint64(id[8:], rand.Uint64())
	return id
}

// rangeOf returns n bytes at off of a file. Data that gives others than these is at fault, not the file: the error
// matches fs.ErrInvalid.
func rangeOf(name string, d store.Data, off, n int64) ([]byte, error) {
	b, err := d.Range(off, n)
	if err == nil && int64(len(b)) != n {
		err = fmt.Errorf("file %s: data source gave %d bytes for %d at %d: %w", name, len(b), n, off, fs.ErrInvalid)
	}
	return b, err
}

// readHeader reads front and footer of a file. name is for errors.
func readHeader(name string, d store.Data) (*format.Header, error) {
	page, err := rangeOf(name, d, 0, min(format.PageSize, d.Size()))
	if err != nil {
		return nil, err
	}
	foot, err := rangeOf(name, d, max(0, d.Size()-format.FooterSize), min(format.FooterSize, d.Size()))
	if err != nil {
		return nil, err
	}
	return format.ParseHeader(name, d.Size(), page, foot)
}

// readSection returns the header of a small file of a kind, and a copy of a section that it must have, after
// verifying its checksum. With an error it returns the header too, if that is sound. name is for errors.
func readSection(name string, d store.Data, kind format.Kind, id format.SectionID) (*format.Header, []byte, int64, error) {
	h, err := readHeader(name, d)
	if err != nil {
		return nil, nil, 0, err
	}
	place := format.Place{File: name, Section: id.String(), Block: format.NoBlock}
	if h.Kind != kind {
		return nil, nil, 0, format.Locate(format.Corrupt("this is a %s file, not a %s file", h.Kind, kind), place)
	}
	b, off, err := contentOf(name, d, h, id)
	return h, b, off, err
}

// contentOf is readSection for a section of a file whose header was read. off is the section's offset.
func contentOf(name string, d store.Data, h *format.Header, id format.SectionID) (b []byte, off int64, err error) {
	place := format.Place{File: name, Section: id.String(), Block: format.NoBlock}
	s, ok := h.Section(id)
	if !ok {
		return nil, 0, format.Locate(format.Corrupt("the section is missing"), place)
	}
	if b, err = rangeOf(name, d, s.Offset, s.PaddedLength()); err != nil {
		return nil, 0, format.Locate(err, place)
	}
	b = bytes.Clone(b) // a file that changes must not do so between here and its use
	if xxhash.Sum64(b) != s.Checksum {
		e := format.Corrupt("section checksum does not match")
		e.Offset = s.Offset
		return nil, 0, format.Locate(e, place)
	}
	if format.NonZero(b[s.Length:]) >= 0 {
		e := format.Corrupt("padding is not zero")
		e.Offset = s.Offset + s.Length
		return nil, 0, format.Locate(e, place)
	}
	return b[:s.Length], s.Offset, nil
}

// part is a section to be written.
type part struct {
	id      format.SectionID
	flags   uint32
	content []byte
	more    []byte // of the content
}

// writeSection writes a file with one section, which is required, to f.
func writeSection(f io.WriterAt, kind format.Kind, fileID format.ID, id format.SectionID, content []byte) error {
	return writeFile(f, kind, fileID, part{id: id, flags: format.SectionRequired, content: content})
}

// writeFile writes a file to f.
func writeFile(f io.WriterAt, kind format.Kind, fileID format.ID, parts ...part) error {
	w := format.NewFileWriter(f, kind, fileID)
	if kind == format.KindManifest {
		w.Reserve(len(parts)) // no room for what few have
	}
	for _, p := range parts {
		w.Begin(p.id, p.flags)
		w.Write(p.content)
		w.Write(p.more)
		w.End()
	}
	_, err := w.Finish() // returns the first error of all calls
	return err
}

// image is a file being written in memory.
type image []byte

func (f *image) WriteAt(p []byte, off int64) (int, error) {
	if grow := int(off) + len(p) - len(*f); grow > 0 {
		*f = append(*f, make([]byte, grow)...)
	}
	return copy((*f)[off:], p), nil
}

// EncodeManifest returns the content of a manifest file of m, for an index elsewhere than in a directory. The files
// that m names are the caller's concern.
func EncodeManifest(m *Manifest) ([]byte, error) {
	if m == nil {
		return nil, fmt.Errorf("%w: no manifest", store.ErrInvalid)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrInvalid, err)
	}
	return encodeManifest(m)
}

// encodeManifest is EncodeManifest of a manifest that was checked.
func encodeManifest(m *Manifest) ([]byte, error) {
	var f image
	parts := []part{{id: format.SectionManifest, flags: format.SectionRequired, content: AppendManifest(nil, m)}}
	if len(m.Ancestry.Sessions) > 0 {
		b, err := m.Ancestry.AppendBinary(nil)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{id: format.SectionAncestry, content: b})
	}
	if len(m.Meta) > 0 {
		parts = append(parts, part{id: format.SectionCommitMeta, content: appendMeta(nil, m.Meta)})
	}
	err := writeFile(&f, format.KindManifest, NewID(), parts...)
	return f, err
}
