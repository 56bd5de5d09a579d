package idxinspect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/internal/segment/salvage"
	"github.com/pinion-index/pinion/internal/tools/remains"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/writer"
)

// leftovers holds what is left of damaged segments, each in an index of its own in a temporary folder.
type leftovers struct {
	threads int
	folder  string // "" before the first
	dirs    []*indexdir.Dir
	losses  []remains.Loss
	notes   []RepairNotes // why segments are not read
}

// close removes the folder.
func (l *leftovers) close() (err error) {
	for _, d := range l.dirs {
		err = errors.Join(err, d.Close())
	}
	if l.folder != "" {
		err = errors.Join(err, os.RemoveAll(l.folder))
	}
	return err
}

// read is a indexdir.ReadLeft.
func (l *leftovers) read(ctx context.Context, name string, s, plain *segment.Segment, deleted func(uint32) bool) (left *indexdir.Left, err error) {
	o := writer.Options{Schema: s.Schema(), MergePolicy: writer.NoMerges}
	if err := cut(o.Schema); err != nil { // this program lacks the analyzer
		l.notes = append(l.notes, RepairNotes{name, "what is left of it is not read: " + err.Error()})
		return nil, nil
	}
	if l.folder == "" {
		if l.folder, err = os.MkdirTemp("", "pinion-repair-"); err != nil {
			return nil, err
		}
	}
	o.Threads = l.threads
	dir := filepath.Join(l.folder, fmt.Sprint(len(l.dirs)))
	w, err := writer.Open(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	left = &indexdir.Left{}
	x := salvage.New(s, plain, func(doc uint32) bool { // asked for each document whose id can be read
		if deleted(doc) {
			return true
		}
		left.Docs = append(left.Docs, doc)
		return false
	})
	got, err := remains.Add(ctx, w, x, s, o.Schema)
	if err == nil && got.Docs > 0 {
		err = w.Commit(ctx)
	}
	if err = errors.Join(err, w.Close()); err != nil || got.Docs == 0 {
		return nil, err
	}
	if left.Dir, err = indexdir.Open(dir); err != nil {
		return nil, err
	}
	l.dirs = append(l.dirs, left.Dir)
	// A segment may be read again.
	l.losses = slices.DeleteFunc(l.losses, func(x remains.Loss) bool { return x.File == name })
	l.losses = append(l.losses, got.Losses...)
	return left, nil
}

// cut returns an error unless this program has the analyzers of a schema.
func cut(s *schema.Schema) error {
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Kind == schema.Text {
			if _, err := analysis.New(f.Analysis()); err != nil {
				return err
			}
		}
	}
	return nil
}

// of returns what is lost of the files that are not among those dropped.
func (l *leftovers) of(dropped []indexdir.Dropped) []remains.Loss {
	gone := map[string]bool{}
	for _, d := range dropped {
		gone[d.File] = true
	}
	out := []remains.Loss{}
	for _, x := range l.losses {
		if !gone[x.File] {
			out = append(out, x)
		}
	}
	return out
}
