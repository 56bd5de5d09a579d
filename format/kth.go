package format

// KthCounter counts the postings of a list by impact and gives its KthImpacts.
// The zero value is empty. It holds 32 KiB.
type KthCounter struct {
	count  [32][256]uint32 // by frequency (31: or more) and length code, rounded up
	lo, hi [32]int16       // range of length codes in use, hi exclusive
}

// Add counts postings: freqs[i] in a document of lens[i] tokens.
func (k *KthCounter) Add(freqs, lens []uint32) {
	lens = lens[:len(freqs)]
	for i, tf := range freqs {
		dl := lens[i]
		if dl > MaxImpactLen {
			continue
		}
		c := uint8(dl)
		if dl >= 32 {
			c = floorImpact(dl-1) + 1
		}
		t := min(tf, 31) & 31
		k.count[t][c]++
		if int16(c) >= k.hi[t] || int16(c) < k.lo[t] {
			k.widen(t, int16(c))
		}
	}
}

func (k *KthCounter) widen(t uint32, c int16) {
	if k.hi[t] == 0 {
		k.lo[t], k.hi[t] = c, c+1
		return
	}
	k.lo[t], k.hi[t] = min(k.lo[t], c), max(k.hi[t], c+1)
}

// Take returns the best pair for every k of KthValues among what was counted,
// and empties the counter.
func (k *KthCounter) Take(model *ImpactModel) [3]KthImpact {
	best := [3]KthImpact{NoKth, NoKth, NoKth}
	var score [3]float32
	var sum [256]uint32 // postings with frequency t or more, by length code
	lo, hi := int16(256), int16(0)
	for t := 31; t >= 0; t-- {
		if k.hi[t] == 0 {
			continue
		}
		lo, hi = min(lo, k.lo[t]), max(hi, k.hi[t])
		row := &k.count[t]
		for c := k.lo[t]; c < k.hi[t]; c++ {
			sum[c] += row[c]
			row[c] = 0
		}
		k.lo[t], k.hi[t] = 0, 0
		if t == 0 {
			break
		}
		n, next := uint32(0), 0
		for c := lo; c < hi && next < 3; c++ {
			n += sum[c]
			for next < 3 && n >= uint32(KthValues[next]) {
				if s := model.score(uint8(t), uint8(c)); s > score[next] {
					score[next], best[next] = s, KthImpact{TF: uint8(t), Len: uint8(c)}
				}
				next++
			}
		}
	}
	return best
}

// BetterKth returns whichever of a and b promises the higher score.
func (m *ImpactModel) BetterKth(a, b KthImpact) KthImpact {
	if b.TF != 0 && (a.TF == 0 || m.score(b.TF, b.Len) > m.score(a.TF, a.Len)) {
		return b
	}
	return a
}
