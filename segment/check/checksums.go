package check

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
)

// checksums verifies the checksums of all sections of the table, known or not, and of their
// pages.
func (v *verifier) checksums() error {
	sections := v.s.Header().Sections
	return v.Each(len(sections), 1, func(i, _ int) error { return v.section(sections[i]) })
}

// chunk is how many bytes are checksummed between calls of step.
const chunk = 4 << 20

// near is how many bytes are read for both checksums before the next, so that they stay in a
// cache.
const near = 64 << 10

// section verifies the checksum of a section and those of its pages, which say where the
// damage is.
func (v *verifier) section(sec format.Section) error {
	sum := xxhash.New()
	var run Damage // adjacent damaged pages
	damaged := false
	for off, left := sec.Offset, sec.PaddedLength(); left > 0; {
		n := min(left, chunk)
		b, err := v.s.Data().Range(off, n)
		if err != nil {
			return format.Locate(err, format.Place{File: v.s.Name(), Section: sec.ID.String(), Block: format.NoBlock})
		}
		for page := int64(0); page < n; page += format.PageSize {
			if page%near == 0 {
				sum.Write(b[page:min(page+near, n)])
			}
			err := v.s.Raw().CheckPages(sec, off+page, b[page:page+format.PageSize])
			if err == nil {
				continue
			}
			damaged = true
			if err := v.page(&run, err, sec, off+page, b[page:page+format.PageSize]); err != nil {
				return err
			}
		}
		off, left = off+n, left-n
		if err := v.Step(n); err != nil {
			return err
		}
	}
	if err := v.endRun(&run); err != nil {
		return err
	}
	if sum.Sum64() == sec.Checksum {
		return nil
	}
	if sec.ID == format.SectionPageSums {
		found, err := v.sums(sec)
		if found || err != nil {
			return err
		}
	}
	if damaged {
		return nil // the pages say more
	}
	return v.report(v.s.Raw().Corrupt(sec.ID, 0, "section checksum does not match"), Damage{Length: sec.PaddedLength()})
}

// page adds a damaged page to the run of those before it.
func (v *verifier) page(run *Damage, err error, sec format.Section, off int64, b []byte) error {
	if v.o.Report == nil {
		return err
	}
	d := Damage{Length: format.PageSize, Docs: v.docsAt(sec, off)}
	if stored, serr := v.s.Raw().StoredPageSum(off); serr == nil {
		d.Flip = flipIn(off, format.PageSize, stored^format.PageSum(b))
	}
	if run.Err != nil && run.Err.Section == sec.ID.String() && run.Err.Offset+run.Length == off {
		run.Length += format.PageSize
		run.Docs[1] = max(run.Docs[1], d.Docs[1])
		run.Flip = nil
		run.Err.Msg = fmt.Sprintf("bytes %d to %d do not match their checksums", run.Err.Offset, off+format.PageSize-1)
		return nil
	}
	if err := v.endRun(run); err != nil {
		return err
	}
	var e *format.Error
	switch {
	case !errors.As(err, &e):
		return err
	case e.Offset != off:
		return nil // the sums are damaged, which their own section reports
	}
	d.Err = new(format.Error)
	*d.Err = *e
	*run = d
	return nil
}

func (v *verifier) endRun(run *Damage) error {
	d := *run
	*run = Damage{}
	if d.Err == nil {
		return nil
	}
	return v.report(d.Err, d)
}

// docsAt returns the documents whose data a page of a section holds.
func (v *verifier) docsAt(sec format.Section, off int64) (docs [2]uint32) {
	if sec.ID != format.SectionDocLengths {
		return docs // other checks say which documents cannot be read
	}
	m, at := v.s.Meta(), off-sec.Offset
	for i := range v.s.Fields() {
		f := &v.s.Fields()[i]
		width := int64(f.LenWidth)
		if !f.HasLengths() || at >= f.LengthsAt+int64(m.Docs)*width || at+format.PageSize <= f.LengthsAt {
			continue
		}
		if docs[1] > 0 {
			return [2]uint32{} // of several fields
		}
		docs[0] = uint32((max(at-f.LengthsAt, 0) + width - 1) / width)
		docs[1] = uint32(min((at-f.LengthsAt+format.PageSize-1)/width+1, int64(m.Docs)))
	}
	return docs
}

// sums reports the damaged groups of PAGESUMS.
func (v *verifier) sums(sec format.Section) (found bool, err error) {
	const size = format.PageSumSize * (format.PageGroup + 1)
	for at := int64(0); at < sec.Length; at += size {
		n := min(size, sec.Length-at)
		b, err := v.s.Data().Range(sec.Offset+at, n)
		if err != nil {
			return found, format.Locate(err, format.Place{File: v.s.Name(), Section: sec.ID.String(), Block: format.NoBlock})
		}
		content := b[:n-format.PageSumSize]
		diff := format.PageSum(content) ^ binary.LittleEndian.Uint32(b[len(content):])
		if diff == 0 {
			continue
		}
		found = true
		d := Damage{Length: n, Flip: flipInSum(sec.Offset+at+int64(len(content)), diff)}
		if d.Flip == nil {
			d.Flip = flipIn(sec.Offset+at, int64(len(content)), diff)
		}
		if err := v.report(v.s.Raw().Corrupt(sec.ID, at, "checksums of pages do not match their own"), d); err != nil {
			return found, err
		}
	}
	return found, nil
}

// padding checks that every section ends in zeros.
func (v *verifier) padding() error {
	for _, sec := range v.s.Header().Sections {
		b, err := v.s.Data().Range(sec.Offset+sec.Length, sec.PaddedLength()-sec.Length)
		if err != nil {
			return format.Locate(err, format.Place{File: v.s.Name(), Section: sec.ID.String(), Block: format.NoBlock})
		}
		i := format.NonZero(b)
		if i < 0 {
			continue
		}
		if err := v.report(v.s.Raw().Corrupt(sec.ID, sec.Length+int64(i), "padding is not zero"), Damage{Length: int64(len(b) - i)}); err != nil {
			return err
		}
	}
	return nil
}
