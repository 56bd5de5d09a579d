package check

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
)

// checksums verifies the checksums of all sections of the table, known or not, and of their
// pages, which say where the damage is.
func (v *verifier) checksums() error {
	sections := v.s.Header().Sections
	sums := make([]sectionSums, len(sections))
	err := v.Each(len(sections), 1, func(i, _ int) error {
		sums[i].sec = sections[i]
		return v.section(&sums[i])
	})
	if err != nil {
		return err
	}
	return v.damaged(sums)
}

// sectionSums is what the checksums of a section and of the pages that begin in it say.
type sectionSums struct {
	sec   format.Section
	wrong bool // the section's checksum
	pages []page
}

// page is a page that does not match its sum.
type page struct {
	number int64
	err    error // what Raw.CheckPage returned
	flip   *Flip // the bit that explains it, or nil
}

// chunk is how many bytes are checksummed between calls of step, and near how many for both
// checksums before the next, so that they stay in a cache.
const (
	chunk = 4 << 20
	near  = 64 << 10
)

// section computes the checksums of a section and of the pages that begin in it, and once more if they are wrong and the bytes
// can be read again.
func (v *verifier) section(s *sectionSums) error {
	err := v.sum(s)
	if err == nil && (s.wrong || len(s.pages) > 0) && v.s.Raw().Forget(s.sec.Offset, s.sec.PaddedLength()+format.PageSize) {
		s.wrong, s.pages = false, nil
		err = v.sum(s)
	}
	return err
}

// sum computes them once.
func (v *verifier) sum(s *sectionSums) error {
	sum := xxhash.New()
	for off, end := s.sec.Offset, s.sec.End(); off < end; {
		n := min(end, off&^(chunk-1)+chunk) - off
		b, err := v.read(s.sec, off, n)
		if err != nil {
			return err
		}
		for at := off; at < off+n; {
			k := min(off+n, at&^(near-1)+near) - at
			sum.Write(b[at-off:][:k])
			if err := v.pages(s, b[at-off:][:k], at); err != nil {
				return err
			}
			at += k
		}
		off += n
		if err := v.Step(n); err != nil {
			return err
		}
	}
	s.wrong = sum.Sum64() != s.sec.Checksum
	return nil
}

func (v *verifier) read(sec format.Section, off, n int64) ([]byte, error) {
	b, err := v.s.Data().Range(off, n)
	return b, format.Locate(err, format.Place{File: v.s.Name(), Section: sec.ID.String(), Block: format.NoBlock})
}

// pages checks the pages that begin in b, which is at off of the file in section s. The last
// may end in a later section.
func (v *verifier) pages(s *sectionSums, b []byte, off int64) error {
	raw := v.s.Raw()
	pages := raw.Pages()
	for number := off / format.PageSize; number < pages.End; number++ {
		lo, hi := pages.Bounds(number)
		switch {
		case lo >= off+int64(len(b)):
			return nil
		case number < pages.First || lo < off:
			continue
		}
		p := b[lo-off:]
		if int64(len(p)) >= hi-lo {
			p = p[:hi-lo]
		} else {
			var err error
			if p, err = v.read(s.sec, lo, hi-lo); err != nil {
				return err
			}
		}
		if err := raw.CheckPage(s.sec, number, p); err != nil {
			x := page{number: number, err: err}
			if stored, err := raw.StoredPageSum(number); err == nil {
				x.flip = flipIn(lo, hi-lo, stored^format.PageSum(p))
			}
			s.pages = append(s.pages, x)
		}
	}
	return nil
}

// damaged reports what is damaged, by sections: of a damaged page the parts in those of its
// sections whose checksums are wrong.
func (v *verifier) damaged(sums []sectionSums) error {
	found := map[format.SectionID][]Damage{}
	for i := range sums {
		for _, p := range sums[i].pages {
			for _, sec := range v.blamed(sums, &sums[i], p) {
				if err := v.page(found, sec, p); err != nil {
					return err
				}
			}
		}
	}
	for i := range sums {
		for _, d := range found[sums[i].sec.ID] {
			if err := v.report(d.Err, d); err != nil {
				return err
			}
		}
	}
	for i := range sums {
		s := &sums[i]
		if !s.wrong || len(found[s.sec.ID]) > 0 {
			continue // the pages say more
		}
		if s.sec.ID == format.SectionPageSums {
			if groups, err := v.sums(s.sec); groups || err != nil {
				if err != nil {
					return err
				}
				continue
			}
		}
		if err := v.report(v.s.Raw().Corrupt(s.sec.ID, 0, "section checksum does not match"), Damage{Length: s.sec.PaddedLength()}); err != nil {
			return err
		}
	}
	return nil
}

// blamed returns the sections of a damaged page that are damaged: the one with the flipped
// bit if one is, else those whose checksums are wrong, else the one in which it begins.
func (v *verifier) blamed(sums []sectionSums, owner *sectionSums, p page) (secs []format.Section) {
	lo, hi := v.s.Raw().Pages().Bounds(p.number)
	for i := range sums {
		s := &sums[i]
		if !s.wrong || s.sec.Offset >= hi || s.sec.End() <= lo {
			continue
		}
		if p.flip != nil && p.flip.Offset >= s.sec.Offset && p.flip.Offset < s.sec.End() {
			return []format.Section{s.sec}
		}
		secs = append(secs, s.sec)
	}
	if secs == nil {
		secs = []format.Section{owner.sec}
	}
	return secs
}

// page adds the part of a damaged page that is in sec to what was found, as one damage with
// the page before it if that is damaged too.
func (v *verifier) page(found map[format.SectionID][]Damage, sec format.Section, p page) error {
	var e *format.Error
	lo, hi := v.s.Raw().Pages().Bounds(p.number)
	switch {
	case !errors.As(p.err, &e) || e.Offset != lo && v.o.Report == nil:
		return p.err
	case e.Offset != lo:
		return nil // the sums are damaged, which their own section reports
	}
	lo, hi = max(lo, sec.Offset), min(hi, sec.End())
	d := Damage{Length: hi - lo, Docs: v.docsAt(sec, lo, hi)}
	if f := p.flip; f != nil && f.Offset >= lo && f.Offset < hi {
		d.Flip, d.Docs = f, v.docsAt(sec, f.Offset, f.Offset+1)
	}
	runs := found[sec.ID]
	if n := len(runs); n > 0 && runs[n-1].Err.Offset+runs[n-1].Length == lo {
		run := &runs[n-1]
		run.Length += d.Length
		run.Docs[1] = max(run.Docs[1], d.Docs[1])
		run.Flip = nil
		run.Err.Msg = fmt.Sprintf("bytes %d to %d do not match their checksums", run.Err.Offset, hi-1)
		return nil
	}
	errors.As(v.s.Raw().Corrupt(sec.ID, lo-sec.Offset, "bytes %d to %d do not match their checksum", lo, hi-1), &d.Err)
	found[sec.ID] = append(runs, d)
	return nil
}

// docsAt returns the documents whose data bytes lo to hi of the file hold, which are in a
// section.
func (v *verifier) docsAt(sec format.Section, lo, hi int64) (docs [2]uint32) {
	if sec.ID != format.SectionDocLengths {
		return docs // other checks say which documents cannot be read
	}
	m := v.s.Meta()
	lo, hi = lo-sec.Offset, hi-sec.Offset
	for i := range v.s.Fields() {
		f := &v.s.Fields()[i]
		width := int64(f.LenWidth)
		if !f.HasLengths() || lo >= f.LengthsAt+int64(m.Docs)*width || hi <= f.LengthsAt {
			continue
		}
		if docs[1] > 0 {
			return [2]uint32{} // of several fields
		}
		docs[0] = uint32(max(lo-f.LengthsAt, 0) / width)
		docs[1] = uint32(min((hi-1-f.LengthsAt)/width+1, int64(m.Docs)))
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
		b, err := v.read(sec, sec.Offset+sec.Length, sec.PaddedLength()-sec.Length)
		if err != nil {
			return err
		}
		i := format.NonZero(b)
		if i >= 0 && v.s.Raw().Forget(sec.Offset+sec.Length, int64(len(b))) {
			if b, err = v.read(sec, sec.Offset+sec.Length, int64(len(b))); err != nil {
				return err
			}
			i = format.NonZero(b)
		}
		if i < 0 {
			continue
		}
		if err := v.report(v.s.Raw().Corrupt(sec.ID, sec.Length+int64(i), "padding is not zero"), Damage{Length: int64(len(b) - i)}); err != nil {
			return err
		}
	}
	return nil
}
