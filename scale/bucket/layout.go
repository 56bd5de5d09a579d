package bucket

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/reader"

	"github.com/pinion-index/pinion/format"
)

// Where the objects of an index lie.
const (
	manifestFolder = "manifests/"
	segmentFolder  = "segments/"
	deletesFolder  = "deletes/"
	valuesFolder   = "values/"
	keySuffix      = ".pin"
)

// kind is what an object holds.
type kind uint8

const (
	kindManifest kind = iota + 1
	kindSegment
	kindDeletes
	kindValues
)

// object is a parsed key.
type object struct {
	kind       kind
	generation uint64    // of a manifest
	segment    format.ID // of a segment, or the one whose documents are deleted, or values changed
	own        format.ID // of a deletes or values file
}

// manifestKey returns the key of the manifest of a generation, 1 to format.MaxFileNumber. Those of
// newer ones sort first.
func manifestKey(generation uint64) string {
	return fmt.Sprintf("%s%016x%s", manifestFolder, format.MaxFileNumber-generation, keySuffix)
}

// segmentKey returns the key of the segment of an id.
func segmentKey(segment format.ID) string {
	return segmentFolder + hex.EncodeToString(segment[:]) + keySuffix
}

// deletesKey returns the key of the deletes file of an id, whose documents are those of segment.
func deletesKey(segment, deletes format.ID) string {
	return deletesFolder + hex.EncodeToString(segment[:]) + "-" + hex.EncodeToString(deletes[:]) + keySuffix
}

// valuesKey returns the key of the file of an id with values of segment that were changed in place.
func valuesKey(segment, values format.ID) string {
	return valuesFolder + hex.EncodeToString(segment[:]) + "-" + hex.EncodeToString(values[:]) + keySuffix
}

// key returns the key of o.
func (o object) key() string {
	switch o.kind {
	case kindManifest:
		return manifestKey(o.generation)
	case kindSegment:
		return segmentKey(o.segment)
	case kindValues:
		return valuesKey(o.segment, o.own)
	}
	return deletesKey(o.segment, o.own)
}

// parseKey parses the key of an object of an index. It rejects anything else, including other
// spellings of the same object: what else lies in a bucket is not the index's.
func parseKey(key string) (o object, ok bool) {
	name, ok := strings.CutSuffix(key, keySuffix)
	if !ok {
		return o, false
	}
	if s, found := strings.CutPrefix(name, manifestFolder); found {
		left, err := strconv.ParseUint(s, 16, 64)
		if err != nil || left >= format.MaxFileNumber {
			return object{}, false
		}
		o = object{kind: kindManifest, generation: format.MaxFileNumber - left}
	} else if s, found := strings.CutPrefix(name, segmentFolder); found {
		o.kind = kindSegment
		ok = parseID(&o.segment, s)
	} else if s, found := strings.CutPrefix(name, deletesFolder); found {
		o.kind = kindDeletes
		ok = o.parseIDs(s)
	} else if s, found := strings.CutPrefix(name, valuesFolder); found {
		o.kind = kindValues
		ok = o.parseIDs(s)
	}
	if !ok || o.kind == 0 || o.key() != key {
		return object{}, false
	}
	return o, true
}

// parseIDs parses the ids of a segment and of a file of it.
func (o *object) parseIDs(s string) bool {
	segment, own, _ := strings.Cut(s, "-")
	return parseID(&o.segment, segment) && parseID(&o.own, own)
}

// parseID parses 32 hexadecimal digits.
func parseID(id *format.ID, s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == len(id) && copy(id[:], b) == len(id)
}

// objects returns the keys of the segments, deletes and values files of a manifest.
func objects(m *reader.Manifest) []string {
	var keys []string
	for _, f := range m.Files() {
		keys = append(keys, keyOf(f))
	}
	return keys
}

// keyOf returns the key of a file of a commit.
func keyOf(f reader.CommitFile) string {
	switch f.Kind {
	case format.KindDeletes:
		return deletesKey(f.Segment, f.Deletes)
	case format.KindValues:
		return valuesKey(f.Segment, f.Values)
	}
	return segmentKey(f.Segment)
}
