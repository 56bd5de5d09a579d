package static

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/pinion-index/pinion/adapters/static/answer"
	_ "github.com/pinion-index/pinion/analysis/languages"
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// index is the files of an index of one segment, as the same pages give them always.
type index struct {
	id                format.ID // of the content
	segment, manifest []byte
}

// buildIndex builds the index of pages of a language.
func buildIndex(ctx context.Context, language string, pages []webPage) (x *index, sections int, err error) {
	dir, err := os.MkdirTemp("", "pinion-static-")
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	sections, err = write(ctx, dir, language, pages)
	if err != nil {
		return nil, 0, err
	}
	x, err = identify(dir)
	return x, sections, err
}

// write writes an index of one segment to dir.
func write(ctx context.Context, dir, language string, pages []webPage) (sections int, err error) {
	w, err := writer.Open(ctx, dir, writer.Options{Schema: answer.Schema(language), MergePolicy: writer.NoMerges})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	fields := w.Schema()
	title, heading, text, number := fields.Number(answer.Title), fields.Number(answer.Heading), fields.Number(answer.Text), fields.Number(answer.Page)
	for n, p := range pages {
		for _, s := range p.Sections {
			id := p.url
			if s.Anchor != "" {
				id += "#" + (&url.URL{Fragment: s.Anchor}).EscapedFragment()
			}
			values := []schema.Value{schema.TextValue(title, []byte(p.Title)), schema.TextValue(text, []byte(s.Text)), schema.IntegerValue(number, int64(n))}
			if s.Heading != "" {
				values = append(values, schema.TextValue(heading, []byte(s.Heading)))
			}
			if err := w.Add(ctx, writer.Doc{ID: []byte(id), Values: values}); err != nil {
				return 0, fmt.Errorf("%s: %w", p.path, err)
			}
			sections++
		}
	}
	if err := w.Commit(ctx); err != nil {
		return 0, err
	}
	_, err = w.Merge(ctx, writer.MergeOptions{})
	return sections, err
}

// identify returns the index of one segment in dir with ids and numbers that its content alone determines, where those of a
// directory are random, so that no name means two files.
func identify(dir string) (*index, error) {
	d, err := indexdir.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	commit, err := d.Latest()
	if err != nil {
		return nil, err
	}
	m := commit.Manifest.Clone()
	commit.Release()
	if len(m.Segments) != 1 {
		return nil, fmt.Errorf("an index of %d segments was merged to one", len(m.Segments))
	}
	info := &m.Segments[0]
	b, err := os.ReadFile(filepath.Join(dir, indexdir.SegmentName(info.File)))
	if err != nil {
		return nil, err
	}
	x := &index{}
	h, err := format.ParseFile(indexdir.SegmentName(answer.File), b)
	if err != nil {
		return nil, err
	}
	x.id = contentID(h)
	var segment image
	w := format.NewFileWriter(&segment, format.KindSegment, x.id)
	w.SetVersion(h.Version)
	for _, s := range h.Sections {
		if s.ID == format.SectionPageSums {
			continue // w makes them
		}
		w.Begin(s.ID, s.Flags)
		w.Write(b[s.Offset : s.Offset+s.Length])
		w.End()
	}
	made, err := w.Finish() // returns the first error of all calls
	if err != nil {
		return nil, err
	}
	x.segment = segment
	m.Generation, m.NextFile = answer.Generation, answer.File+1
	info.File, info.ID, info.FileLen, info.Tail = answer.File, x.id, made.FileLen, made.Tail()
	var manifest image
	w = format.NewFileWriter(&manifest, format.KindManifest, x.id)
	w.Begin(format.SectionManifest, format.SectionRequired)
	w.Write(indexdir.AppendManifest(nil, m))
	w.End()
	_, err = w.Finish()
	x.manifest = manifest
	return x, err
}

// contentID returns an id of what the sections of a file hold.
func contentID(h *format.Header) (id format.ID) {
	sum := sha256.New()
	for _, s := range h.Sections {
		binary.Write(sum, binary.LittleEndian, []uint64{uint64(s.ID), uint64(s.Length), s.Checksum}) // a hash takes all
	}
	copy(id[:], sum.Sum(nil))
	return id
}

// image is a file in memory.
type image []byte

// WriteAt implements io.WriterAt.
func (f *image) WriteAt(p []byte, off int64) (int, error) {
	if grow := int(off) + len(p) - len(*f); grow > 0 {
		*f = append(*f, make([]byte, grow)...)
	}
	return copy((*f)[off:], p), nil
}
