package segment

import "github.com/pinion-index/pinion/format"

// KthCounts counts postings of a list that reach its k-th impacts (format.KthImpact), each
// until there are k or a few more.
type KthCounts [format.NumKth]int

// Wants reports whether postings of a block may count, by the block's bounds.
func (n *KthCounts) Wants(l *List, block int) bool {
	for i := range n {
		if n.wants(l, block, i) {
			return true
		}
	}
	return false
}

func (n *KthCounts) wants(l *List, block, i int) bool {
	if !l.HasKth || n[i] >= format.KthValues()[i] {
		return false
	}
	tf, dl, ok := l.Kth[i].Pair()
	return ok && l.Quads[block].Dominates(tf, dl)
}

// Add counts postings of a block: freqs[i] in a document of lens[i] tokens.
func (n *KthCounts) Add(l *List, block int, freqs, lens []uint32) {
	lens = lens[:len(freqs)]
	for i := range n {
		if !n.wants(l, block, i) {
			continue
		}
		tf, dl, _ := l.Kth[i].Pair()
		short := uint64(0)
		for j, f := range freqs { // differences are negative where a posting does not reach
			short += ((uint64(f) - uint64(tf)) | (uint64(dl) - uint64(lens[j]))) >> 63
		}
		n[i] += len(freqs) - int(short)
	}
}

// Check returns an error unless all that l promises was counted. It matches
// format.ErrCorrupt.
func (n *KthCounts) Check(l *List) error {
	for i, k := range format.KthValues() {
		if _, _, ok := l.Kth[i].Pair(); l.HasKth && ok && n[i] < k {
			return l.Locate(format.Corrupt("only %d postings reach the %d-th impact", n[i], k), format.NoBlock)
		}
	}
	return nil
}
