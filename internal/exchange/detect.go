package exchange

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Format is the format of an input.
type Format string

// The formats. FormatAuto means that the format is detected, FormatTextDir that every
// file of a folder is a document.
const (
	FormatAuto  Format = "auto"
	FormatJSONL Format = "jsonl" // JSON objects, one a line
	FormatJSON  Format = "json"  // in an array, or one after the other
	FormatBulk  Format = "bulk"  // in requests of Elasticsearch, behind actions
	FormatCSV   Format = "csv"
	FormatTSV   Format = "tsv"
	FormatTREC  Format = "trec"
	// What WikiExtractor writes, and dumps of wikis.
	FormatExtracted Format = "wikiextractor"
	FormatDump      Format = "mediawiki"
	FormatLines     Format = "lines"
	FormatTextDir   Format = "textdir"
	FormatCIFF      Format = "ciff"
	FormatDS2I      Format = "ds2i"
)

// Formats returns all formats by their names on the command line.
func Formats() []Format {
	return []Format{FormatAuto, FormatJSONL, FormatJSON, FormatBulk, FormatCSV, FormatTSV, FormatTREC, FormatExtracted, FormatDump, FormatLines, FormatTextDir, FormatCIFF, FormatDS2I}
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

// Detect returns the format of the input at path by its kind, its first bytes and its
// name; FormatAuto for a directory, whose files have each their own. It refuses what can
// be read only once: OpenDocuments detects the format there.
func Detect(path string) (Format, error) { return DocumentOptions{}.Detect(path) }

// Detect is the function Detect for inputs that are read with o, the encoding of which counts.
func (o DocumentOptions) Detect(path string) (Format, error) {
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
		return FormatAuto, nil
	}
	s, err := openText(path, o.Encoding)
	if err != nil {
		return "", err
	}
	defer s.Close()
	return s.detect()
}

// detect returns the format of a file that is an input of its own.
func (s *stream) detect() (Format, error) {
	head := s.peek(headSize)
	if len(head) == 0 {
		if err := s.failure(); err != nil {
			return "", err
		}
		return "", fmt.Errorf("%s is empty: its format cannot be told, name it", s.name)
	}
	if err := s.foreign(); err != nil {
		return "", err
	}
	if looksLikeCIFF(head) {
		return FormatCIFF, nil
	}
	if f := textFormat(s.name, head, false); f != "" {
		return f, nil
	}
	if looksLikeMbox(head) {
		return "", &Error{File: s.name, Offset: -1, Msg: "an mbox of mails, which is not divided; a folder of what git mailsplit -oFOLDER writes of it can be read"}
	}
	return "", fmt.Errorf("%s is in no format that can be told from its beginning, name it", s.name)
}

// textFormat returns the format of a file of documents by its first bytes and its name,
// or nothing. In a folder, whose files may be a document each, what looks only at the
// beginning like lines of documents is FormatTextDir.
func textFormat(name string, head []byte, inFolder bool) Format {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	ext := extension(name)
	// The head of a packed file is its first block.
	json := jsonFormat(text, len(head) < firstBlock)
	switch {
	case json != "":
		return json
	case ext == ".jsonl" || ext == ".ndjson":
		return FormatJSONL
	case len(text) > 0 && text[0] == '{' && !inFolder && ext != ".txt":
		return FormatJSONL
	case startsDump(text):
		return FormatDump
	case startsExtracted(text):
		return FormatExtracted
	case startsDoc(text):
		return FormatTREC
	case ext == ".csv":
		return FormatCSV
	case ext == ".tsv":
		return FormatTSV
	case ext == ".log":
		return FormatLines
	case inFolder:
		return FormatTextDir
	case bytes.IndexByte(line, 0) >= 0:
		return ""
	case ext == ".txt" && !haveTabs(line, rest):
		return FormatLines
	case bytes.IndexByte(line, '\t') > 0:
		return FormatTSV
	}
	return ""
}

// extension returns the lower-case extension of a name, before that of a compression.
func extension(name string) string {
	name = strings.ToLower(name)
	for _, packed := range []string{".gz", ".zst", ".bz2"} {
		name = strings.TrimSuffix(name, packed)
	}
	return filepath.Ext(name)
}

// looksLikeMbox reports whether text begins with a mail in a file of several: a line From, and a header.
func looksLikeMbox(text []byte) bool {
	if !bytes.HasPrefix(text, []byte("From ")) {
		return false
	}
	_, header, _ := bytes.Cut(text, []byte("\n"))
	name, _, ok := bytes.Cut(header[:min(len(header), 100)], []byte(":"))
	return ok && len(name) > 0 && !bytes.ContainsAny(name, " \t\r\n")
}

// haveTabs reports whether the first line and every whole one of rest has a tab.
func haveTabs(line, rest []byte) bool {
	for {
		if bytes.IndexByte(line, '\t') <= 0 {
			return false
		}
		var whole bool
		if line, rest, whole = bytes.Cut(rest, []byte("\n")); !whole {
			return true
		}
	}
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
	default:
		st, err := os.Stat(path)
		switch {
		case err == nil && st.IsDir():
			return folderSize(path)
		case err == nil && st.Mode().IsRegular():
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
