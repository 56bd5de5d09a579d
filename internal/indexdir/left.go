package indexdir

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/segment"
	"github.com/pinion-index/pinion/store"
)

// Left is what is left of a segment that cannot be mended.
type Left struct {
	// Dir is an index of one segment without deletes that holds it.
	Dir *Dir
	// Docs are the docIDs that the documents of Dir had in the damaged segment, in ascending order.
	Docs []uint32
}

// leftState is the Left of a file.
type leftState struct {
	Left
	file  string    // in Dir
	id    format.ID // of the damaged segment
	docs  uint32    // of it, those lost too
	mends []format.Mend
	notes []Dropped // of values that were changed in place
	read  ReadLeft
	inv   *Inventory // that f is in
}

// ReadLeft reads what is left of a damaged segment, given twice as salvage.New takes it, without the
// documents for which deleted returns true. It returns nil if nothing is left. What it returns must
// not change, and stay open for as long as the inventory is used. Dir.Repair must be able to call it again.
type ReadLeft func(name string, s, plain *segment.Segment, deleted func(doc uint32) bool) (*Left, error)

// Salvage lets Rebuild take what is left of the damaged segments of inv that cannot be mended.
// It calls read for each of them whose sections the Mender of inv can find, and Rebuild calls it once more for
// those of which some documents are not to enter.
func (d *Dir) Salvage(ctx context.Context, inv *Inventory, read ReadLeft) error {
	if err := d.err("read"); err != nil {
		return err
	}
	if inv == nil || read == nil {
		return fmt.Errorf("%w: no inventory, or nothing that reads", store.ErrInvalid)
	}
	ctx = orBackground(ctx)
	for i := range inv.Files {
		f := &inv.Files[i]
		if f.Kind != format.KindSegment || f.Err == nil || len(f.Mends) > 0 || f.mend == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.salvage(d, inv, read, &docset.Bits{}); isDamage(err) {
			f.Err = err
		} else if err != nil {
			return err
		}
	}
	return nil
}

// salvage sets what is left of f, with the values that were changed in place, without some documents.
func (f *FileState) salvage(d *Dir, inv *Inventory, read ReadLeft, deleted *docset.Bits) (err error) {
	defer CatchFault(ArmFault(), &err)
	data, err := d.OpenFile(f.Name)
	if err != nil {
		return err
	}
	defer data.Close()
	m, err := f.mend(f.Name, data, f.known)
	if err != nil {
		return cmp.Or(notDamage(err), f.Err)
	}
	s, err := m.Open()
	if err != nil {
		return cmp.Or(notDamage(err), f.Err)
	}
	plain, err := m.Open()
	if err != nil {
		return err
	}
	plain.Raw().SkipPageChecks()
	_, v, notes, err := inv.valuesFor(d, f.Name, s.Header().ID, s)
	if err != nil {
		return err
	}
	s, plain = changed(s, v), changed(plain, v)
	l, err := read(f.Name, s, plain, deleted.Contains)
	if err != nil || l == nil {
		return err
	}
	return f.setLeft(&leftState{Left: *l, inv: inv, id: s.Header().ID, docs: s.Meta().Docs, mends: m.Mends, notes: notes, read: read})
}

// notDamage returns err unless it is damage.
func notDamage(err error) error {
	if isDamage(err) {
		return nil
	}
	return err
}

// setLeft makes f what is left of it.
func (f *FileState) setLeft(l *leftState) error {
	c, err := l.Dir.Latest()
	if err != nil {
		return err
	}
	defer c.Release()
	n := len(l.Docs)
	if n == 0 || !slices.IsSorted(l.Docs) || l.Docs[n-1] >= l.docs || len(c.Segments) != 1 || int(c.Segments[0].Docs) != n || c.Segments[0].Deleted > 0 {
		return fmt.Errorf("%w: %s is not what is left of %s", store.ErrInvalid, l.Dir, f.Name)
	}
	s, data, err := c.OpenSegment(0)
	if err != nil {
		return err
	}
	defer data.Close()
	l.file = SegmentName(c.Segments[0].File)
	f.describe(s)
	f.left = l
	return nil
}

// deletes returns which documents of l those of the damaged segment are.
func (l *leftState) deletes(docs *docset.Bits) *docset.Bits {
	out := &docset.Bits{}
	for i, doc := range l.Docs {
		if docs.Contains(doc) {
			out.Add(uint32(i))
		}
	}
	return out
}

// purge returns what is left of the segment of c without the documents that are deleted in it. It is
// written without them, so that it holds nothing else even if a crash comes between its file and the commit.
func (c *candidate) purge(d *Dir) (info SegmentInfo, err error) {
	f, was := c.file, &docset.Bits{}
	for doc := range c.deletes.All() {
		was.Add(f.left.Docs[doc])
	}
	if err := f.salvage(d, f.left.inv, f.left.read, was); err != nil {
		return info, err
	}
	s, data, err := f.open(d)
	if err != nil {
		return info, err
	}
	defer data.Close()
	return f.info(s), nil
}

// lossNotes says why only a part of f is left, and what is mended of it.
func (f *FileState) lossNotes() []Dropped {
	notes := []Dropped{{f.Name, fmt.Sprintf("%d of %d documents can be read: %v", len(f.left.Docs), f.left.docs, f.Err)}}
	for _, m := range f.left.mends {
		notes = append(notes, Dropped{f.Name, m.String()})
	}
	return append(notes, f.left.notes...)
}
