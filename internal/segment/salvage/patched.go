package salvage

import (
	"maps"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// patched is a file with some of its bytes replaced.
type patched struct {
	d     segment.Data
	size  int64
	pages map[int64][]byte       // those with replaced bytes, by number, each PageSize bytes
	whole atomic.Pointer[[]byte] // the file, once a range had to be copied; nil again after a change
	err   error                  // the first of reading a page of which some bytes are replaced
}

// Size returns the length of the file, which may be more than is there.
func (p *patched) Size() int64 { return p.size }

// wholeSize is up to which size a file is copied whole, once, rather than range after range.
const wholeSize = 1 << 20

// Range implements segment.Data. It copies if one of several pages is replaced.
func (p *patched) Range(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > p.size-n {
		return nil, format.Corrupt("range of %d bytes at %d leaves the file", n, off)
	}
	if !p.touches(off, off+n) || off/format.PageSize == (off+n-1)/format.PageSize {
		return p.piece(off, n)
	}
	whole := p.whole.Load()
	if whole == nil && p.size <= wholeSize && p.complete() {
		all, err := p.copy(0, p.size)
		if err != nil {
			return nil, err
		}
		whole = &all
		p.whole.Store(whole)
	}
	if whole == nil {
		return p.copy(off, n)
	}
	return (*whole)[off : off+n : off+n], nil
}

// complete reports whether no page of the file is missing.
func (p *patched) complete() bool {
	for page := p.d.Size() / format.PageSize; page*format.PageSize < p.size; page++ {
		if p.pages[page] == nil && p.d.Size() < min(p.size, (page+1)*format.PageSize) {
			return false
		}
	}
	return true
}

// copy is Range that copies.
func (p *patched) copy(off, n int64) ([]byte, error) {
	out := format.AlignedBytes(int(n))
	for at := off; at < off+n; {
		b, err := p.piece(at, off+n-at)
		if err != nil {
			return nil, err
		}
		copy(out[at-off:], b)
		at += int64(len(b))
	}
	return out, nil
}

// piece is Range without a copy: it may return fewer bytes than n, up to the end of a page.
func (p *patched) piece(off, n int64) ([]byte, error) {
	if !p.touches(off, off+n) {
		return p.original(off, n)
	}
	at := off % format.PageSize
	n = min(n, format.PageSize-at)
	if b := p.pages[off/format.PageSize]; b != nil {
		return b[at : at+n], nil
	}
	return p.original(off, n)
}

// put replaces the bytes at off. Bytes beside them that the file lacks are zeros from then
// on.
func (p *patched) put(off int64, b []byte) {
	p.whole.Store(nil)
	for len(b) > 0 {
		page := off / format.PageSize
		was := p.pages[page]
		if was == nil {
			was = p.page(page)
		}
		now := format.AlignedBytes(format.PageSize)
		copy(now, was)
		n := copy(now[off%format.PageSize:], b)
		p.pages[page] = now
		off, b = off+int64(n), b[n:]
	}
}

// page returns as much of a page as the file has.
func (p *patched) page(page int64) []byte {
	off := page * format.PageSize
	n := min(format.PageSize, p.d.Size()-off)
	if n <= 0 {
		return nil
	}
	b, err := p.d.Range(off, n)
	if err != nil && p.err == nil {
		p.err = err
	}
	return b
}

// fill makes what the file lacks of the page in which it ends zeros, so that sections can be read that are whole
// and share the page with others.
func (p *patched) fill() {
	have := p.d.Size()
	if end := min(p.size, (have+format.PageSize-1)&^(format.PageSize-1)); have < end {
		p.put(have, make([]byte, end-have))
	}
}

// clear undoes all that put did.
func (p *patched) clear() {
	p.pages = map[int64][]byte{}
	p.whole.Store(nil)
}

// save returns a function that undoes what put does until then.
func (p *patched) save() (undo func()) {
	was := maps.Clone(p.pages)
	return func() {
		p.pages = was
		p.whole.Store(nil)
	}
}

// original is Range of the file as it is.
func (p *patched) original(off, n int64) ([]byte, error) {
	if have := p.d.Size(); off > have-n {
		e := format.Corrupt("the file ends at %d", have)
		e.Offset = off
		return nil, e
	}
	return p.d.Range(off, n)
}

// touches reports whether one of the bytes from lo to hi is in a page with replaced bytes.
func (p *patched) touches(lo, hi int64) bool {
	first, end := lo/format.PageSize, (hi+format.PageSize-1)/format.PageSize
	if int64(len(p.pages)) < end-first {
		for page := range p.pages {
			if page >= first && page < end {
				return true
			}
		}
		return false
	}
	for ; first < end; first++ {
		if p.pages[first] != nil {
			return true
		}
	}
	return false
}
