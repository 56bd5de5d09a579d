package reader

import (
	"context"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/docset"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/store"
)

// Deletes is the set of deleted documents of one segment, by local docID. A nil
// *Deletes is the empty set. It is immutable.
type Deletes struct {
	docs   docset.Bits
	counts deletedCounts
}

// NewDeletes returns the set of a bitmap, as Bits has it, which must not change any more.
func NewDeletes(bitmap []uint64) *Deletes {
	return &Deletes{docs: *docset.NewBits(docset.FromWords(bitmap))}
}

// Has reports whether doc is deleted.
func (d *Deletes) Has(doc uint32) bool { return d != nil && d.docs.Contains(doc) }

// Count returns how many documents are deleted.
func (d *Deletes) Count() uint32 {
	if d == nil {
		return 0
	}
	return d.docs.Len()
}

// Bits returns the set as a bitmap: document i is bit i%64 of word i/64; words
// past the last deleted document may be missing. It must not be modified.
func (d *Deletes) Bits() []uint64 {
	if d == nil {
		return nil
	}
	return d.docs.Words()
}

// deletesFile is an open deletes file. It is decoded on first use, so that
// opening an index takes the same time however much is deleted.
type deletesFile struct {
	name   string
	info   indexdir.SegmentInfo
	loaded atomic.Pointer[Deletes]

	mu   sync.Mutex
	data store.Data // nil once decoded or closed
}

// openDeletes opens the file now, while it certainly exists. Of its content it reads only the
// header, for the key.
func (x *Index) openDeletes(c *indexdir.Commit, i int) (*handle, error) {
	info := c.Segments[i]
	name := indexdir.DeletesName(info.DeletesFile)
	data, err := x.dir.OpenFile(name)
	if err != nil {
		return nil, err
	}
	h := &handle{key: fileKey{num: info.DeletesFile, segment: info.ID, own: info.DeletesID}}
	if err := readHead(&h.key.head, data); err != nil {
		data.Close()
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	h.deletes.name, h.deletes.info, h.deletes.data = name, info, data
	return h, nil
}

// readHead reads the header of a file, or all of a file that is too short to have one.
func readHead(head *[format.HeaderSize]byte, data store.Data) (err error) {
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	b, err := data.Range(0, min(format.HeaderSize, data.Size()))
	copy(head[:], b)
	return err
}

// load returns the set. Its reads end with ctx unless that is nil.
func (f *deletesFile) load(ctx context.Context) (d *Deletes, err error) {
	if d := f.loaded.Load(); d != nil {
		return d, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	defer indexdir.CatchFault(indexdir.ArmFault(), &err)
	if d := f.loaded.Load(); d != nil {
		return d, nil
	}
	if f.data == nil {
		return nil, &fs.PathError{Op: "read", Path: f.name, Err: ErrClosed}
	}
	bm, err := readAgain(ctx, f.data, func(d store.Data) (*docset.Bits, error) {
		return indexdir.ReadDeletes(f.name, d, &f.info)
	})
	if err != nil {
		return nil, err
	}
	d = &Deletes{docs: *bm}
	f.loaded.Store(d)
	f.data.Close()
	f.data = nil
	return d, nil
}

func (f *deletesFile) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.data == nil {
		return nil
	}
	d := f.data
	f.data = nil
	return d.Close()
}
