package cli

import "io"

// Visible returns a writer of text that a file holds. What reaches a terminal is as
// Printable gives it; anything else gets the bytes as they are. Each Write ends where a
// character does.
func Visible(w io.Writer) io.Writer {
	if !IsTerminal(w) {
		return w
	}
	return visible{w}
}

type visible struct{ io.Writer }

func (v visible) Write(p []byte) (int, error) {
	if _, err := io.WriteString(v.Writer, Printable(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (v visible) Unwrap() io.Writer { return v.Writer }

// Unreadable returns a usage error if w is a terminal: what is to be written, which the
// message names, is no text to read there.
func Unreadable(w io.Writer, what string) error {
	if IsTerminal(w) {
		return Usage("standard output is a terminal, and %s is not to be read there: give --out a FILE, or redirect it", what)
	}
	return nil
}
