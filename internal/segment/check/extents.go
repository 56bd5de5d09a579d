package check

import (
	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/codec"
	"github.com/pinion-index/pinion/internal/codec/registry"
	"github.com/pinion-index/pinion/segment"
)

// Extent is what Structure checks of the extent of l, in a segment of docs documents:
// padding, reserved bytes and the bounds of the hash buckets.
func Extent(l *segment.List, docs uint32) error {
	if msg := checkReserved(l, docs); msg != "" {
		return l.Locate(format.Corrupt("%s", msg), format.NoBlock)
	}
	return nil
}

// checkReserved checks reserved bytes, padding and the bounds of a list of a segment of docs
// documents.
func checkReserved(l *segment.List, docs uint32) string {
	end := int64(0) // of the part before
	for _, p := range l.Layout() {
		b := l.Extent()[p.Offset : p.Offset+p.Length]
		if format.NonZero(l.Extent()[end:p.Offset]) >= 0 {
			return "padding before " + p.Name + " is not zero"
		}
		end = p.Offset + p.Length
		switch p.Name {
		case "padding":
			if format.NonZero(b) >= 0 {
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
				if k.TF == 0 && k != format.NoKth() {
					return "a k-th impact of no frequency has a length"
				}
			}
		}
	}
	if l.HasImpacts {
		if most := format.Maxima(l.Quad); most == 0 || most > segment.MaxWeight {
			return "the list's greatest weight is not from 1 to 255"
		}
	} else if !l.Quad.Valid() {
		return "pairs of the list's quad are not in order"
	}
	if alone(registry.Of(l.DocsCodec)) && l.Docs.Ends[0] != 0 || alone(registry.Of(l.FreqsCodec)) && l.Freqs.Ends[0] != 0 {
		return "codec without a list header has one"
	}
	return ""
}

// alone reports whether the blocks of a codec stand alone.
func alone(c codec.Codec) bool {
	_, ok := c.(codec.BlockCodec)
	return ok
}

// extent decodes the extent of lv.list and compares every posting with the extent's
// metadata. Behind a damaged block it goes on with the next.
func (lv *listVerifier) extent() error {
	l := &lv.list
	w := walk{whole: boundsOf(l.Quad), prev: codec.NoDoc}
	for lv.rows.Reset(l); ; lv.rows.ResetAt(l, w.block) {
		for lv.rows.Next() {
			if err := lv.row(&w); err != nil {
				return err
			}
		}
		err := lv.rows.Err()
		if err == nil {
			break
		}
		if err := lv.skip(&w, err); err != nil {
			return err
		}
	}
	if w.damaged {
		return nil
	}
	if w.seen != l.N {
		return l.Locate(format.Corrupt("blocks of %d postings, not %d", w.seen, l.N), format.NoBlock)
	}
	if lv.weights && w.most != format.Maxima(l.Quad).Sub(0) {
		return l.Locate(format.Corrupt("the greatest weight is %d, the list says %d", w.most, format.Maxima(l.Quad).Sub(0)), format.NoBlock)
	}
	return w.kth.Check(l)
}

// walk is where extent stands in a list.
type walk struct {
	block   int    // the next one
	prev    uint32 // last docID of the one before it
	seen    int    // postings
	bucket  int
	kth     segment.KthCounts
	whole   bounds
	most    uint8 // greatest weight
	damaged bool
}

// row checks the blocks of the current row.
func (lv *listVerifier) row(w *walk) error {
	l, p := &lv.list, lv.rows.Postings
	if len(lv.dls) < p.Len() {
		lv.dls = make([]uint32, max(p.Len(), segment.RowPostings))
	}
	dls := lv.dls[:p.Len()]
	if lv.lens.Len() > 0 {
		lv.lens.GatherLengths(dls, p.Docs)
	}
	for at := 0; at < p.Len(); at += l.BlockLen {
		w.block = lv.rows.Block + at/l.BlockLen
		end := min(at+l.BlockLen, p.Len())
		if err := lv.postingsOf(w, p.Slice(at, end), dls[at:end]); err != nil {
			if err := lv.fault(err, lv.damageOf(w.block)); err != nil {
				return err
			}
		}
		w.prev = p.Docs[end-1]
		w.seen += end - at
		w.block++
	}
	return nil
}

// postingsOf checks the postings of block w.block, in documents of lengths dls.
func (lv *listVerifier) postingsOf(w *walk, p format.Postings, dls []uint32) error {
	l, b := &lv.list, w.block
	var tokens uint64
	var ok bool
	msg := ""
	if lv.weights {
		msg = w.weigh(l, p)
	} else {
		block := boundsOf(l.Quads[b])
		if tokens, ok = lv.sound(w, &block, p, dls); !ok {
			msg = lv.contradiction(w, &block, p, dls)
		}
	}
	if msg == "" && w.bucket >= 0 { // one report of wrong positions is enough
		if w.bucket = checkPositions(l, b*l.BlockLen, p.Docs, w.bucket); w.bucket < 0 {
			msg = "linear regression or hash buckets miss an element"
		}
	}
	if msg != "" {
		w.damaged = true
		return l.Locate(format.Corrupt("%s", msg), b)
	}
	if err := l.CheckBlock(b, p); err != nil {
		w.damaged = true
		return err
	}
	if ok {
		lv.tokens += tokens
	} else {
		lv.sumTokens(p.Freqs)
	}
	w.kth.Add(l, b, p.Freqs, dls)
	return nil
}

// weigh is contradiction for the postings of a block of weights.
func (w *walk) weigh(l *segment.List, p format.Postings) string {
	n := p.Len()
	switch {
	case codec.CheckDocs(p.Docs, w.prev) != nil || codec.CheckFreqs(p.Freqs) != nil || p.Docs[n-1] != l.Docs.Last[w.block] || w.block == 0 && p.Docs[0] != l.First:
		return "docIDs are not ascending or not those of the skip header, or a weight is 0"
	case l.Maxima(w.block) != format.MaximaOf(p.Freqs, l.BlockLen):
		return "the greatest weights of the block are not those of its postings"
	}
	w.most = max(w.most, l.Maxima(w.block).Max())
	return ""
}

// sound adds up the frequencies of block w.block and reports whether its postings are as they
// should be, as far as one pass without branches can tell; if not, contradiction can.
func (lv *listVerifier) sound(w *walk, block *bounds, p format.Postings, dls []uint32) (tokens uint64, ok bool) {
	l, docs, n := &lv.list, p.Docs, p.Len()
	if lv.lens.Len() == 0 || docs[n-1] != l.Docs.Last[w.block] || w.block == 0 && docs[0] != l.First {
		return 0, false
	}
	freqs, dls := p.Freqs[:n], dls[:n]
	prev := int64(w.prev)
	if w.prev == codec.NoDoc {
		prev = -1
	}
	slack := uint64(0)
	if lv.loose {
		slack = 1 << 32 // frequencies may be above lengths
	}
	// Differences are negative where something is wrong.
	var wrong, most uint64
	least := block.leastLengths()
	for i, d := range docs {
		tf, dl := uint64(freqs[i]), uint64(dls[i])
		wrong |= uint64(int64(d)-prev-1) | (tf - 1) | (dl + slack - tf) | (dl - least[min(tf, uint64(len(least)-1))])
		prev = int64(d)
		most |= tf
		tokens += tf
	}
	if int64(wrong) < 0 || docs[n-1] >= uint32(lv.lens.Len()) || !l.Quads[w.block].Valid() {
		return 0, false
	}
	if most >= uint64(len(least)) && !block.under(freqs, dls) || lv.lens.Coded() && lv.exceeds(freqs, dls) {
		return 0, false
	}
	return tokens, w.whole.covers(block) || w.whole.under(freqs, dls)
}

// contradiction says what is wrong with the postings of block w.block, or returns "".
func (lv *listVerifier) contradiction(w *walk, block *bounds, p format.Postings, dls []uint32) string {
	l, docs, freqs, n := &lv.list, p.Docs, p.Freqs, p.Len()
	switch {
	case codec.CheckDocs(docs, w.prev) != nil || codec.CheckFreqs(freqs) != nil || docs[n-1] != l.Docs.Last[w.block] || w.block == 0 && docs[0] != l.First:
		return "docIDs are not ascending or not those of the skip header, or a frequency is 0"
	case docs[n-1] >= uint32(lv.lens.Len()): // lengths are damaged, or Init reports it
	case !lv.s.Meta().ForeignLengths && lv.exceeds(freqs, dls):
		return "a frequency is above the length of its document"
	case !l.Quads[w.block].Valid():
		return "pairs of the quad are not in order"
	case !block.under(freqs, dls) || !w.whole.covers(block) && !w.whole.under(freqs, dls):
		return "a posting is not under its quad"
	}
	return ""
}

// skip reports that block w.block does not decode, and steps over it.
func (lv *listVerifier) skip(w *walk, err error) error {
	l := &lv.list
	w.damaged = true
	d := lv.damageOf(w.block)
	w.prev = l.Docs.Last[w.block]
	w.block++
	if l.HasHash && w.bucket >= 0 {
		w.bucket = min(int(w.prev>>l.Hash.Shift), len(l.Hash.Start)-2) // the skip header may be wrong
	}
	return lv.fault(err, d)
}

// damageOf returns the documents that block b may hold.
func (lv *listVerifier) damageOf(b int) (d Damage) {
	l := &lv.list
	if d.Docs[0] = l.First; b > 0 {
		d.Docs[0] = l.Docs.Last[b-1] + 1
	}
	d.Docs[1] = l.Docs.Last[b] + 1
	return d
}

// bounds are the pairs of a quad, decoded.
type bounds [4]struct{ tf, dl uint32 }

func boundsOf(q format.Quad) (b bounds) {
	for i := range b {
		b[i].tf, b[i].dl = q.Pair(i)
	}
	return b
}

// least returns the length of the shortest document in which a frequency of tf is under the
// bounds; ok is false if there is none.
func (b *bounds) least(tf uint32) (dl uint32, ok bool) {
	dl = ^uint32(0)
	for i := range b {
		if b[i].tf >= tf {
			dl, ok = min(dl, b[i].dl), true
		}
	}
	return dl, ok
}

// leastLengths returns least of the frequencies up to 15, as 2^32 if there is none.
func (b *bounds) leastLengths() (dls [16]uint64) {
	tf := 0
	for i := len(b) - 1; i >= 0; i-- { // frequencies and lengths increase
		for ; tf < len(dls) && uint32(tf) <= b[i].tf; tf++ {
			dls[tf] = uint64(b[i].dl)
		}
	}
	for ; tf < len(dls); tf++ {
		dls[tf] = 1 << 32
	}
	return dls
}

// under reports whether all postings are under the bounds.
func (b *bounds) under(freqs, dls []uint32) bool {
	for i, tf := range freqs {
		if dl, ok := b.least(tf); !ok || dls[i] < dl {
			return false
		}
	}
	return true
}

// covers reports whether the pairs of c are under b. Then all postings under c are.
func (b *bounds) covers(c *bounds) bool {
	for i := range c {
		if dl, ok := b.least(c[i].tf); !ok || c[i].dl < dl {
			return false
		}
	}
	return true
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
