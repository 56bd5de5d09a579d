package reader

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/pinion-index/pinion/internal/indexdir"
)

// Join returns a Snapshot of several indexes as one: the segments of the first, then those of the
// second, and so on. Documents are numbered on from index to index, and statistics are those of all
// of them, so that queries have the scores, order and counts that they have in the index that a
// merge of all makes. The ids are taken as disjoint: documents of the same id in several indexes all
// count, and FindID finds one in the last of them.
//
// The snapshots may be closed before the result. Its Generation is 0, and its CommitID that of their
// commits together, empty if one is uncommitted.
//
// The error matches fs.ErrInvalid if there are no snapshots, the indexes differ in what their schemas say, ids of fields included
// but not k1, b and weights, of which the first's count, or have too many documents together; and
// ErrClosed if a snapshot is closed.
func Join(snapshots ...*Snapshot) (*Snapshot, error) {
	if len(snapshots) == 0 || slices.Contains(snapshots, nil) {
		return nil, fmt.Errorf("join indexes: %w: no snapshot", fs.ErrInvalid)
	}
	if len(snapshots) == 1 {
		return snapshots[0].Retain()
	}
	v := &view{users: 1}
	for _, s := range snapshots {
		if err := v.join(s); err != nil {
			for _, part := range v.parts {
				_ = part.release() // the Snapshot it is of is still open, or ends with this error
			}
			return nil, fmt.Errorf("join indexes: %w", err)
		}
	}
	names := make([]string, len(v.parts))
	commits := make([]*indexdir.Commit, len(v.parts))
	for i, part := range v.parts {
		names[i], commits[i] = part.index.String(), part.commit
	}
	v.index = &Index{opts: Options{Leaked: v.parts[0].index.opts.Leaked}, joined: strings.Join(names, ", ")}
	v.commit, v.schema = indexdir.JoinCommits(commits), v.parts[0].schema
	v.id = v.commit.ID().Bytes()
	return newSnapshot(v), nil
}

// join adds the segments of s to v, and its view to the parts of v.
func (v *view) join(s *Snapshot) error {
	if err := livesOf(s).acquire(); err != nil {
		return err
	}
	defer livesOf(s).release()
	part := s.view
	if len(v.parts) > 0 {
		if err := v.parts[0].joins(part); err != nil {
			return err
		}
	}
	if n := v.stats.Docs + part.stats.Docs; n > indexdir.MaxDocs {
		return fmt.Errorf("%w: %d documents with those of %s; at most %d are possible", fs.ErrInvalid, n, part.index, indexdir.MaxDocs)
	}
	for i := range part.segments {
		seg := part.segments[i]
		seg.ord, seg.base = len(v.segments), uint32(v.stats.Docs)
		v.segments = append(v.segments, seg)
		v.stats.add(&seg)
	}
	part.index.mu.Lock()
	part.users++
	part.index.mu.Unlock()
	v.parts = append(v.parts, part)
	return nil
}

// Joins returns nil if Join can join o with s: their schemas say the same.
func (s *Snapshot) Joins(o *Snapshot) error {
	if err := s.Err(); err != nil {
		return err
	}
	if o == nil {
		return fmt.Errorf("%w: no snapshot", fs.ErrInvalid)
	}
	if err := o.Err(); err != nil {
		return err
	}
	return s.view.joins(o.view)
}

func (v *view) joins(o *view) error {
	err := v.schema.Extends(o.schema)
	if err == nil {
		err = o.schema.Extends(v.schema)
	}
	if err != nil {
		return fmt.Errorf("%w: %s and %s: %w", fs.ErrInvalid, v.index, o.index, err)
	}
	return nil
}
