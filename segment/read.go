package segment

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/pinion-index/pinion/format"
)

// read returns n bytes at off of the file. Data that gives others than these is at fault, not the file: the error matches
// fs.ErrInvalid.
func (s *Segment) read(off, n int64) ([]byte, error) {
	b, err := s.data.Range(off, n)
	if err == nil && int64(len(b)) != n {
		err = fmt.Errorf("segment %s: data source gave %d bytes for %d at %d: %w", s.name, len(b), n, off, fs.ErrInvalid)
	}
	return b, err
}

// sound returns n bytes at off of the file. If check finds them damaged, they are read once more where they can be, and its
// error is that of what came then.
func (s *Segment) sound(off, n int64, check func(b []byte) error) ([]byte, error) {
	b, err := s.read(off, n)
	if err != nil {
		return nil, err
	}
	if err = check(b); !errors.Is(err, format.ErrCorrupt) || !s.forget(off, n) {
		return b, err
	}
	if b, err = s.read(off, n); err != nil {
		return nil, err
	}
	if err = check(b); err != nil {
		s.forget(off, n) // the next caller reads anew
	}
	return b, err
}

// forget tells Data that caches what it reads that n bytes at off are damaged. It reports whether they can be read again:
// the damage may have come on the way.
func (s *Segment) forget(off, n int64) bool {
	f, ok := s.data.(interface{ Forget(off, n int64) })
	if ok {
		f.Forget(off, n)
	}
	return ok
}

func (s *Segment) place(sec *section) format.Place {
	return format.Place{File: s.name, Section: sec.ID.String(), Block: format.NoBlock}
}

// corrupt returns an error of kind format.ErrCorrupt at offset off in sec.
func (s *Segment) corrupt(sec *section, off int64, msg string, args ...any) error {
	e := format.Corrupt(msg, args...)
	e.Offset = sec.Offset + off
	return format.Locate(e, s.place(sec))
}

// locateAt returns err with file offset off, unless it has an offset already.
func locateAt(err error, off int64) error {
	var e *format.Error
	if errors.As(err, &e) && e.Offset < 0 {
		c := *e
		c.Offset = off
		return &c
	}
	return err
}
