package cli

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Folder breaks lines that are wider than the terminal it writes to, at spaces where
// there are any. Elsewhere lines are as they are.
type Folder struct {
	w     io.Writer
	width int    // 0: w is no terminal
	line  string // not ended yet
}

// NewFolder returns a Folder that writes to w.
func NewFolder(w io.Writer) *Folder { return &Folder{w: w, width: terminalWidth(w)} }

// Write implements io.Writer. A line is written when it ends.
func (f *Folder) Write(p []byte) (int, error) {
	if f.width <= 0 {
		return f.w.Write(p)
	}
	f.line += string(p)
	end := strings.LastIndexByte(f.line, '\n') + 1
	whole := f.line[:end]
	f.line = f.line[end:]
	return len(p), f.fold(whole)
}

// fold writes lines, in pieces that keep their indentation.
func (f *Folder) fold(lines string) error {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		line, ended := strings.CutSuffix(line, "\n")
		indent := ""
		for i, piece := range Lines(line, f.width) {
			if i == 0 {
				indent = line[:min(len(line)-len(strings.TrimLeft(line, " ")), f.width/2)]
				b.WriteString(piece)
				continue
			}
			for _, piece := range Lines(piece, f.width-len(indent)) {
				b.WriteString("\n" + indent + piece)
			}
		}
		if ended {
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(f.w, b.String())
	return err
}

// Flush writes a line that has not ended.
func (f *Folder) Flush() error {
	line := f.line
	f.line = ""
	return f.fold(line)
}

// Unwrap returns what f writes to.
func (f *Folder) Unwrap() io.Writer { return f.w }

// tab is how many columns a tab takes at most.
const tab = 8

// Lines breaks a line into pieces of at most width columns, at spaces where there are
// any. There is at least one piece.
func Lines(line string, width int) []string {
	var out []string
	for {
		end := breakAt(line, width)
		if end == len(line) {
			return append(out, line)
		}
		out = append(out, strings.TrimRight(line[:end], " "))
		if line = strings.TrimLeft(line[end:], " "); line == "" {
			return out
		}
	}
}

// breakAt returns how many bytes of a line to print first. A word that would not fit on a
// line of its own either is broken where it stands.
func breakAt(line string, width int) int {
	columns, space, words := 0, 0, false // a space after words, and whether there were any
	for i, r := range line {
		if r == ' ' && words {
			space = i
		}
		words = words || r != ' '
		if columns += runeWidth(r); columns > width && i > 0 {
			if space > 0 && wordFits(line[space+1:], width) {
				return space
			}
			return i
		}
	}
	return len(line)
}

// wordFits reports whether the word that s begins with has at most width columns.
func wordFits(s string, width int) bool {
	for _, r := range s {
		if r == ' ' {
			break
		}
		if width -= runeWidth(r); width < 0 {
			return false
		}
	}
	return true
}

func runeWidth(r rune) int {
	switch {
	case r == '\t':
		return tab
	case r < utf8.RuneSelf:
		return 1
	}
	return text.RuneWidth(r)
}
