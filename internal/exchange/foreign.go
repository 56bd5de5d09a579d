package exchange

import "bytes"

// foreign is a kind of file that is recognized by its first bytes, in order to say what
// can be done instead of reading it.
type foreign struct {
	at    int // offset of magic
	magic string
	what  string // and what can be done
}

var foreigns = []foreign{
	{0, "\xfd7zXZ\x00", "compressed with xz, which is not inflated; what xz -dc prints can be read"},
	{0, "\x04\x22\x4d\x18", "compressed with lz4, which is not inflated; what lz4 -dc prints can be read"},
	{0, "\xff\x06\x00\x00sNaPpY", "compressed with snappy, which is not inflated; what snzip -dc prints can be read"},
	{0, "\x1f\x9d", "compressed with compress, which is not inflated; what gzip -dc prints can be read"},
	{0, "PK\x03\x04", "a zip archive, or a document that is one; a folder of what unzip extracts can be read"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive; a folder of what 7z x extracts can be read"},
	{257, "ustar", "a tar archive; a folder of what tar -x extracts can be read"},
	{0, "PAR1\x15", "a Parquet file, which is not read; write it as JSON lines or CSV, as duckdb and pandas can"},
	{0, "ARROW1\x00", "an Arrow file, which is not read; write it as JSON lines or CSV, as duckdb and pandas can"},
	{0, "Obj\x01", "an Avro file, which is not read; write it as JSON lines, as avro-tools tojson does"},
	{0, "SQLite format 3\x00", "an SQLite database, which is not read; what sqlite3 -header -csv prints of a query can be read, with --format csv"},
	{0, "WARC/", "a WARC file, which is not read; write its pages as JSON lines"},
	{0, "%PDF-", "a PDF file, which is not read; a folder of what pdftotext writes can be read"},
	{0, "\xff\xfe\x00\x00", "text in UTF-32, which is not read; what iconv -f UTF-32 -t UTF-8 prints can be read"},
	{0, "\x00\x00\xfe\xff", "text in UTF-32, which is not read; what iconv -f UTF-32 -t UTF-8 prints can be read"},
}

// foreignTo returns what a file is that begins with head, if that is known and not read.
func foreignTo(head []byte) string {
	for _, f := range foreigns {
		if len(head) > f.at && bytes.HasPrefix(head[f.at:], []byte(f.magic)) {
			return f.what
		}
	}
	return ""
}

// foreign returns an error about a file of a kind that is known and not read.
func (s *stream) foreign() error {
	if what := foreignTo(s.peek(512)); what != "" {
		return &Error{File: s.name, Offset: -1, Msg: what}
	}
	return nil
}
