package exchange

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
)

// Format is the format of an input.
type Format string

// The formats. FormatAuto means that the format is detected.
const (
	FormatAuto    Format = "auto"
	FormatJSONL   Format = "jsonl"
	FormatTREC    Format = "trec"
	FormatTSV     Format = "tsv"
	FormatTextDir Format = "textdir"
	FormatCIFF    Format = "ciff"
	FormatDS2I    Format = "ds2i"
)

// Formats returns all formats by their names on the command line.
func Formats() []Format {
	return []Format{FormatAuto, FormatJSONL, FormatTREC, FormatTSV, FormatTextDir, FormatCIFF, FormatDS2I}
}

// Postings reports whether inputs of format f hold posting lists rather than
// text.
func (f Format) Postings() bool { return f == FormatCIFF || f == FormatDS2I }

// ReadOnce reports whether the input at path can be read only once: it is standard
// input, or neither a regular file nor a directory, as pipes are.
func ReadOnce(path string) bool {
	if path == Stdin {
		return true
	}
	st, err := os.Stat(path)
	return err == nil && !st.IsDir() && !st.Mode().IsRegular()
}

// Detect returns the format of the input at path by its kind and its first bytes.
// It refuses what can be read only once: OpenDocuments detects the format there.
func Detect(path string) (Format, error) {
	if ReadOnce(path) {
		return "", fmt.Errorf("%s can be read only once: its format cannot be told before", path)
	}
	if _, ok := ds2iBase(path); ok {
		return FormatDS2I, nil
	}
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if st.IsDir() {
		return FormatTextDir, nil
	}
	s, err := openStream(path)
	if err != nil {
		return "", err
	}
	defer s.Close()
	return s.detect()
}

// detect returns the format by the first bytes.
func (s *stream) detect() (Format, error) {
	head := s.peek(64 << 10)
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	line, _, _ := bytes.Cut(text, []byte("\n"))
	switch {
	case len(text) > 0 && text[0] == '{':
		return FormatJSONL, nil
	case len(text) >= 5 && bytes.EqualFold(text[:5], []byte("<doc>")):
		return FormatTREC, nil
	case looksLikeCIFF(head):
		return FormatCIFF, nil
	case bytes.IndexByte(line, '\t') > 0 && bytes.IndexByte(line, 0) < 0:
		return FormatTSV, nil
	}
	switch err := s.ready(); {
	case err == io.EOF:
		return "", fmt.Errorf("%s is empty: its format cannot be told, name it", s.name)
	case err != nil:
		return "", readFailure(s.name, 0, -1, err)
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		return "", &Error{File: s.name, Offset: -1, Msg: "compressed with xz, which is not inflated; what xz -dc prints can be read"}
	}
	return "", fmt.Errorf("%s is in no format that can be told from its beginning, name it", s.name)
}

// OpenDocuments opens an input of documents and returns its format. With
// FormatAuto it detects the format; it is an error if the input holds postings.
// The caller closes the Source.
func OpenDocuments(path string, f Format) (Source, Format, error) {
	if f == FormatAuto && !ReadOnce(path) {
		var err error
		if f, err = Detect(path); err != nil {
			return nil, "", err
		}
	}
	if f.Postings() {
		return nil, f, fmt.Errorf("%s holds posting lists (%s), not documents", path, f)
	}
	if f == FormatTextDir {
		s, err := OpenTextDir(path)
		if err != nil {
			return nil, f, err
		}
		return s, f, nil
	}
	s, err := openStream(path)
	if err != nil {
		return nil, f, err
	}
	if f == FormatAuto {
		if f, err = s.detect(); err == nil && f.Postings() {
			err = fmt.Errorf("%s cannot be read from %s: it is read twice", f, s.name)
		}
		if err != nil {
			s.Close()
			return nil, "", err
		}
	}
	switch f {
	case FormatJSONL:
		return NewJSONL(s.name, s), f, nil
	case FormatTSV:
		return NewTSV(s.name, s), f, nil
	case FormatTREC:
		return NewTREC(s.name, s), f, nil
	}
	s.Close()
	return nil, f, fmt.Errorf("unknown format %q", f)
}

// Size returns the size of the input at path in bytes, as Source.BytesRead counts
// them, or 0 if it is unknown.
func Size(path string, f Format) int64 {
	var n int64
	switch base, _ := ds2iBase(path); {
	case f == FormatDS2I:
		for _, ext := range []string{".docs", ".freqs"} {
			if st, err := os.Stat(base + ext); err == nil {
				n += st.Size()
			}
		}
	case f == FormatTextDir:
		return textDirSize(path)
	default:
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			n = st.Size()
		}
		if f == FormatCIFF {
			n *= 2 // read twice
		}
	}
	return n
}

// ds2iBase returns the basename of the ds2i collection at path, which is the
// basename itself or one of its files.
func ds2iBase(path string) (string, bool) {
	base := path
	for _, ext := range []string{".docs", ".freqs", ".sizes"} {
		if b, ok := strings.CutSuffix(path, ext); ok {
			base = b
		}
	}
	for _, ext := range []string{".docs", ".freqs", ".sizes"} {
		if st, err := os.Stat(base + ext); err != nil || st.IsDir() {
			return base, false
		}
	}
	return base, true
}

// input is what a Source needs of the reader it reads from.
type input interface {
	BytesRead() int64
	Close() error
}

// asInput returns r as an input. If r is not one, it counts nothing and Close
// does nothing.
func asInput(r io.Reader) input {
	if in, ok := r.(input); ok {
		return in
	}
	return plainInput{}
}

type plainInput struct{}

func (plainInput) BytesRead() int64 { return 0 }
func (plainInput) Close() error     { return nil }
