package check

import (
	"slices"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/format/codec"
	"github.com/pinion-index/pinion/segment"
)

// checkReserved checks reserved bytes, padding and the bounds of a list of a segment of docs
// documents.
func checkReserved(l *segment.List, docs uint32) string {
	end := int64(0) // of the part before
	for _, p := range l.Layout() {
		b := l.Extent()[p.Offset : p.Offset+p.Length]
		if nonZero(l.Extent()[end:p.Offset]) >= 0 {
			return "padding before " + p.Name + " is not zero"
		}
		end = p.Offset + p.Length
		switch p.Name {
		case "padding":
			if nonZero(b) >= 0 {
				return "padding is not zero"
			}
		case "hash-buckets":
			if b[2] != 0 || b[3] != 0 {
				return "reserved bytes of the hash buckets are set"
			}
			if st := l.Hash.Start; st[0] != 0 || st[len(st)-1] != uint32(l.N) {
				return "hash buckets do not span the list"
			}
			if int((docs-1)>>l.Hash.Shift) >= len(l.Hash.Start)-1 {
				return "hash buckets do not span the documents"
			}
		case "kth-impacts":
			if b[6] != 0 || b[7] != 0 {
				return "reserved bytes of the k-th impacts are set"
			}
			for _, k := range l.Kth {
				if k.TF == 0 && k != format.NoKth {
					return "a k-th impact of no frequency has a length"
				}
			}
		}
	}
	if !l.Quad.Valid() {
		return "pairs of the list's quad are not in order"
	}
	if alone(l.DocsCodec) && l.Docs.Ends[0] != 0 || alone(l.FreqsCodec) && l.Freqs.Ends[0] != 0 {
		return "codec without a list header has one"
	}
	return ""
}

// alone reports whether the blocks of a codec stand alone.
func alone(c codec.Codec) bool {
	_, ok := c.(codec.BlockCodec)
	return ok
}

// nonZero returns the index of the first byte of b that is not zero, or -1.
func nonZero(b []byte) int { return slices.IndexFunc(b, func(c byte) bool { return c != 0 }) }

// extent decodes the extent of v.list and compares every posting with the extent's
// metadata.
func (v *listVerifier) extent() error {
	l := &v.list
	prev := codec.NoDoc
	whole := boundsOf(l.Quad)
	var kth [3]int
	bucket, seen := 0, 0
	for v.rows.Reset(l); v.rows.Next(); {
		docs, freqs := v.rows.Docs, v.rows.Freqs
		if len(v.dls) < len(docs) {
			v.dls = make([]uint32, max(len(docs), segment.RowPostings))
		}
		dls := v.dls[:len(docs)]
		v.lens.GatherLengths(dls, docs)
		for at := 0; at < len(docs); at += l.BlockLen {
			b, end := v.rows.Block+at/l.BlockLen, min(at+l.BlockLen, len(docs))
			docs, freqs, dls := docs[at:end], freqs[at:end], dls[at:end]
			n := len(docs)
			if codec.CheckDocs(docs, prev) != nil || codec.CheckFreqs(freqs) != nil || docs[n-1] != l.Docs.Last[b] || b == 0 && docs[0] != l.First {
				return l.Locate(format.Corrupt("docIDs are not ascending or not those of the skip header, or a frequency is 0"), b)
			}
			prev = docs[n-1]
			v.sumTokens(freqs)
			if msg := checkQuad(l.Quads[b], &whole, freqs, dls); msg != "" {
				return l.Locate(format.Corrupt("%s", msg), b)
			}
			if bucket = checkPositions(l, b*l.BlockLen, docs, bucket); bucket < 0 {
				return l.Locate(format.Corrupt("linear regression or hash buckets miss an element"), b)
			}
			countKth(l, &kth, freqs, dls)
		}
		seen += len(docs)
	}
	if err := v.rows.Err(); err != nil {
		return err
	}
	if seen != l.N {
		return l.Locate(format.Corrupt("blocks of %d postings, not %d", seen, l.N), format.NoBlock)
	}
	for i, k := range format.KthValues {
		if _, _, ok := l.Kth[i].Pair(); ok && kth[i] < k {
			return l.Locate(format.Corrupt("only %d postings reach the %d-th impact", kth[i], k), format.NoBlock)
		}
	}
	return nil
}

// bounds are the pairs of a quad, decoded.
type bounds [4]struct{ tf, dl uint32 }

func boundsOf(q format.Quad) (b bounds) {
	for i := range b {
		b[i].tf, b[i].dl = q.Pair(i)
	}
	return b
}

// dominate is format.Quad.Dominates.
func (b *bounds) dominate(tf, dl uint32) bool {
	for i := range b {
		if b[i].tf >= tf && b[i].dl <= dl {
			return true
		}
	}
	return false
}

// checkQuad checks the quads that bound a block: its own, q, and that of the list, whole.
func checkQuad(q format.Quad, whole *bounds, freqs, dls []uint32) string {
	if !q.Valid() {
		return "pairs of the quad are not in order"
	}
	block := boundsOf(q)
	for i, tf := range freqs {
		if !block.dominate(tf, dls[i]) || !whole.dominate(tf, dls[i]) {
			return "a posting is not under its quad"
		}
	}
	return ""
}

// checkPositions checks regression and buckets for docs, the list's elements from index
// first on. It returns the bucket of the last one, or -1.
func checkPositions(l *segment.List, first int, docs []uint32, bucket int) int {
	if l.HasLR {
		at := int64(first)
		for _, d := range docs {
			if est := l.LR.Est(d); est-int64(l.LR.Left) > at || est+int64(l.LR.Right) < at {
				return -1
			}
			at++
		}
	}
	if !l.HasHash {
		return bucket
	}
	start := l.Hash.Start
	for i, d := range docs {
		h := int(d >> l.Hash.Shift)
		if h+1 >= len(start) {
			return -1
		}
		for ; bucket < h; bucket++ {
			if start[bucket+1] != uint32(first+i) {
				return -1
			}
		}
	}
	if first+len(docs) == l.N {
		for _, s := range start[bucket+1:] {
			if s != uint32(l.N) {
				return -1
			}
		}
	}
	return bucket
}

// countKth counts the postings that reach the k-th impacts.
func countKth(l *segment.List, n *[3]int, freqs, dls []uint32) {
	if !l.HasKth {
		return
	}
	for k := range n {
		tf, dl, _ := l.Kth[k].Pair()
		for i, f := range freqs {
			if f >= tf && dls[i] <= dl {
				n[k]++
			}
		}
	}
}
