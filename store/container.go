package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
)

// NewID returns a random file id. It need not be hard to guess, only another one each time:
// crypto/rand would add a quarter of a megabyte to every program.
func NewID() format.ID {
	var id format.ID
	binary.LittleEndian.PutUint64(id[:8], rand.Uint64())
	binary.LittleEndian.PutUint64(id[8:], rand.Uint64())
	return id
}

// readHeader reads front and footer of a file. name is for errors.
func readHeader(name string, d Data) (*format.Header, error) {
	page, err := d.Range(0, min(format.PageSize, d.Size()))
	if err != nil {
		return nil, err
	}
	foot, err := d.Range(max(0, d.Size()-format.FooterSize), min(format.FooterSize, d.Size()))
	if err != nil {
		return nil, err
	}
	return format.ParseHeader(name, d.Size(), page, foot)
}

// readSection returns a copy of the only section of a small file, after verifying its
// checksum. name is for errors.
func readSection(name string, d Data, kind format.Kind, id format.SectionID) (*format.Header, []byte, int64, error) {
	h, err := readHeader(name, d)
	if err != nil {
		return nil, nil, 0, err
	}
	place := format.Place{File: name, Section: id.String(), Block: format.NoBlock}
	if h.Kind != kind {
		return nil, nil, 0, format.Locate(format.Corrupt("this is a %s file, not a %s file", h.Kind, kind), place)
	}
	s, ok := h.Section(id)
	if !ok {
		return nil, nil, 0, format.Locate(format.Corrupt("the section is missing"), place)
	}
	b, err := d.Range(s.Offset, s.PaddedLength())
	if err != nil {
		return nil, nil, 0, format.Locate(err, place)
	}
	b = bytes.Clone(b) // a file that changes must not do so between here and its use
	if xxhash.Sum64(b) != s.Checksum {
		e := format.Corrupt("section checksum does not match")
		e.Offset = s.Offset
		return nil, nil, 0, format.Locate(e, place)
	}
	if format.NonZero(b[s.Length:]) >= 0 {
		e := format.Corrupt("padding is not zero")
		e.Offset = s.Offset + s.Length
		return nil, nil, 0, format.Locate(e, place)
	}
	return h, b[:s.Length], s.Offset, nil
}

// writeSection writes a file with one section to f.
func writeSection(f io.WriterAt, kind format.Kind, fileID format.ID, id format.SectionID, content []byte) error {
	return writeVersion(f, format.Current(), kind, fileID, id, content)
}

// writeVersion is writeSection for a file of a version.
func writeVersion(f io.WriterAt, v format.Version, kind format.Kind, fileID format.ID, id format.SectionID, content []byte) error {
	w := format.NewFileWriter(f, kind, fileID)
	w.SetVersion(v)
	w.Begin(id, format.SectionRequired)
	w.Write(content)
	w.End()
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
		return nil, fmt.Errorf("%w: no manifest", ErrInvalid)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return encodeManifest(m)
}

// encodeManifest is EncodeManifest of a manifest that was checked.
func encodeManifest(m *Manifest) ([]byte, error) {
	var f image
	err := writeVersion(&f, m.written(), format.KindManifest, NewID(), format.SectionManifest, AppendManifest(nil, m))
	return f, err
}
