package exchange

import (
	"bytes"
	"fmt"
	"io"
	"iter"
)

// Lines iterates over the lines of the input at path, such as a list of ids. As every
// input it may be Stdin or compressed, begin with a byte order mark, and end its lines with
// a carriage return before the line feed. Lines skips empty lines. A line is valid until the
// next; one longer than most bytes is an error. An error comes with a nil line and is the last.
func Lines(path string, most int) iter.Seq2[[]byte, error] { return EncodedLines(path, "", most) }

// EncodedLines is Lines for an input that is in the encoding which has this name on the web, such as windows-1252, unless it
// says another.
func EncodedLines(path, encoding string, most int) iter.Seq2[[]byte, error] {
	return textLines(path, encoding, most, true)
}

// EachLine is EncodedLines for an input whose lines belong to something by their numbers: an empty line before another is an error.
func EachLine(path, encoding string, most int) iter.Seq2[[]byte, error] {
	return textLines(path, encoding, most, false)
}

// textLines is EncodedLines, or EachLine if empty lines are not to be skipped.
func textLines(path, encoding string, most int, skip bool) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s, err := openText(path, encoding)
		if err != nil {
			yield(nil, err)
			return
		}
		defer s.Close()
		if err := s.foreign(); err != nil {
			yield(nil, err)
			return
		}
		l := newLines(s.name, s)
		l.limit = most + len("\ufeff\r")
		for empty := int64(0); ; { // the first line that is
			b, err := l.next()
			if err == io.EOF {
				return
			}
			b = bytes.TrimSuffix(b, []byte("\r"))
			if Recoverable(err) || len(b) > most {
				err = &Error{File: l.file, Line: l.line, Offset: -1, Msg: fmt.Sprintf("the line is longer than %d bytes", most)}
			}
			switch {
			case err == nil && len(b) == 0 && empty == 0:
				empty = l.line
			case err == nil && len(b) > 0 && empty > 0 && !skip:
				err = &Error{File: l.file, Line: empty, Offset: -1, Msg: "the line is empty, and lines follow"}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if len(b) > 0 && !yield(b, nil) {
				return
			}
		}
	}
}
