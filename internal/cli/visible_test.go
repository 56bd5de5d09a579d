package cli

import (
	"bytes"
	"io"
	"testing"
)

// TestVisible checks what reaches a terminal, and that nothing else changes.
func TestVisible(t *testing.T) {
	const text = "one \x1b[31mtwo\x00\tthree\xff\u202e ünï\n"
	var raw, shown bytes.Buffer
	if w := Visible(&raw); w != io.Writer(&raw) {
		t.Errorf("a buffer became %T", w)
	}
	n, err := visible{&shown}.Write([]byte(text))
	if want := `one \x1b[31mtwo\x00` + "\tthree" + `\xff\u202e` + " ünï\n"; err != nil || n != len(text) || shown.String() != want {
		t.Errorf("%d, %v, %q, want %q", n, err, shown.String(), want)
	}
}
