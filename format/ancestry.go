package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/internal/errs"
)

// MaxSessions bounds the sessions that an Ancestry names: with more, it forgets the first ones.
const MaxSessions = 256

// MaxFileNumber bounds the numbers of commits, and of the files of an index.
const MaxFileNumber = 1<<53 - 1

// Ancestry says which commit a commit is and which ones it comes from, so that copies of an index that
// have gone different ways are told apart. It is a list of sessions of writers. Each session, which begins
// when a writer takes the lock, draws an id, and its commits have consecutive numbers. So the id of a session and
// the number of a commit name the commit, and a list of sessions names all commits between, however many
// there are. An index that was restored from a backup goes on in another session than the index that the
// backup was made of.
type Ancestry struct {
	// Since is the least number of the commits that are named; of those before nothing is known.
	Since uint64
	// Sessions are those that made the commits from Since on, in their order. The last commit of the
	// last one is the commit itself. None, in the manifest of a commit, says that a writer made it that
	// did not write them down.
	Sessions []Session
}

// Session is a part of an Ancestry.
type Session struct {
	ID   uint64 // random
	Last uint64 // number of the last commit; that of the first follows the Last of the session before, or is Since
}

// Next returns the ancestry of a commit with a higher number that a session, by its id, makes after the one of a. A new session
// has a random id.
func (a Ancestry) Next(generation, session uint64) Ancestry {
	n := len(a.Sessions)
	if n == 0 {
		return Ancestry{Since: generation, Sessions: []Session{{session, generation}}}
	}
	a = a.Clone()
	if a.Sessions[n-1].ID == session {
		a.Sessions[n-1].Last = generation
		return a
	}
	a.Sessions = append(a.Sessions, Session{session, generation})
	if n++; n > MaxSessions {
		a.Since = a.Sessions[n-MaxSessions-1].Last + 1
		a.Sessions = slices.Delete(a.Sessions, 0, n-MaxSessions)
	}
	return a
}

// Recent returns a with the last n sessions, at least one.
func (a Ancestry) Recent(n int) Ancestry {
	if drop := len(a.Sessions) - max(n, 1); drop > 0 {
		return Ancestry{a.Sessions[drop-1].Last + 1, slices.Clone(a.Sessions[drop:])}
	}
	return a.Clone()
}

// Clone returns a deep copy of a.
func (a Ancestry) Clone() Ancestry { return Ancestry{a.Since, slices.Clone(a.Sessions)} }

// Has reports whether the commit that b names is that of a or one that it comes from. known is false if a does
// not reach back so far.
func (a Ancestry) Has(b Ancestry) (has, known bool) {
	if len(a.Sessions) == 0 || len(b.Sessions) == 0 {
		return false, false
	}
	c := b.Sessions[len(b.Sessions)-1]
	if c.Last < a.Since {
		return false, false
	}
	i, _ := slices.BinarySearchFunc(a.Sessions, c.Last, func(s Session, n uint64) int {
		if s.Last < n {
			return -1
		}
		return 1
	})
	return i < len(a.Sessions) && a.Sessions[i].ID == c.ID, true
}

// Name returns the name of the commit: its number and the id of its session, as "12-0123456789abcdef". Copies of a
// commit have the same name, and no other commit has it. It is "" if there is none.
func (a Ancestry) Name() string {
	if len(a.Sessions) == 0 {
		return ""
	}
	s := a.Sessions[len(a.Sessions)-1]
	return fmt.Sprintf("%d-%016x", s.Last, s.ID)
}

// ParseCommit returns the ancestry that names a commit, and nothing before, by what Name returned.
func ParseCommit(name string) (Ancestry, error) {
	number, id, _ := strings.Cut(name, "-")
	n, err := strconv.ParseUint(number, 10, 64)
	s, err2 := strconv.ParseUint(id, 16, 64)
	a := Ancestry{}.Next(n, s)
	if err != nil || err2 != nil || a.Name() != name || a.Check(n) != nil {
		return Ancestry{}, fmt.Errorf("%w: %.60q names no commit, as %s does", errs.ErrInvalid, name, "12-0123456789abcdef")
	}
	return a, nil
}

// Check returns what is wrong with a as the ancestry of the commit of a number, which may have none.
func (a Ancestry) Check(generation uint64) error {
	n := len(a.Sessions)
	if n == 0 && a.Since == 0 {
		return nil
	}
	if n == 0 || n > MaxSessions || a.Since == 0 || a.Sessions[n-1].Last != generation {
		return fmt.Errorf("an ancestry of %d sessions since commit %d, which is not that of commit %d", n, a.Since, generation)
	}
	last := a.Since - 1
	for _, s := range a.Sessions {
		if s.Last <= last || s.Last > MaxFileNumber {
			return errors.New("an ancestry out of order")
		}
		last = s.Last
	}
	return nil
}

// minSession is how many bytes a session takes at least.
const minSession = 9

// MaxAncestry is how many bytes an ancestry takes at most.
const MaxAncestry = 2*binary.MaxVarintLen64 + MaxSessions*(8+binary.MaxVarintLen64)

// AppendBinary appends the content of section ANCESTRY, which holds a, to dst.
func (a Ancestry) AppendBinary(dst []byte) ([]byte, error) {
	dst = binary.AppendUvarint(dst, a.Since)
	dst = binary.AppendUvarint(dst, uint64(len(a.Sessions)))
	last := a.Since - 1
	for _, s := range a.Sessions {
		dst = binary.LittleEndian.AppendUint64(dst, s.ID)
		dst = binary.AppendUvarint(dst, s.Last-last)
		last = s.Last
	}
	return dst, nil
}

// UnmarshalBinary sets a to what AppendBinary appended. The error is of kind ErrCorrupt.
func (a *Ancestry) UnmarshalBinary(b []byte) error {
	r := NewBuffer(b, 0)
	x := Ancestry{Since: r.Uvarint()}
	x.Sessions = make([]Session, r.Count(MaxSessions, minSession))
	last := x.Since - 1
	for i := range x.Sessions {
		s := &x.Sessions[i]
		s.ID = r.Uint64()
		if n := r.Uvarint(); n > MaxFileNumber {
			r.Fail("a session of %d commits", n)
		} else if last += n; r.Err() != nil {
			break
		}
		s.Last = last
	}
	if len(x.Sessions) == 0 {
		r.Fail("no session")
	}
	if err := r.Done(); err != nil {
		return err
	}
	if err := x.Check(last); err != nil {
		return Corrupt("%s", err)
	}
	*a = x
	return nil
}
