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

// Segment is an open segment file. It is safe for concurrent use. It does not close its
// Data.
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
	if err := s.readHeader(); err != nil {
		return nil, err
	}
	if meta != nil {
		s.meta, s.fields = *meta, fields
		s.views.fieldLengths = newFieldLengths(len(fields))
	} else if err := s.readMeta(); err != nil {
		return nil, err
	} else if err := s.readFields(); err != nil {
		return nil, err
	}
	s.impacts = slices.ContainsFunc(s.fields, func(f Field) bool { return f.HasImpacts() })
	if err := s.findPageSums(mapped); err != nil {
		return nil, err
	}
	if err := s.findSections(mapped); err != nil {
		return nil, err
	}
	return s, nil
}

// readHeader reads header and footer, and once more if they are damaged and can be.
func (s *Segment) readHeader() error {
	size := s.data.Size()
	read, err := s.parseHeader(size)
	if err != nil && read && s.forget(0, min(size, format.PageSize)) && s.forget(max(size-format.FooterSize, 0), min(size, format.FooterSize)) {
		_, err = s.parseHeader(size)
	}
	return err
}

// parseHeader sets s.h. It reports whether what that takes was read.
func (s *Segment) parseHeader(size int64) (read bool, err error) {
	a := s.ask() // both at once, and not what is around them
	a.add(0, min(size, format.PageSize))
	a.add(max(size-format.FooterSize, 0), min(size, format.FooterSize))
	a.send()
	page, err := s.read(0, min(size, format.PageSize))
	if err != nil {
		return false, format.Locate(err, format.Place{File: s.name, Section: "header", Block: format.NoBlock})
	}
	foot := []byte(nil)
	if size >= format.FooterSize {
		if foot, err = s.read(size-format.FooterSize, format.FooterSize); err != nil {
			return false, format.Locate(err, format.Place{File: s.name, Section: "footer", Block: format.NoBlock})
		}
	}
	if s.h, err = format.ParseHeader(s.name, size, page, foot); err != nil {
		return true, err
	}
	if s.h.Kind != format.KindSegment {
		e := format.Corrupt("file is a %s, not a segment", s.h.Kind)
		return true, format.Locate(e, format.Place{File: s.name, Section: "header", Block: format.NoBlock})
	}
	return true, nil
}

func (s *Segment) readMeta() error {
	var sec section
	var ok bool
	if sec.Section, ok = s.h.Section(format.SectionMeta); !ok || sec.Length > layout.MaxMeta {
		sec.ID = format.SectionMeta
		return s.corrupt(&sec, 0, "section is missing or too long")
	}
	a := s.ask()
	if fields, ok := s.h.Section(format.SectionFields); ok {
		a.add(fields.Offset, min(fields.PaddedLength(), s.h.FileLen-fields.Offset))
	}
	if s.ahead != nil || len(a.ranges) > 0 {
		a.add(sec.Offset, sec.PaddedLength())
	}
	a.send()
	b, err := s.readWhole(&sec)
	if err != nil {
		return err
	}
	s.meta, err = ParseMeta(format.NewBuffer(b[:sec.Length], sec.Offset), false)
	if err == nil && s.meta.Terms > uint64(s.h.FileLen) {
		return s.corrupt(&sec, 0, "%d terms in a file of %d bytes", s.meta.Terms, s.h.FileLen)
	}
	return format.Locate(err, s.place(&sec))
}

// readWhole returns sec with its padding, after comparing it with its checksum.
func (s *Segment) readWhole(sec *section) ([]byte, error) {
	b, err := s.sound(sec.Offset, sec.PaddedLength(), func(b []byte) error {
		if xxhash.Sum64(b) != sec.Checksum {
			return s.corrupt(sec, 0, "section checksum does not match")
		}
		return nil
	})
	return b, format.Locate(err, s.place(sec))
}

// findSections locates the sections and checks the lengths that META implies.
func (s *Segment) findSections(mapped []byte) error {
	counts := s.meta.Counts()
	for row := range format.Sections() {
		if row.Kind != format.KindSegment || row.Side == 0 { // those were found before
			continue
		}
		sec, has := s.h.Section(row.ID)
		to := s.section(row.ID)
		if to != nil {
			to.ID = row.ID
		}
		stored := row.ID == format.SectionStored || row.ID == format.SectionStoredIndex
		switch want := row.Required || stored && s.meta.Stored; {
		case has && stored && !want:
			return s.corrupt(&section{Section: sec}, 0, "META says that no text is stored")
		case !has && want:
			return s.corrupt(&section{Section: format.Section{ID: row.ID}}, 0, "section is missing")
		case !has:
			continue
		}
		if to == nil {
			s.others = append(s.others, section{})
			to = &s.others[len(s.others)-1]
		}
		to.Section = sec
		if err := s.checkLength(to, row.Length, counts); err != nil {
			return err
		}
		if mapped != nil {
			to.mem = mapped[sec.Offset : sec.Offset+sec.Length : sec.Offset+sec.PaddedLength()]
		}
	}
	if err := s.findPositions(); err != nil {
		return err
	}
	return s.findColumns()
}

// checkLength compares the length of sec with its rule.
func (s *Segment) checkLength(sec *section, r format.LengthRule, n format.Counts) error {
	if r.Implied != nil {
		if want := r.Implied(s.h.Version, n); sec.Length != want {
			return s.corrupt(sec, 0, "section has %d bytes, META implies %d", sec.Length, want)
		}
	}
	if sec.Length < r.Least {
		return s.corrupt(sec, 0, "section has %d bytes, the least is %d", sec.Length, r.Least)
	}
	if r.Multiple > 0 && sec.Length%r.Multiple != 0 {
		return s.corrupt(sec, sec.Length, "length is not a multiple of %d", r.Multiple)
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
