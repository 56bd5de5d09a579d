package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/scale/bucket"
	"github.com/pinion-index/pinion/writer"
)

// Blocks have up to maxBlock bytes and a document before they are compressed, and all that are being filled up to allBlocks.
const maxBlock, allBlocks = 256 << 10, 64 << 20

var (
	countRead    = beam.NewCounter("pinion", "read")
	countSkipped = beam.NewCounter("pinion", "skipped")
	countNotUTF8 = beam.NewCounter("pinion", "not UTF-8")
	countLost    = beam.NewCounter("pinion", "undecoded")
)

// listFn emits the inputs and their numbers.
type listFn struct{ Inputs []string }

// ProcessElement does so once.
func (f *listFn) ProcessElement(_ []byte, emit func(int64, string)) {
	for i, in := range f.Inputs {
		emit(int64(i), in)
	}
}

// readFn reads an input and emits blocks of its documents under the numbers of their partitions.
type readFn struct{ Job job }

// ProcessElement reads one input.
func (f *readFn) ProcessElement(ctx context.Context, number int64, input string, emit func(int64, []byte)) (err error) {
	end, err := f.Job.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	d, err := f.Job.input(ctx, input)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	defer context.AfterFunc(ctx, func() { d.Close() })()
	o, err := f.Job.writer(1)
	if err != nil {
		return err
	}
	s := sorter{job: &f.Job, options: &o, input: uint64(number), emit: emit, parts: make([]filling, f.Job.Options.Shards*f.Job.Options.Partitions)}
	s.limit = min(maxBlock, allBlocks/len(s.parts))
	read, skipped := int64(0), int64(0)
	for {
		err := s.next(d.Documents)
		switch {
		case err == io.EOF:
			s.flush()
			countRead.Inc(ctx, read)
			countSkipped.Inc(ctx, skipped)
			bad, _ := d.NotUTF8()
			countNotUTF8.Inc(ctx, int64(bad))
			bad, _ = d.Undecoded()
			countLost.Inc(ctx, int64(bad))
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil:
			read++
		case f.Job.Options.Skip && (exchange.Recoverable(err) || errors.Is(err, writer.ErrDocument) || errors.Is(err, exchange.ErrForeign)):
			skipped++
		default:
			return err
		}
	}
}

// sorter gathers the documents of an input by partition.
type sorter struct {
	job     *job
	options *writer.Options
	input   uint64
	limit   int
	parts   []filling
	record  []byte
	packed  []byte
	emit    func(int64, []byte)
}

// filling is a block that is being filled.
type filling struct {
	docs   []byte
	number uint64
}

// next takes the next document.
func (s *sorter) next(d *exchange.Documents) error {
	if s.options.Schema.IsImplicit() {
		doc, err := d.Next()
		if err == nil {
			err = s.options.CheckDoc(writer.Text(doc.ID, doc.Contents))
		}
		if err == nil {
			s.add(doc.ID, func(dst []byte) []byte { return appendDocument(dst, doc.ID, doc.Contents) })
		}
		return err
	}
	id, values, err := d.NextValues()
	doc := writer.Doc{ID: id, Values: values}
	if err == nil {
		err = s.options.CheckDoc(doc)
	}
	if err == nil {
		s.record = appendRecord(s.record[:0], values)
		s.add(id, func(dst []byte) []byte { return appendBytes(appendBytes(dst, id), s.record) })
	}
	return err
}

// add appends a document to the block of its partition, by f, and emits the block if that is full.
func (s *sorter) add(id []byte, f func(dst []byte) []byte) {
	i := s.job.partition(id)
	p := &s.parts[i]
	if p.docs = f(p.docs); len(p.docs) >= s.limit {
		s.send(i)
	}
}

func (s *sorter) send(i int) {
	p := &s.parts[i]
	var block []byte
	block, s.packed = newBlock(place{s.input, p.number}, p.docs, s.packed)
	s.emit(int64(i), block) // which may keep it
	p.docs, p.number = p.docs[:0], p.number+1
}

// flush emits the blocks that are left.
func (s *sorter) flush() {
	for i := range s.parts {
		if len(s.parts[i].docs) > 0 {
			s.send(i)
		}
	}
}

// documents are those of an input, which may have been copied to a folder.
type documents struct {
	*exchange.Documents
	folder string
}

// Close ends reading.
func (d *documents) Close() error {
	err := d.Documents.Close()
	if d.folder != "" {
		err = errors.Join(err, os.RemoveAll(d.folder))
	}
	return err
}

// input opens an input.
func (j *job) input(ctx context.Context, input string) (_ *documents, err error) {
	d := &documents{}
	defer func() {
		if err != nil && d.folder != "" {
			os.RemoveAll(d.folder)
		}
	}()
	name := input
	if isURL(input) {
		if d.folder, err = os.MkdirTemp(j.Options.Scratch, "pinion-build-"); err != nil {
			return nil, err
		}
		if name, err = fetch(ctx, input, d.folder); err != nil {
			return nil, fmt.Errorf("build: reading %s: %w", input, err)
		}
	}
	if d.Documents, err = exchange.OpenDocuments(name, j.Options.Documents); err != nil {
		return nil, err
	}
	if f := d.Formats(); isURL(input) && f[exchange.FormatLines] > 0 {
		d.Documents.Close()
		return nil, fmt.Errorf("%w: ids of lines are made up of paths, but %s is a URL", ErrInvalid, input)
	}
	return d, nil
}

// fetch copies the object of a URL to a folder.
func fetch(ctx context.Context, input, folder string) (name string, err error) {
	u, err := url.Parse(input)
	if err != nil {
		return "", err
	}
	dir, key := path.Split(u.Path)
	u.Path, u.RawPath = dir, ""
	b, err := bucket.OpenURL(ctx, u.String())
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	r, err := b.NewReader(ctx, key, nil)
	if err != nil {
		return "", err
	}
	defer r.Close()
	name = filepath.Join(folder, key)
	f, err := os.Create(name)
	if err != nil {
		return "", err
	}
	n, err := io.Copy(f, r)
	if err == nil && n != r.Size() {
		err = fmt.Errorf("%d bytes came, of %d: %w", n, r.Size(), io.ErrUnexpectedEOF)
	}
	return name, errors.Join(err, f.Close())
}
