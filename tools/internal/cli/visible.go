package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Visible returns a writer of text that a file holds. What reaches a terminal is as
// Printable gives it; anything else gets the bytes as they are. Each Write ends where a
// character does.
func Visible(w io.Writer) io.Writer {
	if !isTerminal(w) {
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

// isTerminal reports whether w, or the writer that it wraps, is a terminal, even one that
// does not say how wide it is.
func isTerminal(w io.Writer) bool {
	if u, ok := w.(interface{ Unwrap() io.Writer }); ok {
		return isTerminal(u.Unwrap())
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
