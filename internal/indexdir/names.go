package indexdir

import (
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/store"
)

const (
	// LockName is the name of the file whose lock the writer holds.
	LockName = "write.lock"
)

const (
	manifestPrefix = "manifest-"
	mirrorPrefix   = "mirror-"
	segmentPrefix  = "segment-"
	deletesPrefix  = "deletes-"
	valuesPrefix   = "values-"
	oldPrefix      = "old-" // before the prefix of a manifest
	suffix         = ".pin"
	tempSuffix     = ".tmp"
	// nameDigits is the minimum number of digits in a name; larger numbers have more.
	nameDigits = 12
)

// ManifestName returns the name of the manifest of the commit of that number.
func ManifestName(generation uint64) string { return name(manifestPrefix, generation) }

// MirrorName returns the name of the second file of that manifest, which has the same
// content.
func MirrorName(generation uint64) string { return name(mirrorPrefix, generation) }

// manifestNames returns the names that a manifest can have: two, and two others once a
// newer commit has superseded it.
func manifestNames(generation uint64) []string {
	m, r := ManifestName(generation), MirrorName(generation)
	return []string{m, r, oldPrefix + m, oldPrefix + r}
}

// SegmentName returns the name of segment file num.
func SegmentName(num uint64) string { return name(segmentPrefix, num) }

// DeletesName returns the name of deletes file num.
func DeletesName(num uint64) string { return name(deletesPrefix, num) }

// ValuesName returns the name of values file num.
func ValuesName(num uint64) string { return name(valuesPrefix, num) }

func name(prefix string, num uint64) string {
	var digits [20]byte
	b := append(make([]byte, 0, 48), prefix...)
	d := strconv.AppendUint(digits[:0], num, 10)
	for range nameDigits - len(d) {
		b = append(b, '0')
	}
	return string(append(append(b, d...), suffix...))
}

// fileName is the parsed name of a file of an index.
type fileName struct {
	prefix string // one of those above, without oldPrefix
	num    uint64 // file number or generation
	old    bool   // of a superseded manifest
	temp   bool   // ends in tempSuffix: not committed, or not renamed since
}

// parseName parses a name of a manifest, segment, deletes or values file. It rejects
// anything else, including other spellings of the same number.
func parseName(s string) (n fileName, ok bool) {
	s, n.temp = strings.CutSuffix(s, tempSuffix)
	s, n.old = strings.CutPrefix(s, oldPrefix)
	for _, p := range [...]string{manifestPrefix, mirrorPrefix, segmentPrefix, deletesPrefix, valuesPrefix} {
		digits, found := strings.CutPrefix(s, p)
		if !found {
			continue
		}
		num, err := strconv.ParseUint(strings.TrimSuffix(digits, suffix), 10, 64)
		n.prefix, n.num = p, num
		return n, err == nil && num <= format.MaxFileNumber && name(p, num) == s && (n.isManifest() || !n.old)
	}
	return n, false
}

// String returns the name without the temporary suffix.
func (n fileName) String() string {
	if n.old {
		return oldPrefix + name(n.prefix, n.num)
	}
	return name(n.prefix, n.num)
}

func (n fileName) isManifest() bool { return n.prefix == manifestPrefix || n.prefix == mirrorPrefix }

// isSpool reports whether a name is that of a scratch file.
func isSpool(s string) bool {
	return strings.HasPrefix(s, "spool-") && strings.HasSuffix(s, tempSuffix)
}

// IsFileName reports whether a file of an index directory can have that name: a manifest, a
// segment, deletes or values file, each also while it is written, the lock, the quarantine, or a
// scratch file.
func IsFileName(s string) bool {
	_, ok := parseName(s)
	return ok || s == LockName || s == store.QuarantineName || isSpool(s)
}

// listing is what the names in a directory say.
type listing struct {
	dir    string
	names  []string
	newest uint64 // greatest generation of a manifest that is not superseded; 0 if there is none
	top    uint64 // greatest number of another file that was committed; 0 if there is none
	found  string // a file of an index that cannot be left from creating it; may be empty
	sure   string // one that is not temporary, so that there was a commit; may be empty
}

func list(fsys store.ReadFS) (*listing, error) {
	names, err := fsys.List()
	if err != nil {
		return nil, err
	}
	l := &listing{dir: fsys.String(), names: names}
	for _, s := range names {
		n, ok := parseName(s)
		switch {
		case s == store.QuarantineName:
			l.found, l.sure = s, s
		case !ok:
		case n.isManifest() && n.temp && n.num == 1:
		default:
			if l.found = s; !n.temp {
				l.sure = s
			}
			if n.isManifest() && !n.temp && !n.old {
				l.newest = max(l.newest, n.num)
			} else if !n.isManifest() && !n.temp {
				l.top = max(l.top, n.num)
			}
		}
	}
	return l, nil
}

// next returns a number above those of all files but manifests.
func (l *listing) next() uint64 {
	next := uint64(1)
	for _, s := range l.names {
		if n, ok := parseName(s); ok && !n.isManifest() {
			next = max(next, n.num+1)
		}
	}
	return next
}

// noManifest returns the error for a directory without a newest manifest: of kind
// format.ErrNotAnIndex if there is no trace of an index.
func (l *listing) noManifest() error {
	if l.sure == "" {
		return &format.Error{Kind: format.ErrNotAnIndex, File: l.dir, Block: format.NoBlock, Offset: -1,
			Msg: "there is no index in this directory"}
	}
	e := format.Corrupt("the manifest is missing, but there are files of an index, such as %s", l.sure)
	e.File = l.dir
	return e
}

// missingNewer returns an error if committed files are newer than m, which is the
// newest manifest found.
func (l *listing) missingNewer(m *Manifest) error {
	if l.top < m.NextFile {
		return nil
	}
	s := SegmentName(l.top)
	for _, have := range l.names {
		if have == DeletesName(l.top) || have == ValuesName(l.top) {
			s = have
		}
	}
	e := format.Corrupt("it is newer than commit %d, the newest manifest found: the manifest that names it is missing", m.Generation)
	e.File = s
	return e
}
