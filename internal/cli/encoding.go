package cli

import (
	"fmt"
	"unicode/utf8"
)

// NotUTF8 says that n documents that were added are not UTF-8, of which the first is at a place.
func NotUTF8(n uint64, first string) string {
	return fmt.Sprintf("%s, the first %s; words with such bytes are not found: see --encoding, such as windows-1252", Number(n, "document"), Printable(first))
}

// Undecoded says that n characters could not be decoded, of which the first is at a place.
func Undecoded(n uint64, first string) string {
	return fmt.Sprintf("%s, now U+FFFD, the first %s: see --encoding", Number(n, "character"), Printable(first))
}

// CheckText returns a usage error for a text to search, which what names gives, if it is not UTF-8: no document would match.
func CheckText(what, text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	return Usage("%s %s is not UTF-8: is the terminal in another encoding?", what, Quote(text))
}
