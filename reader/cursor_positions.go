package reader

import (
	"errors"

	"github.com/pinion-index/pinion/segment"
)

// AppendPositions appends to dst where in the current document the term is: as many ascending positions as Freq says, none
// at NoDoc. The error matches errors.ErrUnsupported if the field is not indexed with positions. Any other ends the walk, and
// Err returns it too; dst is then returned as it was.
func (c *Cursor) AppendPositions(dst []uint32) ([]uint32, error) {
	if c.inv == 0 || !c.loadFreqs() {
		return dst, c.err
	}
	out, err := dst, error(nil)
	if c.armed {
		out, err = appendPositions(c, dst)
	} else {
		err = c.guard(func() (err error) {
			out, err = appendPositions(c, dst)
			return err
		})
	}
	if err == nil {
		return out, nil
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		c.end(err)
		err = c.err
	}
	return dst, err
}

func appendPositions(c *Cursor, dst []uint32) ([]uint32, error) {
	if c.self != c {
		return dst, errCopied
	}
	if !c.placed {
		p, err := c.list.Positions()
		if err != nil {
			return dst, err
		}
		if c.places == nil {
			c.places = new(segment.PositionReader)
		}
		c.places.Reset(&p)
		c.placed = true
	}
	before := uint32(0)
	for _, tf := range c.freqs[:c.pos] {
		before += tf
	}
	return c.places.Append(dst, c.block, before, c.freqs[c.pos])
}
