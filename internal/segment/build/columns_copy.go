package build

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"
	"sort"

	"github.com/pinion-index/pinion/format"
	"github.com/pinion-index/pinion/internal/segment/colblock"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/segment"
)

// ColumnSource is a segment whose columns CopyColumns copies.
type ColumnSource struct {
	Segment *segment.Segment
	// Fields has for each field of the Builder the number of it in Segment.Fields, or -1 if the
	// segment lacks it.
	Fields []int
	// Whole says that all documents of the segment are copied.
	Whole bool
	// Shuffled says that they are in another order than in the segment. Then a column at a time
	// is held in memory.
	Shuffled bool
}

// ColumnRun are documents of a source, by its number: those from From up to, but not including, To.
type ColumnRun struct {
	Source   int
	From, To uint32
}

// CopyColumns adds the columns of all fields. docs yields the documents in the order of the new
// segment. It is walked several times. Keywords that only documents that are not copied have are left
// out; one that no document of its source has is damage. Blocks whose documents are a block again are
// copied as they are, unless Shuffled.
func CopyColumns(ctx context.Context, b *Builder, sources []ColumnSource, docs iter.Seq[ColumnRun]) error {
	for i := range b.fields {
		if f := &b.fields[i]; f.Column {
			c := columnCopier{ctx: ctx, b: b, docs: docs, parts: make([]columnPart, len(sources))}
			for j := range sources {
				var err error
				if c.parts[j], err = newColumnPart(&sources[j], i); err != nil {
					return err
				}
			}
			if err := c.copy(i, f.Kind == schema.Keyword); err != nil {
				return err
			}
		}
	}
	return nil
}

// columnCopier copies one column.
type columnCopier struct {
	ctx   context.Context
	b     *Builder
	docs  iter.Seq[ColumnRun]
	parts []columnPart
}

func (c *columnCopier) copy(field int, keywords bool) (err error) {
	var dictionary iter.Seq[[]byte]
	if keywords {
		if err := c.mark(); err != nil {
			return err
		}
		dictionary = func(yield func([]byte) bool) { err = c.union(yield) }
	}
	if e := c.b.BeginColumn(field, dictionary); err != nil || e != nil {
		return cmp.Or(err, e)
	}
	c.b.columns.used = nil // union left out others
	for i := range c.parts {
		c.parts[i].renumber(keywords)
	}
	return c.each(func(p *columnPart, from, to uint32) error {
		if p.column == nil {
			return c.b.AddColumnValues(new(segment.ColumnValues), 0, int(to-from))
		}
		if done, err := p.copyBlock(c.b, from, to); done || err != nil {
			return err
		}
		v, err := p.read(int(from / segment.ColumnBlock))
		if err != nil {
			return err
		}
		first := int(from % segment.ColumnBlock)
		return c.b.AddColumnValues(v, first, first+int(to-from))
	})
}

// each calls f with the documents of each run, those of each block of a source alone.
func (c *columnCopier) each(f func(p *columnPart, from, to uint32) error) error {
	n := uint32(0) // documents since ctx was asked
	for run := range c.docs {
		for from := run.From; from < run.To; {
			to := min(run.To, from&^(segment.ColumnBlock-1)+segment.ColumnBlock)
			if n += to - from; n >= segment.ColumnBlock {
				if n = 0; c.ctx.Err() != nil {
					return c.ctx.Err()
				}
			}
			if err := f(&c.parts[run.Source], from, to); err != nil {
				return err
			}
			from = to
		}
	}
	return c.ctx.Err()
}

// unused in columnPart.to: no document that is copied has the keyword.
const unused = ^uint32(0)

// mark makes the keywords that documents have those of each source that are not unused.
func (c *columnCopier) mark() error {
	whole := true
	for i := range c.parts {
		p := &c.parts[i]
		if p.column == nil {
			continue
		}
		p.to = make([]uint32, p.column.Info().Keywords)
		if err := p.checkUse(c.ctx); err != nil {
			return err
		}
		if !p.whole {
			whole = false
			for k := range p.to {
				p.to[k] = unused
			}
			p.left = len(p.to)
		}
	}
	if whole {
		return nil
	}
	return c.each(func(p *columnPart, from, to uint32) error {
		if p.left == 0 {
			return nil
		}
		v, err := p.read(int(from / segment.ColumnBlock))
		if err != nil {
			return err
		}
		first := int(from % segment.ColumnBlock)
		for key := range columnValues(v, first, first+int(to-from)) {
			if p.to[key] == unused {
				p.to[key] = 0
				p.left--
			}
		}
		return nil
	})
}

// checkUse finds a keyword that no document of the source has, copied or not. Verification refuses it. The new column would
// leave it out, or have it of another source, and be sound.
func (p *columnPart) checkUse(ctx context.Context) error {
	used := make([]uint64, (len(p.to)+63)/64)
	left := len(p.to)
	var v segment.ColumnValues
	for b := 0; left > 0 && b < p.column.Blocks(); b++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := p.column.Read(b, &v); err != nil {
			return err
		}
		for key := range columnValues(&v, 0, colblock.DocsIn(p.segment.Meta().Docs, b)) {
			if uint64(key) < uint64(len(p.to)) && used[key/64]>>(key%64)&1 == 0 { // else the block is damaged
				used[key/64] |= 1 << (key % 64)
				left--
			}
		}
	}
	if left == 0 {
		return nil
	}
	for b := range p.column.Blocks() { // a damaged one may be why
		if err := p.load(b, &v); err != nil {
			return err
		}
	}
	key := 0
	for used[key/64]>>(key%64)&1 != 0 {
		key++
	}
	return p.column.Corrupt(format.NoBlock, "no document has keyword %d", key)
}

// union yields the keywords of all sources that are used, in bytewise order, and sets what each
// source's become.
func (c *columnCopier) union(yield func([]byte) bool) error {
	var heads []*columnPart // by keyword
	for i := range c.parts {
		p := &c.parts[i]
		if p.column == nil {
			continue
		}
		p.keyword = -1
		if ok, err := p.nextKeyword(); err != nil {
			return err
		} else if ok {
			heads = insert(heads, p)
		}
	}
	var last []byte
	for n := uint32(0); len(heads) > 0; {
		p := heads[0]
		heads = heads[1:]
		if n == 0 || !bytes.Equal(p.bytes, last) {
			last = append(last[:0], p.bytes...)
			if n++; !yield(last) {
				return nil
			}
		}
		p.to[p.keyword] = n - 1
		if ok, err := p.nextKeyword(); err != nil {
			return err
		} else if ok {
			heads = insert(heads, p)
		}
	}
	return nil
}

// insert inserts p in heads, which are in the order of their keywords.
func insert(heads []*columnPart, p *columnPart) []*columnPart {
	i := sort.Search(len(heads), func(i int) bool { return bytes.Compare(heads[i].bytes, p.bytes) >= 0 })
	heads = append(heads, nil)
	copy(heads[i+1:], heads[i:])
	heads[i] = p
	return heads
}

// columnPart is what a source has of a column.
type columnPart struct {
	segment         *segment.Segment
	column          *segment.Column // nil: nothing
	whole, shuffled bool

	block  int // in vals, -1: none
	vals   segment.ColumnValues
	blocks []segment.ColumnValues // all of them, if shuffled
	again  colblock.Encoder

	to         []uint32 // ordinals of keywords in the new column, or unused
	left       int      // keywords that mark has not found yet
	renumbered bool     // what is read gets the new ordinals
	keyword    int      // in bytes
	bytes      []byte
	words      []byte // keywords from ahead on
	ends       []int  // of each in words
	ahead      int
}

func newColumnPart(s *ColumnSource, field int) (p columnPart, err error) {
	p = columnPart{segment: s.Segment, whole: s.Whole, shuffled: s.Shuffled, block: -1}
	if number := s.Fields[field]; number >= 0 {
		p.column, _, err = s.Segment.Field(number).Column()
	}
	return p, err
}

// nextKeyword moves to the next keyword that is used.
func (p *columnPart) nextKeyword() (ok bool, err error) {
	for p.keyword++; p.keyword < len(p.to); p.keyword++ {
		if p.to[p.keyword] == unused {
			continue
		}
		i := p.keyword - p.ahead
		if i >= len(p.ends) {
			if err := p.readWords(); err != nil {
				return false, err
			}
			i = 0
		}
		first := 0
		if i > 0 {
			first = p.ends[i-1]
		}
		p.bytes = p.words[first:p.ends[i]]
		return true, nil
	}
	return false, nil
}

// wordsAhead is how many keywords are read at a time.
const wordsAhead = 64

// readWords reads keywords from the current one on.
func (p *columnPart) readWords() error {
	last := slices.Clone(p.bytes) // of those read before
	p.words, p.ends, p.ahead = p.words[:0], p.ends[:0], p.keyword
	for word, err := range p.column.Keywords(int64(p.keyword)) {
		switch {
		case err != nil:
			return err
		case bytes.Compare(word, last) <= 0 && p.keyword+len(p.ends) > 0:
			return p.column.Corrupt(format.NoBlock, "keyword %.80q behind %.80q", word, last)
		}
		last = append(last[:0], word...)
		p.words = append(p.words, word...)
		if p.ends = append(p.ends, len(p.words)); len(p.ends) == wordsAhead {
			break
		}
	}
	return nil
}

// renumber makes read return the new ordinals of keywords, if there are keywords.
func (p *columnPart) renumber(keywords bool) {
	p.block, p.renumbered = -1, keywords
	for b := range p.blocks {
		p.translate(&p.blocks[b])
	}
}

// translate gives keywords their new ordinals, once renumber was called.
func (p *columnPart) translate(v *segment.ColumnValues) {
	if !p.renumbered || len(p.to) == 0 {
		return
	}
	for i, key := range v.Numbers {
		v.Numbers[i] = int64(p.to[key])
	}
}

// read returns the values of a block.
func (p *columnPart) read(block int) (*segment.ColumnValues, error) {
	if p.shuffled {
		if p.blocks == nil {
			p.blocks = make([]segment.ColumnValues, p.column.Blocks())
			for b := range p.blocks {
				if err := p.load(b, &p.blocks[b]); err != nil {
					return nil, err
				}
			}
		}
		return &p.blocks[block], nil
	}
	if block != p.block {
		p.block = -1
		if err := p.load(block, &p.vals); err != nil {
			return nil, err
		}
		p.block = block
	}
	return &p.vals, nil
}

// load reads a block and checks it as verification does: its values are written anew, and with them damage would become
// sound. Blocks that are copied are checked where they arrive.
func (p *columnPart) load(block int, v *segment.ColumnValues) error {
	b, err := p.segment.Raw().ColumnBlock(p.column, block)
	if err != nil {
		return err
	}
	bounds := p.column.Bounds(block)
	e := entryOf(&bounds)
	var x colblock.Block
	if !x.Open(b, &e, colblock.DocsIn(p.segment.Meta().Docs, block)) || !x.Check(b, &p.again, (*colblock.Values)(v)) {
		return p.column.Corrupt(block, "not the bytes that the block's %d values have as %v", e.Values, bounds.Form)
	}
	p.translate(v)
	return nil
}

// copyBlock copies the block that consists of the documents from from up to, but not including, to,
// as it is, if that is possible.
func (p *columnPart) copyBlock(b *Builder, from, to uint32) (done bool, err error) {
	block := int(from / segment.ColumnBlock)
	if p.shuffled || from%segment.ColumnBlock > 0 || to-from != min(segment.ColumnBlock, p.segment.Meta().Docs-from) || !b.takesBlock(int(to-from)) {
		return false, nil
	}
	e := p.column.Bounds(block)
	more, ok := p.distance(&e)
	if !ok {
		return false, nil
	}
	bytes, err := p.segment.Raw().ColumnBlock(p.column, block)
	if err != nil {
		return false, err
	}
	b.copyColumnBlock(bytes, &e, int(to-from), more)
	return true, nil
}

// distance returns by how much the values of a block rise, and whether all do by that.
func (p *columnPart) distance(e *segment.ColumnBounds) (more int64, ok bool) {
	if !p.renumbered || e.Docs == 0 {
		return 0, true
	}
	if e.Min < 0 || e.Max >= int64(len(p.to)) || p.to[e.Min] == unused {
		return 0, false
	}
	more = int64(p.to[e.Min]) - e.Min // the ordinals between rise, too
	return more, int64(p.to[e.Max])-e.Max == more
}

// KeywordRanks returns for each of several columns of keywords, nil for those that there are not,
// where its keywords are among those of all.
func KeywordRanks(columns []*segment.Column) ([][]uint32, error) {
	c := columnCopier{parts: make([]columnPart, len(columns))}
	for i, column := range columns {
		if column != nil {
			c.parts[i] = columnPart{column: column, to: make([]uint32, column.Info().Keywords)}
		}
	}
	if err := c.union(func([]byte) bool { return true }); err != nil {
		return nil, err
	}
	ranks := make([][]uint32, len(columns))
	for i := range columns {
		ranks[i] = c.parts[i].to
	}
	return ranks, nil
}
