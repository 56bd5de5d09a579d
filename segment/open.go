package segment

import (
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/colblock"
	"github.com/pinion-index/pinion/internal/segment/layout"
	"github.com/pinion-index/pinion/schema"
)

// Open reads header, footer, META and FIELDS of the file behind d, which error messages call name.
// It reads nothing else, whatever the size of the file. What is used later is compared with
// the checksums of its pages, each page once, or each time if d caches what it reads. Damage gives an
// error of kind format.ErrCorrupt each time.
func Open(name string, d Data) (*Segment, error) { return open(name, d, nil, nil) }

// OpenAs is Open for a file whose META or FIELDS are lost: meta and fields are what they would say, of which
// FirstBlock, Blocks and LengthsAt need not be set. It is for code that reads what is left of damaged files.
func OpenAs(name string, d Data, meta *Meta, fields []Field) (*Segment, error) {
	place := Field{Vectors: new(FieldVectors)}
	fields = slices.Clone(fields)
	for i := range fields {
		fields[i].Blocks = int(layout.TermBlocks(fields[i].Terms))
		place.follow(&fields[i], meta)
	}
	return open(name, d, meta, fields)
}

// open is Open, or OpenAs if meta is not nil.
func open(name string, d Data, meta *Meta, fields []Field) (*Segment, error) {
	s := &Segment{name: name, data: d, views: new(views)}
	var mapped []byte
	if m, ok := d.(interface{ Mapped() []byte }); ok {
		mapped = m.Mapped()
		if len(mapped) > 0 && !aligned(mapped, 64) {
			return nil, fmt.Errorf("segment %s: memory is not 64-byte aligned: %w", name, fs.ErrInvalid)
		}
	}
	if a, ok := d.(ahead); ok && mapped != nil {
		s.ahead = a
	}
	if r, ok := d.(OnDemand); ok && mapped == nil {
		s.remote = r
	}
	o := opening{s}
	if err := o.readHeader(); err != nil {
		return nil, err
	}
	if meta != nil {
		s.meta, s.fields = *meta, fields
		s.views.fieldLengths = newFieldLengths(len(fields))
	} else if err := o.readMeta(); err != nil {
		return nil, err
	} else if err := o.readFields(); err != nil {
		return nil, err
	}
	s.impacts = slices.ContainsFunc(s.fields, func(f Field) bool { return f.HasImpacts() })
	if err := o.findPageSums(mapped); err != nil {
		return nil, err
	}
	if err := o.findSections(mapped); err != nil {
		return nil, err
	}
	if meta == nil { // else dimensions may be lost, too
		if err := o.findVectors(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// newFieldLengths returns room for the lengths of n fields, except the first.
func newFieldLengths(n int) []atomic.Pointer[LengthTable] {
	return make([]atomic.Pointer[LengthTable], max(n-1, 0))
}

// opening is a segment whose parts are not all found yet.
type opening struct{ *Segment }

// readHeader reads header and footer, and once more if they are damaged and can be.
func (o opening) readHeader() error {
	size := o.data.Size()
	read, err := o.parseHeader(size)
	if err != nil && read && o.forget(0, min(size, format.PageSize)) && o.forget(max(size-format.FooterSize, 0), min(size, format.FooterSize)) {
		_, err = o.parseHeader(size)
	}
	return err
}

// parseHeader sets s.h. It reports whether what that takes was read.
func (o opening) parseHeader(size int64) (read bool, err error) {
	a := o.ask() // both at once, and not what is around them
	a.add(0, min(size, format.PageSize))
	a.add(max(size-format.FooterSize, 0), min(size, format.FooterSize))
	a.send()
	page, err := o.read(0, min(size, format.PageSize))
	if err != nil {
		return false, format.Locate(err, format.Place{File: o.name, Section: "header", Block: format.NoBlock})
	}
	foot := []byte(nil)
	if size >= format.FooterSize {
		if foot, err = o.read(size-format.FooterSize, format.FooterSize); err != nil {
			return false, format.Locate(err, format.Place{File: o.name, Section: "footer", Block: format.NoBlock})
		}
	}
	if o.h, err = format.ParseHeader(o.name, size, page, foot); err != nil {
		return true, err
	}
	if o.h.Kind != format.KindSegment {
		e := format.Corrupt("file is a %s, not a segment", o.h.Kind)
		return true, format.Locate(e, format.Place{File: o.name, Section: "header", Block: format.NoBlock})
	}
	return true, nil
}

func (o opening) readMeta() error {
	var sec section
	var ok bool
	if sec.Section, ok = o.h.Section(format.SectionMeta); !ok || sec.Length > layout.MaxMeta {
		sec.ID = format.SectionMeta
		return o.corrupt(&sec, 0, "section is missing or too long")
	}
	a := o.ask()
	if fields, ok := o.h.Section(format.SectionFields); ok {
		a.add(fields.Offset, min(fields.PaddedLength(), o.h.FileLen-fields.Offset))
	}
	if o.ahead != nil || len(a.ranges) > 0 {
		a.add(sec.Offset, sec.PaddedLength())
	}
	a.send()
	b, err := o.readWhole(&sec)
	if err != nil {
		return err
	}
	o.meta, err = ParseMeta(format.NewBuffer(b[:sec.Length], sec.Offset), false)
	if err == nil && o.meta.Terms > uint64(o.h.FileLen) {
		return o.corrupt(&sec, 0, "%d terms in a file of %d bytes", o.meta.Terms, o.h.FileLen)
	}
	return format.Locate(err, o.place(&sec))
}

// readWhole returns sec with its padding, after comparing it with its checksum.
func (o opening) readWhole(sec *section) ([]byte, error) {
	b, err := o.sound(sec.Offset, sec.PaddedLength(), func(b []byte) error {
		if xxhash.Sum64(b) != sec.Checksum {
			return o.corrupt(sec, 0, "section checksum does not match")
		}
		return nil
	})
	return b, format.Locate(err, o.place(sec))
}

// readFields reads section FIELDS.
func (o opening) readFields() error {
	sec, ok := o.h.Section(format.SectionFields)
	if ok != (o.meta.Fields > 0) {
		return o.corrupt(&section{Section: format.Section{ID: format.SectionFields}}, 0, "section and what META says of it do not agree")
	}
	if !ok {
		o.implicit()
		return nil
	}
	x := section{Section: sec}
	if sec.Length > layout.MaxFields {
		return o.corrupt(&x, 0, "section has %d bytes, at most %d are possible", sec.Length, layout.MaxFields)
	}
	b, err := o.readWhole(&x)
	if err != nil {
		return err
	}
	if o.fields, err = ParseFields(format.NewBuffer(b[:sec.Length], sec.Offset), &o.meta); err != nil {
		return format.Locate(err, o.place(&x))
	}
	o.views.fieldLengths = newFieldLengths(len(o.fields))
	return nil
}

// implicit makes the field of the implicit schema.
func (o opening) implicit() {
	m := &o.meta
	f := Field{
		Field: schema.Implicit(m.Analyzer, m.AnalyzerOptions, m.Stored).Fields[0],
		Terms: m.Terms, Blocks: int(layout.TermBlocks(m.Terms)), Docs: m.Docs, Tokens: m.Tokens, LengthSum: m.Tokens,
		MinLen: m.MinLen, MaxLen: m.MaxLen, LenWidth: m.LenWidth,
	}
	o.fields = []Field{f}
}

// findPageSums locates PAGESUMS, which covers what is before it.
func (o opening) findPageSums(mapped []byte) error {
	p := &o.pages
	last := len(o.h.Sections) - 1
	if p.sums.ID = format.SectionPageSums; o.h.Sections[last].ID != p.sums.ID {
		return o.corrupt(&p.sums, 0, "section is missing or not the last")
	}
	p.sums.Section = o.h.Sections[last]
	p.Pages = o.h.Version.Pages(o.h.FrontSize(), p.sums.Offset)
	if want := p.SumsLength(); p.sums.Length != want {
		return o.corrupt(&p.sums, 0, "section has %d bytes, %d pages need %d", p.sums.Length, p.End-p.First, want)
	}
	p.mem = mapped
	p.groups = make([]atomic.Pointer[[]byte], (p.End-p.First+format.PageGroup-1)/format.PageGroup)
	p.good = make([]atomic.Uint64, (p.End+63)/64)
	_, p.anew = o.data.(interface{ Forget(off, n int64) })
	p.held = new(sync.Map)
	return nil
}

// findSections locates the sections and checks the lengths that META implies.
func (o opening) findSections(mapped []byte) error {
	counts := o.meta.Counts()
	for row := range format.Sections() {
		if row.Kind != format.KindSegment || row.Side == 0 { // those were found before
			continue
		}
		sec, has := o.h.Section(row.ID)
		to := o.section(row.ID)
		if to != nil {
			to.ID = row.ID
		}
		stored := row.ID == format.SectionStored || row.ID == format.SectionStoredIndex
		switch want := row.Required || stored && o.meta.Stored; {
		case has && stored && !want:
			return o.corrupt(&section{Section: sec}, 0, "META says that no text is stored")
		case !has && want:
			return o.corrupt(&section{Section: format.Section{ID: row.ID}}, 0, "section is missing")
		case !has:
			continue
		}
		if to == nil {
			o.others = append(o.others, section{})
			to = &o.others[len(o.others)-1]
		}
		to.Section = sec
		if err := o.checkLength(to, row.Length, counts); err != nil {
			return err
		}
		if mapped != nil {
			to.mem = mapped[sec.Offset : sec.Offset+sec.Length : sec.Offset+sec.PaddedLength()]
		}
	}
	if err := o.findPositions(); err != nil {
		return err
	}
	return o.findColumns()
}

// checkLength compares the length of sec with its rule.
func (o opening) checkLength(sec *section, r format.LengthRule, n format.Counts) error {
	if r.Implied != nil {
		if want := r.Implied(o.h.Version, n); sec.Length != want {
			return o.corrupt(sec, 0, "section has %d bytes, META implies %d", sec.Length, want)
		}
	}
	if sec.Length < r.Least {
		return o.corrupt(sec, 0, "section has %d bytes, the least is %d", sec.Length, r.Least)
	}
	if r.Multiple > 0 && sec.Length%r.Multiple != 0 {
		return o.corrupt(sec, sec.Length, "length is not a multiple of %d", r.Multiple)
	}
	return nil
}

// hasPositions reports whether s has the sections of positions: if a field with positions has terms.
func (s *Segment) hasPositions() bool {
	for i := range s.fields {
		if f := &s.fields[i]; f.Positions && f.Terms > 0 {
			return true
		}
	}
	return false
}

// findPositions checks that the sections of positions are there if they must be, and only then.
func (o opening) findPositions() error {
	has := o.hasPositions()
	for _, id := range []format.SectionID{format.SectionPositions, format.SectionPositionIndex} {
		switch sec := o.section(id); {
		case sec == nil && has:
			return o.corrupt(&section{Section: format.Section{ID: id}}, 0, "section is missing")
		case sec != nil && !has:
			return o.corrupt(sec, 0, "no field with positions has terms")
		}
	}
	return nil
}

// findColumns checks that the sections of columns are there if a field is a column, and only then.
func (o opening) findColumns() error {
	columns := int64(0)
	for i := range o.fields {
		if o.fields[i].Column {
			columns++
		}
	}
	for _, id := range []format.SectionID{format.SectionColumns, format.SectionColumnBounds} {
		sec := o.section(id)
		switch {
		case sec == nil && columns > 0:
			return o.corrupt(&section{Section: format.Section{ID: id}}, 0, "section is missing")
		case sec != nil && columns == 0:
			return o.corrupt(sec, 0, "no field is a column")
		case sec != nil && id == format.SectionColumnBounds && sec.Length != columns*colblock.BoundsSize(o.meta.Docs):
			return o.corrupt(sec, 0, "section has %d bytes, %d columns of %d documents imply %d", sec.Length, columns, o.meta.Docs, columns*colblock.BoundsSize(o.meta.Docs))
		}
	}
	if columns > 0 {
		o.views.columns = make([]atomic.Pointer[columnTable], len(o.fields))
	}
	return nil
}
