package check

import (
	"bytes"
	"slices"
	"sync/atomic"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/segment"
)

// packedIDs reads every id and compares IDHASH with them, where it is packed: what it says of all adds up to the same as what
// it should say, in any order.
func (v *verifier) packedIDs() error {
	t, err := idTable(v.s)
	if err := v.report(err, Damage{}); err != nil {
		return err
	}
	if t == nil {
		return v.eachID(func(uint32, []byte) error { return nil })
	}
	scramble := newScrambler()
	want, idErr := v.sumIDs(func(doc uint32, id []byte) uint64 {
		bucket, print := t.Place(layout.IDHash(id))
		return scramble.of(entryKey(bucket, print, int(doc/layout.IDsPerBlock)))
	})
	sum, sound, err := v.entries(t, scramble)
	if err != nil {
		return err
	}
	if idErr == nil && sound && sum == want {
		return v.Step(docWork * int64(v.s.Meta().Docs))
	}
	lacks := atomic.Bool{}
	err = v.eachID(func(doc uint32, id []byte) error {
		if !has(t, id, int(doc/layout.IDsPerBlock)) {
			lacks.Store(true)
			return missing(v.s, id, doc)
		}
		return nil
	})
	if err == nil && sound && idErr == nil && !lacks.Load() {
		err = v.report(v.s.Raw().Corrupt(format.SectionIDHash, 0, "an entry is of no id"), Damage{})
	}
	return err
}

// idTable returns IDHASH of s, where it is packed.
func idTable(s *segment.Segment) (*layout.IDTable, error) {
	sec, _ := s.Header().Section(format.SectionIDHash)
	b, err := s.Raw().SectionBytes(format.SectionIDHash, 0, sec.Length)
	if err != nil {
		return nil, err
	}
	return layout.NewIDTable(b, s.Meta().Docs), nil
}

// has reports whether t has an entry of an id.
func has(t *layout.IDTable, id []byte, block int) bool {
	bucket, print := t.Place(layout.IDHash(id))
	in := t.Bucket(bucket)
	for i := in.First; i < in.First+in.N; i++ {
		if p, b := t.Entry(i); p == print && b == block {
			return true
		}
	}
	return false
}

// entryKey is what IDHASH says of a document, as a number.
func entryKey(bucket uint32, print, block int) uint64 {
	return uint64(bucket)<<33 | uint64(print)<<27 | uint64(block)
}

// entries checks that the parts of t agree, that its entries are in order and of blocks that there are, and that ids with equal entries
// differ. It returns the sum of the scrambled entries, and whether there was nothing to report.
func (v *verifier) entries(t *layout.IDTable, scramble scrambler) (sum uint64, sound bool, err error) {
	docs := int(v.s.Meta().Docs)
	var total, faults atomic.Uint64
	err = v.Each((docs+format.IDBucketRun-1)/format.IDBucketRun, 64, func(lo, hi int) error {
		x := entryCheck{s: v.s, t: t, docs: docs, blocks: layout.IDBlocks(docs), scramble: scramble, unique: true, id: layout.NewFrontCoded(nil)}
		for run := lo; run < hi; run++ {
			err := x.run(run)
			if err != nil {
				faults.Add(1)
			}
			if err := v.report(err, Damage{}); err != nil {
				return err
			}
		}
		total.Add(x.sum)
		return v.ctx.Err()
	})
	return total.Load(), faults.Load() == 0, err
}

// IDHash compares IDHASH of s, which belongs to a segment that is copied, with the hashes of its ids, by docID.
func IDHash(s *segment.Segment, hashes []uint32) error {
	scramble := newScrambler()
	sum := uint64(0)
	if s.Header().Version.PackedIDs() {
		t, err := idTable(s)
		if err != nil {
			return err
		}
		x := entryCheck{s: s, t: t, docs: len(hashes), blocks: layout.IDBlocks(len(hashes)), scramble: scramble}
		for run := range (len(hashes) + format.IDBucketRun - 1) / format.IDBucketRun {
			if err := x.run(run); err != nil {
				return err
			}
		}
		for doc, h := range hashes {
			bucket, print := t.Place(h)
			sum += scramble.of(entryKey(bucket, print, doc/layout.IDsPerBlock))
		}
		sum -= x.sum
	} else {
		words, err := s.Raw().IDHashes()
		if err != nil {
			return err
		}
		for doc, h := range hashes {
			sum += scramble.of(layout.IDHashKey(h, uint32(doc))) - scramble.of(words[doc])
		}
	}
	if sum != 0 {
		return s.Raw().Corrupt(format.SectionIDHash, 0, "hashes are not those of the ids")
	}
	return nil
}

// entryCheck checks runs of buckets.
type entryCheck struct {
	s        *segment.Segment
	t        *layout.IDTable
	docs     int
	blocks   int
	scramble scrambler
	sum      uint64

	unique bool  // ids must differ
	in     []int // blocks
	id     layout.FrontCoded
	found  []foundID
	room   []byte // of the ids in found
}

// foundID is an id that has been read.
type foundID struct {
	doc uint32
	id  []byte
}

// run checks a run of buckets, which ends where the next one begins.
func (x *entryCheck) run(run int) error {
	first := run * format.IDBucketRun
	end := min(first+format.IDBucketRun, x.docs)
	next := x.t.Before(run)
	if run == 0 && (next != 0 || !x.t.Filled()) {
		return x.corrupt(0, "%d entries are before bucket 0, or bits behind the last are not zeros", next)
	}
	for bucket := first; bucket < end; bucket++ {
		n := x.t.Count(bucket + next)
		if next+n > x.docs {
			return x.corrupt(0, "%d entries are before bucket %d, of %d", next+n, bucket+1, x.docs)
		}
		if n > 0 {
			if err := x.bucket(uint32(bucket), next, next+n); err != nil {
				return err
			}
		}
		next += n
	}
	if last := end == x.docs; last && next != x.docs || !last && next != x.t.Before(run+1) {
		return x.corrupt(0, "%d entries are before bucket %d", next, end)
	}
	return nil
}

// bucket checks entries from up to end, which are those of a bucket.
func (x *entryCheck) bucket(bucket uint32, from, end int) error {
	last, equal := -1, false
	for i := from; i < end; i++ {
		print, block := x.t.Entry(i)
		if print < last || block >= x.blocks {
			return x.corrupt(x.offset(i), "entry of bucket %d has print %d behind %d, and block %d of %d documents", bucket, print, last, block, x.docs)
		}
		equal = equal || print == last
		last = print
		x.sum += x.scramble.of(entryKey(bucket, print, block))
	}
	if !equal || !x.unique {
		return nil
	}
	for begin := from; begin < end; {
		print, _ := x.t.Entry(begin)
		next := begin + 1
		for ; next < end; next++ {
			if p, _ := x.t.Entry(next); p != print {
				break
			}
		}
		if err := x.differ(bucket, print, begin, next); err != nil {
			return err
		}
		begin = next
	}
	return nil
}

// differ checks that entries from up to end, which have the same print, are of ids that differ.
func (x *entryCheck) differ(bucket uint32, print, from, end int) error {
	if end-from < 2 {
		return nil
	}
	x.in, x.found, x.room = x.in[:0], x.found[:0], x.room[:0]
	for i := from; i < end; i++ {
		_, block := x.t.Entry(i)
		x.in = append(x.in, block)
	}
	slices.Sort(x.in)
	for _, block := range slices.Compact(x.in) {
		first := uint32(block * layout.IDsPerBlock)
		// Ids that cannot be read are reported by those who read all.
		_ = idBlock(x.s, block, min(uint32(x.docs)-first, layout.IDsPerBlock), &x.id, func(j uint32, id []byte) error {
			if b, p := x.t.Place(layout.IDHash(id)); b == bucket && p == print {
				at := len(x.room)
				x.room = append(x.room, id...)
				x.found = append(x.found, foundID{first + j, x.room[at:]})
			}
			return nil
		})
	}
	slices.SortStableFunc(x.found, func(a, b foundID) int { return bytes.Compare(a.id, b.id) })
	for i := 1; i < len(x.found); i++ {
		if a, b := x.found[i-1], x.found[i]; bytes.Equal(a.id, b.id) {
			return x.corrupt(x.offset(from), "docIDs %d and %d have the same id %q", a.doc, b.doc, a.id)
		}
	}
	return nil
}

// offset returns where entry i is.
func (x *entryCheck) offset(i int) int64 {
	at, _ := x.t.Span(i, 1)
	return at
}

func (x *entryCheck) corrupt(off int64, msg string, args ...any) error {
	return x.s.Raw().Corrupt(format.SectionIDHash, off, msg, args...)
}
