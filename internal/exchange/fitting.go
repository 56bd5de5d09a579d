package exchange

import (
	"bytes"
	"encoding/csv"
	"errors"
	"maps"
	"slices"
	"strings"
)

// fitting returns in which format a file of a folder is read that has a format and begins with head. What is no file of documents
// after all, since its first record has no id or no text, is text, as the files of a program's configuration are; but what its
// name says to be records is an error that matches ErrForeign.
func (d *Documents) fitting(path string, format Format, head []byte) (Format, error) {
	if d.opts.Format != FormatAuto {
		return format, nil
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	line, _, _ := bytes.Cut(head, []byte("\n"))
	var err error
	switch format {
	case FormatJSONL, FormatJSON:
		err = d.opts.fit(firstKeys(head))
	case FormatCSV:
		r := csv.NewReader(bytes.NewReader(head))
		r.Comma = rune(separator(line))
		var columns []string
		if columns, err = r.Read(); err == nil {
			err = d.opts.fit(columns)
		}
	case FormatTSV:
		if !d.opts.AutoID && bytes.IndexByte(line, '\t') < 0 {
			err = errors.New("no tab between id and text")
		}
	}
	if err == nil {
		return format, nil
	}
	switch extension(path) {
	case ".jsonl", ".ndjson", ".csv", ".tsv":
		return "", &Error{File: path, Offset: -1, Recoverable: true, Err: foreignError("no documents: " + err.Error())}
	}
	return FormatTextDir, nil
}

// fit returns why a record with these keys is no document, nil if it can be one.
func (o *DocumentOptions) fit(keys []string) error {
	if len(keys) == 0 {
		return nil // whoever reads it says what is wrong
	}
	if o.Schema == nil {
		set := o.Fields.set(o.AutoID)
		_, _, err := set.choose(nil, func(slot int) bool { return slices.Contains(keys, set.names[slot]) })
		if err != nil {
			err = thereAre(err, keys)
		}
		return err
	}
	ids := usualIDs
	if o.Fields.ID != "" {
		name, _, _ := strings.Cut(o.Fields.ID, ".")
		ids = []string{o.Fields.ID, name}
	}
	if o.AutoID || slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(ids, key) }) {
		return nil
	}
	return thereAre(missing(ids[0]), keys)
}

// Passed returns how many pages of dumps of wikis were passed over, by reasons, after the last document.
func (d *Documents) Passed() map[string]uint64 { return maps.Clone(d.passed) }

// countPassed takes the figures of pages that have been read.
func (d *Documents) countPassed(w *wiki) {
	x, ok := w.pages.(*dump)
	if !ok {
		return
	}
	if d.passed == nil {
		d.passed = map[string]uint64{}
	}
	for why, n := range x.passed {
		d.passed[why] += n
	}
}
