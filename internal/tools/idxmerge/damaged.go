package idxmerge

import (
	"errors"
	"fmt"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
	"github.com/pinion-index/pinion/writer"
)

// damaged is an index to be salvaged, with the files of a commit open.
type damaged struct {
	dir    *indexdir.Dir
	commit *indexdir.Commit
	parts  []part
}

// part is a segment of a damaged index.
type part struct {
	info    *indexdir.SegmentInfo
	seg     *segment.Segment
	data    store.Data
	mended  *salvage.Mended // of data
	err     error           // why the segment does not open
	deletes *docset.Bits

	deletesMends []format.Mend
	deletesErr   error

	values      *segment.Changes // that were changed in place, or nil
	valuesErr   error
	valuesMends []format.Mend
}

// openDamaged opens the newest commits of the indexes in the directories sources, which must
// have the same analyzer, or schemas of which the first extends the others. The caller closes what it returns, with an error too.
func openDamaged(sources []string) (opened []*damaged, err error) {
	for _, src := range sources {
		s := &damaged{}
		opened = append(opened, s)
		if s.dir, err = indexdir.Open(src); err != nil {
			return opened, cli.Opening(err)
		}
		if s.commit, err = s.dir.OpenLatest(s.open); err != nil {
			return opened, cli.Opening(err)
		}
		if err := cli.Committed(src, s.commit.Manifest); err != nil {
			return opened, err
		}
		a, b := opened[0].commit, s.commit
		if aName, aOptions := a.Analyzer(); a.Schema.IsImplicit() && b.Schema.IsImplicit() {
			if bName, bOptions := b.Analyzer(); aName != bName || aOptions != bOptions {
				return opened, differ(sources[0], aName, aOptions, src, bName, bOptions)
			}
		} else if err := a.Schema.Extends(b.Schema); err != nil {
			return opened, fmt.Errorf("%s and %s: %w", sources[0], src, err)
		}
	}
	return opened, nil
}

// differ returns the error for two indexes of different analyzers.
func differ(a, name, options, b, otherName, otherOptions string) error {
	return fmt.Errorf("%w: %s was made with %s(%s), %s with %s(%s)", writer.ErrAnalyzer, a, name, options, b, otherName, otherOptions)
}

// open opens the files of a commit. One that does not open is lost, unless a newer commit
// may have removed it.
func (s *damaged) open(c *indexdir.Commit) error {
	s.closeParts()
	for i := range c.Segments {
		p := part{info: &c.Segments[i]}
		p.err = p.open(s.dir, c.Manifest)
		if p.deletes, p.deletesErr = c.Deletes(i); errors.Is(p.deletesErr, format.ErrCorrupt) {
			if bm, mends, err := c.MendDeletes(i); err == nil {
				p.deletes, p.deletesMends, p.deletesErr = bm, mends, nil
			}
		}
		if p.err == nil {
			if p.values, p.valuesErr = c.Values(i, p.seg); errors.Is(p.valuesErr, format.ErrCorrupt) {
				if v, mends, err := c.MendValues(i, p.seg); err == nil {
					p.values, p.valuesMends, p.valuesErr = v, mends, nil
				}
			}
		}
		s.parts = append(s.parts, p)
		for _, err := range []error{p.err, p.deletesErr, p.valuesErr} {
			if err := cli.Overtaken(s.dir, c, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// open opens the file of a segment of m, and mends it.
func (p *part) open(d *indexdir.Dir, m *indexdir.Manifest) (err error) {
	name := indexdir.SegmentName(p.info.File)
	if p.data, err = d.OpenFile(name); err != nil {
		return err
	}
	err = indexdir.Guard(func() (err error) {
		known := salvage.Known{ID: p.info.ID, Postings: p.info.Postings, Tokens: p.info.Tokens}
		known.Analyzer, known.AnalyzerOptions = m.Analyzer()
		if !m.Schema.IsImplicit() {
			known.Schemas = [][]schema.Field{m.Schema.Fields}
		}
		p.mended, err = salvage.Mend(name, p.data, known)
		if err == nil {
			p.seg, err = p.mended.Open()
		}
		return err
	})
	if err == nil && (p.seg.Header().ID != p.info.ID || p.seg.Meta().Docs != p.info.Docs) {
		err = format.Corrupt("%d documents of a segment with id %x; the manifest says %d and %x",
			p.seg.Meta().Docs, p.seg.Header().ID, p.info.Docs, p.info.ID)
	}
	if err != nil {
		p.data.Close()
	}
	return format.Locate(err, format.Place{File: name, Block: format.NoBlock})
}

// stored reports whether a segment that opens has stored text.
func (s *damaged) stored() bool {
	for _, p := range s.parts {
		if p.err == nil && p.seg.Meta().Stored {
			return true
		}
	}
	return false
}

func (s *damaged) closeParts() {
	for _, p := range s.parts {
		if p.err == nil {
			p.data.Close()
		}
	}
	s.parts = nil
}

func (s *damaged) close() {
	s.closeParts()
	if s.commit != nil {
		s.commit.Release()
	}
	if s.dir != nil {
		s.dir.Close()
	}
}
