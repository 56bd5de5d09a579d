package compat

import (
	"bytes"
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// value returns the value of an impact code (4.5).
func value(c byte) int {
	if c < 32 {
		return int(c)
	}
	return (16 + (int(c)-32)%16) << ((int(c)-32)/16 + 1)
}

// dominates reports whether a pair of the quad bounds the posting (4.4, Quads).
func dominates(quad []byte, tf, dl int) bool {
	for i := 0; i < 8; i += 2 {
		if (quad[i] == 255 || value(quad[i]) >= tf) && value(quad[i+1]) <= dl {
			return true
		}
	}
	return false
}

// checkMaxima checks the maxima of a list and of its blocks (4.4, Weights).
func checkMaxima(list, blocks []byte, l []posting, blockLen int) {
	want := make([]byte, len(blocks))
	most := 0
	for i, x := range l {
		at := i/blockLen*8 + i%blockLen/(blockLen/8)
		want[at] = max(want[at], byte(x.tf))
		most = max(most, x.tf)
	}
	need(bytes.Equal(want, blocks) && u64(list, 0) == uint64(most), "maxima")
}

// extent reads an extent and checks all of its parts (4.4).
func (p *parsed) extent(b []byte, df int) []posting {
	need(u64(b, 0) == xxhash.Sum64(b[8:]) && u32(b, 12) == df, "head of an extent")
	blockLen, flags := 1<<b[18], b[19]
	nb := (df + blockLen - 1) / blockLen
	at := 32
	words := func(n int) []int {
		w := make([]int, n)
		for i := range w {
			w[i] = u32(b, at+4*i)
		}
		at += 4 * n
		return w
	}
	pad := func(to int) {
		for ; at%to != 0; at++ {
			need(b[at] == 0, "padding")
		}
	}
	docEnds, freqEnds, last := words(nb+1), words(nb+1), words(nb)
	pad(8)
	quads := b[at : at+8*nb]
	at += 8 * nb
	var line, buckets, kth []byte
	if flags&1 != 0 {
		line = b[at : at+24]
		at += 24
	}
	if flags&2 != 0 {
		n := 4 + 4*(1<<b[at+1]+1)
		buckets = b[at : at+n]
		at += n
		pad(8)
	}
	if flags&4 != 0 {
		kth = b[at : at+8]
		at += 8
	}
	weights := flags&8 != 0
	need(flags&^15 == 0 && weights == (p.of.kind == 6) && (!weights || kth == nil), "flags")
	pad(16)
	docs := b[at : at+4*docEnds[nb]]
	at += len(docs)
	pad(16)
	freqs := b[at : at+4*freqEnds[nb]]
	at += len(freqs)
	pad(64)
	need(at == len(b), "length of an extent")

	l := make([]posting, 0, df)
	if b[16] > 2 || b[17] > 2 {
		for range df {
			l = append(l, unknown)
		}
		return l
	}
	p.flags |= flags
	prev := -1
	for i := range nb {
		n := min(blockLen, df-i*blockLen)
		gaps := block(int(b[16]), docs[4*docEnds[i]:4*docEnds[i+1]], n)
		tfs := block(int(b[17]), freqs[4*freqEnds[i]:4*freqEnds[i+1]], n)
		for j := range n {
			prev += gaps[j] + 1
			l = append(l, posting{prev, tfs[j] + 1})
			if weights {
				continue
			}
			dl := p.of.lens[prev]
			need(dominates(quads[8*i:], tfs[j]+1, dl) && dominates(b[24:], tfs[j]+1, dl), "quads")
		}
		need(prev == last[i], "last docID of block %d", i)
	}
	if weights {
		checkMaxima(b[24:32], quads, l, blockLen)
	}
	need(l[0].doc == u32(b, 20), "first docID")
	if line != nil {
		checkLine(line, l)
	}
	if buckets != nil {
		p.checkBuckets(buckets, l)
	}
	if kth != nil {
		p.checkKth(kth, l)
	}
	return l
}

// block decodes n values (section 5).
func block(codec int, b []byte, n int) []int {
	values := make([]int, n)
	if codec == 2 { // vbyte128
		at := ((n+3)/4 + 3) / 4 * 4
		for j := range values {
			size := int(b[j/4]>>(2*(j%4)))&3 + 1
			for k := range size {
				values[j] |= int(b[at+k]) << (8 * k)
			}
			at += size
		}
		need((at+3)/4*4 == len(b), "length of a block")
		return values
	}
	v, rows := len(b)/16, (n+3)/4
	if v == 0 {
		return values
	}
	width := min(32, 32*v/rows)
	for i := range values {
		for k := range width {
			bit := i/4*width + k // of the lane
			word := u32(b, 16*(bit/32)+4*(i%4))
			values[i] |= word >> (bit % 32) & 1 << k
		}
	}
	return values
}

// checkLine checks that the deviations of the regression line cover every element.
func checkLine(line []byte, l []posting) {
	inv, base := int(u64(line, 0)), int(u64(line, 8))
	left, right := u32(line, 16), u32(line, 20)
	for i, x := range l {
		est := (x.doc*inv + base) >> 32
		need(est-left <= i && i <= est+right, "position %d is estimated as %d (-%d +%d)", i, est, left, right)
	}
}

// checkBuckets checks the starts of the buckets.
func (p *parsed) checkBuckets(b []byte, l []posting) {
	shift, m := int(b[0]), int(b[1])
	k := bits.Len(uint(p.n))
	need((len(l)+255)/256 <= 1<<m && (m == 0 || (len(l)+255)/256 > 1<<(m-1)) && shift == k-m && u16(b, 2) == 0, "buckets")
	i := 0
	for h := range 1<<m + 1 {
		for i < len(l) && l[i].doc>>shift < h {
			i++
		}
		need(u32(b, 4+4*h) == i, "bucket %d begins at %d, not %d", h, i, u32(b, 4+4*h))
	}
}

// checkKth checks the k-th impacts.
func (p *parsed) checkKth(b []byte, l []posting) {
	need(u16(b, 6) == 0, "reserved")
	for i, k := range []int{10, 100, 1000} {
		tf, dl, n := value(b[2*i]), value(b[2*i+1]), 0
		for _, x := range l {
			if x.tf >= tf && p.of.lens[x.doc] <= dl {
				n++
			}
		}
		need(tf == 0 && b[2*i+1] == 255 || n >= k, "impact %d", k)
	}
}
