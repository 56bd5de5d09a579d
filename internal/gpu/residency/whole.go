package residency

import "github.com/pinion-index/pinion/reader"

// Whole is the memory of a field in a segment that is on the device as a whole, such as one of impacts.
type Whole struct {
	List    *List           // which is evicted as a list is; nil if there is nothing
	deletes *reader.Deletes // those when it was made, whose documents it does not have
}

// Memory returns w.List.
func (w *Whole) Memory() *List { return w.List }

// Gone reports whether it has been evicted.
func (w *Whole) Gone() bool { return w.List != nil && w.List.Gone.Load() }

// Has reports whether it has all documents of s that are not deleted. It may not where a commit is restored.
func (w *Whole) Has(s *Segment) bool {
	if w.deletes == nil || w.deletes == s.Deletes {
		return true
	}
	if s.Deletes == nil {
		return w.deletes.Count() == 0
	}
	now := s.Deletes.Bits()
	for i, word := range w.deletes.Bits() {
		if word != 0 && (i >= len(now) || word&^now[i] != 0) {
			return false
		}
	}
	return true
}

// Deleted returns how many documents of s, all of whose others it has, have been deleted since.
func (w *Whole) Deleted(s *Segment) uint64 { return uint64(s.Deletes.Count() - w.deletes.Count()) }

func wholeOf(s *Segment) Whole { return Whole{deletes: s.Deletes} }

// wholeSegment is the Key.Segment of what is of the segment with number 0. That of others is less.
const wholeSegment = -1

// wholeKey is the key of a field of a segment.
func wholeKey(number, field int) ListKey {
	return ListKey{Key: Key{wholeSegment - number, int64(field)}, Field: uint32(field)}
}

// hold keeps what is resident from being evicted while a batch of epoch is in flight. It reports false if some has been.
func hold[W interface {
	Gone() bool
	Memory() *List
}](l *Lists, all []W, epoch uint64) bool {
	l.Mu.RLock()
	defer l.Mu.RUnlock()
	for _, w := range all {
		r := w.Memory()
		if w.Gone() {
			return false
		}
		if r != nil {
			r.hold(epoch)
			r.Uses.Store(max(r.Uses.Load(), l.clock) + 1)
		}
	}
	l.found.hits.Add(1)
	return true
}

// Discard frees the memory of what nothing uses, unless that has been evicted.
func (l *Lists) Discard(r *List) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if r != nil && l.ByKey[r.Key] == r {
		l.remove(r)
	}
}
