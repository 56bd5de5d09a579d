package engine

import (
	"errors"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/segment"
)

// blame looks for the list in which a fault happened that indexdir.CatchFault turned into *err, which
// knows the file at most. r may be nil; it must not be in use by another query.
func (r *execution) blame(err *error) {
	if *err == nil || r == nil || r.Part == nil {
		return
	}
	var e *format.Error
	if !errors.As(*err, &e) || e.List != "" || e.Kind != format.ErrCorrupt {
		return
	}
	for _, l := range r.Lists {
		if l.Term >= len(r.Names) {
			return
		}
		var rows segment.Rows
		damage := indexdir.Guard(func() error {
			list, err := r.Part.Views().Lists().List(l.Entry)
			if err != nil {
				return err
			}
			for rows.Reset(list); rows.Next(); {
			}
			return errors.Join(rows.Err(), list.VerifyChecksum())
		})
		if !errors.Is(damage, format.ErrCorrupt) {
			continue
		}
		p := r.Place(l)
		p.File = r.Part.Seg.Name()
		if l.Entry.Kind == segment.KindExtent {
			p.Section = format.SectionPostings.String()
		}
		*err = format.Locate(damage, p)
		return
	}
}
