package segment

import (
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/layout"
)

// Segment is an open segment file: Lists is what it has of terms, Docs what it has of documents, Field what it has of a
// field, values in columns too, and Raw its stored form. It is safe for concurrent use. It does not close its Data.
type Segment struct {
	name    string
	data    Data
	h       *format.Header
	meta    Meta
	fields  []Field  // in the order of their names
	impacts bool     // some field is of kind impacts
	ahead   ahead    // data if it is a mapped file, or nil
	remote  OnDemand // data if it is read on demand with a context, or nil

	terms, termIndex, postings, docLengths section
	ids, idIndex, idHash                   section
	stored, storedIndex                    section
	others                                 []section // other optional ones of the table
	pages                                  pages
	views                                  *views
}

// views are views of whole sections, set on first use.
type views struct {
	termIndex     atomic.Pointer[termIndex]
	lengths       atomic.Pointer[LengthTable]   // of the first field
	fieldLengths  []atomic.Pointer[LengthTable] // of the others
	idIndex       atomic.Pointer[[]uint64]
	idHash        atomic.Pointer[[]uint64] // where it is not packed
	idTable       atomic.Pointer[layout.IDTable]
	storedIndex   atomic.Pointer[[]byte]
	columns       []atomic.Pointer[columnTable] // by field, if there are columns
	positionIndex atomic.Pointer[[]uint64]
	attached      attached
}

// attached is what others keep with a segment.
type attached struct {
	mu     sync.Mutex
	values map[any]any // by key
}

// Attached returns what others keep in memory with the open segment under a key, of a type of their own: what create
// returned when Attached was first called with it.
func (s *Segment) Attached(key any, create func() any) any {
	a := &s.views.attached
	a.mu.Lock()
	defer a.mu.Unlock()
	v, ok := a.values[key]
	if !ok {
		if a.values == nil {
			a.values = map[any]any{}
		}
		v = create()
		a.values[key] = v
	}
	return v
}

// newFieldLengths returns room for the lengths of n fields, except the first.
func newFieldLengths(n int) []atomic.Pointer[LengthTable] {
	return make([]atomic.Pointer[LengthTable], max(n-1, 0))
}

// Open reads header, footer, META and FIELDS of the file behind d, which error messages call name.
// It reads nothing else, whatever the size of the file. What is used later is compared with
// the checksums of its pages, each page once, or each time if d caches what it reads. Damage gives an
// error of kind format.ErrCorrupt each time.
func Open(name string, d Data) (*Segment, error) { return open(name, d, nil, nil) }

// OpenAs is Open for a file whose META or FIELDS are lost: meta and fields are what they would say, of which
// FirstBlock, Blocks and LengthsAt need not be set. It is for code that reads what is left of damaged files.
func OpenAs(name string, d Data, meta *Meta, fields []Field) (*Segment, error) {
	place := Field{}
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
	return s, nil
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

// words returns sec as 64-bit words, of which callers must touch those of a section in
// memory that they use. Others are read whole on first use.
func (s *Segment) words(sec *section, view *atomic.Pointer[[]uint64]) ([]uint64, error) {
	if v := view.Load(); v != nil {
		return *v, nil
	}
	b, err := s.peek(sec, 0, sec.Length)
	if err != nil {
		return nil, err
	}
	w := format.Uint64s(b)
	view.Store(&w)
	return w, nil
}

// Name returns the name given to Open.
func (s *Segment) Name() string { return s.name }

// Header returns the file's header. It must not be modified.
func (s *Segment) Header() *format.Header { return s.h }

// Meta returns the segment's metadata. It must not be modified.
func (s *Segment) Meta() *Meta { return &s.meta }

// Data returns the Data given to Open.
func (s *Segment) Data() Data { return s.data }

// section returns a section by its id, or nil if s does not have it or does not need it.
func (s *Segment) section(id format.SectionID) *section {
	switch id {
	case format.SectionTerms:
		return &s.terms
	case format.SectionTermIndex:
		return &s.termIndex
	case format.SectionPostings:
		return &s.postings
	case format.SectionDocLengths:
		return &s.docLengths
	case format.SectionIDs:
		return &s.ids
	case format.SectionIDIndex:
		return &s.idIndex
	case format.SectionIDHash:
		return &s.idHash
	case format.SectionStored:
		return &s.stored
	case format.SectionStoredIndex:
		return &s.storedIndex
	}
	for i := range s.others {
		if s.others[i].ID == id {
			return &s.others[i]
		}
	}
	return nil
}
