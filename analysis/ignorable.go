package analysis

import "unicode/utf8"

// isIgnorable reports whether r has the property Default_Ignorable_Code_Point: it cannot be seen. What the option
// ignorable=drop means must not change, so the table is this one, and not that of a version of Unicode.
func isIgnorable(r rune) bool {
	switch {
	case r < 0x2000:
		return r == 0xad || r == 0x34f || r == 0x61c || r == 0x115f || r == 0x1160 || r == 0x17b4 || r == 0x17b5 || 0x180b <= r && r <= 0x180f
	case r < 0x3000:
		return 0x200b <= r && r <= 0x200f || 0x202a <= r && r <= 0x202e || 0x2060 <= r && r <= 0x206f
	case r < 0x10000:
		return r == 0x3164 || 0xfe00 <= r && r <= 0xfe0f || r == 0xfeff || r == 0xffa0 || 0xfff0 <= r && r <= 0xfff8
	}
	return 0x1bca0 <= r && r <= 0x1bca3 || 0x1d173 <= r && r <= 0x1d17a || 0xe0000 <= r && r <= 0xe0fff
}

// withinWord reports whether r cannot be seen and does not separate words, as U+200B does.
func withinWord(r rune) bool { return r != 0x200b && isIgnorable(r) }

// appendSeen appends b without what cannot be seen.
func appendSeen(dst, b []byte) []byte {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if !isIgnorable(r) {
			dst = append(dst, b[i:i+n]...)
		}
		i += n
	}
	return dst
}
