package gapblock

// ZeroPad reports whether b is valid padding of a block to whole words: at most three
// bytes, all zero.
func ZeroPad(b []byte) bool {
	if len(b) > 3 {
		return false
	}
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
