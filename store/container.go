package store

import (
	"crypto/rand"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
)

// NewID returns a random file id.
func NewID() format.ID {
	var id format.ID
	rand.Read(id[:]) // never fails
	return id
}

// readSection reads the only section of a small file and verifies its checksum.
// name is for errors.
func readSection(name string, d Data, kind format.Kind, id format.SectionID) (*format.Header, []byte, int64, error) {
	page, err := d.Range(0, min(format.PageSize, d.Size()))
	if err != nil {
		return nil, nil, 0, err
	}
	foot, err := d.Range(max(0, d.Size()-format.FooterSize), min(format.FooterSize, d.Size()))
	if err != nil {
		return nil, nil, 0, err
	}
	h, err := format.ParseHeader(name, d.Size(), page, foot)
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
	if xxhash.Sum64(b) != s.Checksum {
		e := format.Corrupt("section checksum does not match")
		e.Offset = s.Offset
		return nil, nil, 0, format.Locate(e, place)
	}
	for _, x := range b[s.Length:] {
		if x != 0 {
			e := format.Corrupt("padding is not zero")
			e.Offset = s.Offset + s.Length
			return nil, nil, 0, format.Locate(e, place)
		}
	}
	return h, b[:s.Length], s.Offset, nil
}

// writeSection writes a file with one section to f.
func writeSection(f File, kind format.Kind, fileID format.ID, id format.SectionID, content []byte) error {
	w := format.NewFileWriter(f, kind, fileID)
	w.Begin(id, format.SectionRequired)
	w.Write(content)
	w.End()
	_, err := w.Finish() // returns the first error of all calls
	return err
}
