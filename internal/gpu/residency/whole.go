package residency

// Whole is the memory of a field in a segment that is on the device as a whole, such as one of impacts.
type Whole struct {
	List    *List  // which is evicted as a list is; nil if there is nothing
	Deleted uint64 // documents that were deleted when it was made
}

// Memory returns w.List.
func (w *Whole) Memory() *List { return w.List }

// Gone reports whether it has been evicted.
func (w *Whole) Gone() bool { return w.List != nil && w.List.Gone.Load() }

func wholeOf(s *Segment) Whole { return Whole{Deleted: uint64(s.Deletes.Count())} }

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
