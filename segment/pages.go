package segment

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
)

// pages compares the pages of a segment's sections with PAGESUMS on first touch, and
// remembers which it found good. A page that is damaged fails every touch. Of Data that caches what it
// reads every touch is the first one: it may have read the page anew.
type pages struct {
	format.Pages
	sums   section
	mem    []byte                   // the file if it is mapped, or nil
	good   []atomic.Uint64          // a bit for each page of the file; nil if nothing is checked
	anew   bool                     // no page is remembered
	groups []atomic.Pointer[[]byte] // groups of sums that were found good
	held   *sync.Map                // by holding: whether the checksum of a section holds
}

// isGood reports whether the bytes from lo to hi of the file lie in one page, which was
// found good.
func (p *pages) isGood(lo, hi int64) bool {
	a := uint64(lo) / format.PageSize
	return a == uint64(hi-1)/format.PageSize && a/64 < uint64(len(p.good)) && p.good[a/64].Load()>>(a%64)&1 != 0
}

// unchecked returns the first of the pages from page up to end that was not found good, or
// end if there is none.
func (p *pages) unchecked(page, end int64) int64 {
	if p.good == nil {
		return end
	}
	if p.anew {
		return page
	}
	for page < end {
		run := bits.TrailingZeros64(^(p.good[page/64].Load() >> (page % 64)))
		if run == 0 {
			return page
		}
		page += int64(run) // at most to the end of the word
	}
	return end
}
