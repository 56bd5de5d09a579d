package idxbuild

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/schema"
	"github.com/pinion-index/pinion/writer"
)

// vectorFile is a file of --vectors, whose rows go into a field.
type vectorFile struct {
	name   string // of the field
	path   string
	rows   *exchange.Rows // nil: not open
	number int            // of the field in the schema
	field  *schema.Field
}

// vectorFiles are those of a run: row i of each is of document i.
type vectorFiles struct {
	all    []vectorFile
	ids    string // of --ids
	enc    string // encoding of ids
	joined []schema.Value
}

// openVectors opens the files of --vectors. The caller closes them.
func (f *flags) openVectors(args []string) (*vectorFiles, error) {
	v := &vectorFiles{ids: f.ids, enc: f.encoding}
	if err := f.openAll(v, args); err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

// openAll opens the files in v.
func (f *flags) openAll(v *vectorFiles, args []string) error {
	if len(f.vectors) == 0 {
		if f.ids != "" {
			return cli.Usage("--ids goes with --vectors: it has an id for each row")
		}
		return nil
	}
	switch {
	case f.ids != "" && len(args) > 0:
		return cli.Usage("--ids and INPUT exclude each other: rows belong to the documents of an INPUT in their order")
	case len(args) == 0 && (f.autoID || f.fields != ""):
		return cli.Usage("--map and --auto-id go with an INPUT: of rows alone, --ids has the ids")
	case f.onError.Value == "skip":
		return cli.Usage("--vectors excludes --on-error skip: rows behind a document that is left out would belong to others")
	}
	stdin := slices.Clone(args)
	stdin = append(stdin, f.ids, f.deletes.ids)
	for _, arg := range f.vectors {
		name, path, ok := strings.Cut(arg, "=")
		if !ok || name == "" || path == "" {
			return cli.Usage("--vectors %s is not of the form FIELD=FILE", cli.Quote(arg))
		}
		if slices.ContainsFunc(v.all, func(x vectorFile) bool { return x.name == name }) {
			return cli.Usage("--vectors names field %s twice", cli.Quote(name))
		}
		if path == exchange.Stdin && slices.Contains(stdin, path) {
			return cli.Usage("standard input cannot hold vectors and something else")
		}
		stdin = append(stdin, path)
		v.all = append(v.all, vectorFile{name: name, path: path})
	}
	for i := range v.all {
		rows, err := exchange.OpenRows(v.all[i].path)
		if err != nil {
			return err
		}
		v.all[i].rows = rows
	}
	return nil
}

func (v *vectorFiles) close() {
	for _, x := range v.all {
		if x.rows != nil {
			x.rows.Close()
		}
	}
}

// keys returns those of fields with the fields of v: one that is not there takes the dimensions of its file.
func (v *vectorFiles) keys(keys []exchange.Key, base *schema.Schema) []exchange.Key {
	keys = slices.Clone(keys)
	for _, x := range v.all {
		i := slices.IndexFunc(keys, func(k exchange.Key) bool { return k.Field.Name == x.name })
		switch {
		case base != nil && base.Number(x.name) >= 0:
		case i < 0:
			keys = append(keys, exchange.Key{Key: x.name, Field: schema.Field{Name: x.name, Kind: schema.Vector, Dims: x.rows.Dims()}})
		case keys[i].Field.Kind == schema.Vector && keys[i].Field.Dims == 0:
			keys[i].Field.Dims = x.rows.Dims()
		}
	}
	return keys
}

// fields finds the fields of v in the schema of the index.
func (v *vectorFiles) fields(s *schema.Schema, ins []input) error {
	if i := slices.IndexFunc(ins, func(in input) bool { return in.format.Postings() }); i >= 0 && len(v.all) > 0 {
		return cli.Usage("--vectors is of documents, and %s has posting lists", ins[i].path)
	}
	for i := range v.all {
		x := &v.all[i]
		x.number = -1
		if s != nil {
			x.number = s.Number(x.name)
		}
		if x.number < 0 { // of an index of texts
			return cli.Usage("--vectors: the index has no fields")
		}
		x.field = &s.Fields[x.number]
		if x.field.Kind != schema.Vector {
			return cli.Usage("--vectors: field %s is of kind %v", cli.Quote(x.name), x.field.Kind)
		}
		if d := x.rows.Dims(); d != x.field.Dims {
			return cli.Usage("--vectors: %s has %s, and field %s takes %d", x.rows.File(), cli.Number(d, "dimension"), cli.Quote(x.name), x.field.Dims)
		}
	}
	return nil
}

// errNoRow is matched by the error about a document behind the last row.
var errNoRow = errors.New("there is no row")

// join returns the values of the next document with its vectors, until the next call.
func (v *vectorFiles) join(id []byte, values []schema.Value) ([]schema.Value, error) {
	if len(v.all) == 0 {
		return values, nil
	}
	v.joined = append(v.joined[:0], values...)
	for i := range v.all {
		x := &v.all[i]
		if slices.ContainsFunc(values, func(y schema.Value) bool { return y.Field == x.number }) {
			return nil, fmt.Errorf("document %s has vectors of its own in field %s, beside row %d of %s", cli.Quote(string(id)), cli.Quote(x.name), x.rows.Row()+1, x.rows.File())
		}
		row, err := x.next()
		if err == io.EOF {
			return nil, fmt.Errorf("%w for document %s: %s has %s", errNoRow, cli.Quote(string(id)), x.rows.File(), cli.Number(x.rows.Row(), "row"))
		}
		if err != nil {
			return nil, err
		}
		v.joined = append(v.joined, row)
	}
	return v.joined, nil
}

// next returns the next row, or io.EOF.
func (x *vectorFile) next() (schema.Value, error) {
	row, err := x.rows.Next()
	if err != nil {
		return schema.Value{}, err
	}
	if err := x.field.CheckVector(row); err != nil {
		return schema.Value{}, x.rows.Bad(err)
	}
	return schema.VectorValue(x.number, row), nil
}

// end returns an error unless all rows have been read: there are as many as documents.
func (v *vectorFiles) end() error {
	for i := range v.all {
		rows := v.all[i].rows
		n := rows.Row()
		switch _, err := rows.Next(); {
		case err == nil:
			return fmt.Errorf("%s has more rows than there are documents, %s", rows.File(), cli.Count(n))
		case err != io.EOF:
			return err
		}
	}
	return nil
}

// vectorsOnce reports whether the file of an argument of --vectors can be read only once.
func vectorsOnce(arg string) bool {
	_, path, _ := strings.Cut(arg, "=")
	return exchange.ReadOnce(path)
}

// rows adds rows without an INPUT, and checks that all have been read.
func (b *build) rows(ctx context.Context, inputs int) (err error) {
	if len(b.vectors.all) == 0 {
		return nil
	}
	if inputs == 0 {
		err = b.rowsOnly(ctx)
	}
	if err == nil {
		err = b.vectors.end()
	}
	b.report.Vectors = len(b.vectors.all)
	b.report.Read += b.vectors.read()
	return err
}

// rowsOnly adds a document for each row: with the ids of --ids, or with the numbers of rows from 0.
func (b *build) rowsOnly(ctx context.Context) error {
	v, n := b.vectors, int64(0)
	for id, err := range v.eachID() {
		if err == nil {
			err = ctx.Err()
		}
		var values []schema.Value
		if err == nil {
			values, err = v.join(id, nil)
		}
		if v.ids == "" && errors.Is(err, errNoRow) && v.all[0].rows.Row() == n {
			return nil
		}
		if err == nil {
			err = b.w.Add(ctx, writer.Doc{ID: id, Values: values})
		}
		if err != nil {
			return err
		}
		n++
		b.report.Added++
		b.progress.Set(b.report.Read + v.read())
	}
	return nil
}

// eachID yields the ids of --ids, or the numbers from 0 without an end.
func (v *vectorFiles) eachID() iter.Seq2[[]byte, error] {
	if v.ids != "" {
		return exchange.EachLine(v.ids, v.enc, exchange.MaxID)
	}
	return func(yield func([]byte, error) bool) {
		var id []byte
		for i := int64(0); ; i++ {
			if id = strconv.AppendInt(id[:0], i, 10); !yield(id, nil) {
				return
			}
		}
	}
}

// read returns how many bytes of the files have been read.
func (v *vectorFiles) read() (n int64) {
	for _, x := range v.all {
		n += x.rows.BytesRead()
	}
	return n
}
