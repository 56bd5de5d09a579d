package search

// Limits sets from how many bytes on the index is asked for the words of a text, and how many bytes are analyzed otherwise.
// It returns what sets them back.
func Limits(long, most int) (restore func()) {
	l, m := longText, look
	longText, look = long, most
	return func() { longText, look = l, m }
}
