package residency

// banks is the number of banks of shared memory: threads of a warp that add to documents whose numbers differ by a
// multiple of it wait for each other.
const banks = 32

// extent are the postings of a term in a tile, by bank.
type extent struct {
	docs    [banks][]uint16
	weights [banks][]uint8
	units   int
}

func (x *extent) add(doc uint16, weight uint8) {
	b := doc % banks
	x.docs[b], x.weights[b] = append(x.docs[b], doc), append(x.weights[b], weight)
}

// write writes the postings, and empties x. Those that a warp adds together, one of each unit, are of different banks
// as far as possible: of each bank that has some left, those with the most first. So 32 additions take 1.5 cycles
// instead of 3.5 on average. What is left of the last units are postings that add nothing.
func (x *extent) write(docs []uint16, weights []byte) {
	var order [banks]uint8
	left := order[:0]
	for b := range x.docs {
		if len(x.docs[b]) == 0 {
			continue
		}
		i := len(left)
		left = append(left, uint8(b))
		for ; i > 0 && len(x.docs[left[i-1]]) < len(x.docs[b]); i-- {
			left[i] = left[i-1]
		}
		left[i] = uint8(b)
	}
	for at := 0; at < x.units; at += 32 {
		n := min(32, x.units-at)
		for slot := range unitPostings {
			i := 0 // of left
			for unit := range n {
				to := unitPostings*(at+unit) + slot
				if len(left) == 0 {
					docs[to], weights[to] = uint16(unit), 0
					continue
				}
				if i >= len(left) {
					i = 0
				}
				b := left[i]
				last := len(x.docs[b]) - 1
				docs[to], weights[to] = x.docs[b][last], x.weights[b][last]
				if x.docs[b], x.weights[b] = x.docs[b][:last], x.weights[b][:last]; last > 0 {
					i++
				} else {
					left = append(left[:i], left[i+1:]...)
				}
			}
		}
	}
	x.units = 0
}
