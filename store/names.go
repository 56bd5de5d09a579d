package store

import (
	"fmt"
	"strconv"
	"strings"
)

// LockName is the name of the file whose lock the writer holds.
const LockName = "write.lock"

const (
	manifestPrefix = "manifest-"
	segmentPrefix  = "segment-"
	deletesPrefix  = "deletes-"
	suffix         = ".pin"
	tempSuffix     = ".tmp"
	// nameDigits is the minimum number of digits in a name; larger numbers have more.
	nameDigits = 12
	// MaxFileNumber bounds file numbers and generations.
	MaxFileNumber = 1<<53 - 1
)

// ManifestName returns the name of the manifest of commit generation.
func ManifestName(generation uint64) string { return name(manifestPrefix, generation) }

// SegmentName returns the name of segment file num.
func SegmentName(num uint64) string { return name(segmentPrefix, num) }

// DeletesName returns the name of deletes file num.
func DeletesName(num uint64) string { return name(deletesPrefix, num) }

func name(prefix string, num uint64) string {
	return fmt.Sprintf("%s%0*d%s", prefix, nameDigits, num, suffix)
}

// parseName parses a name that ManifestName, SegmentName or DeletesName returned.
// It rejects anything else, including other spellings of the same number.
func parseName(s string) (prefix string, num uint64, ok bool) {
	for _, p := range [...]string{manifestPrefix, segmentPrefix, deletesPrefix} {
		digits, found := strings.CutPrefix(s, p)
		if !found {
			continue
		}
		num, err := strconv.ParseUint(strings.TrimSuffix(digits, suffix), 10, 64)
		return p, num, err == nil && num <= MaxFileNumber && name(p, num) == s
	}
	return "", 0, false
}

// isTemp reports whether a name is that of a scratch file or of a manifest that
// was never committed.
func isTemp(s string) bool {
	return strings.HasSuffix(s, tempSuffix) &&
		(strings.HasPrefix(s, "spool-") || strings.HasPrefix(s, manifestPrefix))
}
