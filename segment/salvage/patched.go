package salvage

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/segment"
)

// patched is a file with some of its pages replaced.
type patched struct {
	d     segment.Data
	size  int64
	pages map[int64][]byte // by number; the footer is the last one, and short
}

// Size returns the length of the file, which may be more than is there.
func (p *patched) Size() int64 { return p.size }

// Range implements segment.Data. It copies if a page is replaced.
func (p *patched) Range(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > p.size-n {
		return nil, format.Corrupt("range of %d bytes at %d leaves the file", n, off)
	}
	if !p.touches(off, off+n) {
		return p.original(off, n)
	}
	out := format.AlignedBytes(int(n))
	for at := off; at < off+n; {
		page := at / format.PageSize
		end := min((page+1)*format.PageSize, off+n)
		b, ok := p.pages[page]
		if ok {
			b = b[at-page*format.PageSize:]
		} else {
			var err error
			if b, err = p.original(at, end-at); err != nil {
				return nil, err
			}
		}
		copy(out[at-off:end-off], b)
		at = end
	}
	return out, nil
}

// piece is Range of whole pages, without a copy: it may return fewer bytes than n, but at
// least a page.
func (p *patched) piece(off, n int64) ([]byte, error) {
	if !p.touches(off, off+n) {
		return p.original(off, n)
	}
	if b := p.pages[off/format.PageSize]; b != nil {
		return b, nil
	}
	return p.original(off, format.PageSize)
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

// touches reports whether one of the bytes from lo to hi is in a replaced page.
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
