package cli

import (
	"fmt"
	"io"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/indexdir"
)

// Upgrade tells whether a command raises an index to a newer version of the format.
type Upgrade struct {
	dir  string
	from format.Version
}

// NewUpgrade returns the Upgrade of the index in dir, which need not exist.
func NewUpgrade(dir string) Upgrade { return Upgrade{dir, version(dir)} }

// Done reports whether the newest commit has another version than when the command began, which
// older versions cannot read, and says so.
func (u Upgrade) Done(stderr io.Writer) bool {
	now := version(u.dir)
	if u.from == (format.Version{}) || now == (format.Version{}) || now.Major == u.from.Major && now.Minor <= u.from.Minor {
		return false
	}
	fmt.Fprintf(stderr, "index upgraded to format %s; older versions cannot read it\n", now)
	return true
}

// version returns the version of the newest commit, zero if there is none or it cannot be read.
func version(dir string) format.Version {
	d, err := indexdir.Open(dir)
	if err != nil {
		return format.Version{}
	}
	defer d.Close()
	c, err := d.Latest()
	if err != nil {
		return format.Version{}
	}
	defer c.Release()
	return c.Manifest.Version
}
