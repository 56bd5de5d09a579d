package idxbuild

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/reader"
)

// vectorsDir has files of vectors and documents.
type vectorsDir struct {
	t   *testing.T
	dir string
}

func newVectorsDir(t *testing.T) *vectorsDir {
	d := &vectorsDir{t, t.TempDir()}
	d.write("docs.jsonl", `{"id": "a", "text": "whale"}`+"\n"+`{"id": "b", "text": "ship"}`+"\n"+`{"id": "c", "text": "sea"}`+"\n")
	d.write("own.jsonl", `{"id": "a", "text": "whale"}`+"\n"+`{"id": "b", "emb": [1, 2]}`+"\n"+`{"id": "c"}`+"\n")
	d.write("one.jsonl", `{"id": "a", "text": "whale"}`+"\n")
	d.write("docs.tsv", "a\twhale\nb\tship\nc\tsea\n")
	d.write("ids.txt", "x\ny\r\nz\n\n")
	d.write("gap.txt", "x\n\n\ny\n")
	d.write("latin1.txt", "\xe4\n\xf6\n")
	d.npy("three.npy", 2, 1, 0, 0, 1, 0.5, 0.25)
	d.npy("two.npy", 2, 1, 0, 0, 1)
	d.npy("wide.npy", 3, 1, 0, 2, 0, 1, 2, 3, 4, 5)
	d.npy("nan.npy", 2, 1, 0, float32(math.NaN()), 1, 0.5, 0.25)
	d.write("three.fvecs", "\x01\x00\x00\x00\x00\x00\x80\x3f\x01\x00\x00\x00\x00\x00\x00\x40\x01\x00\x00\x00\x00\x00\x40\x40")
	return d
}

func (d *vectorsDir) path(name string) string { return filepath.Join(d.dir, name) }

func (d *vectorsDir) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(d.path(name), []byte(text), 0o666); err != nil {
		d.t.Fatal(err)
	}
}

func (d *vectorsDir) npy(name string, dims int, values ...float32) {
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }\n", len(values)/dims, dims)
	b := append([]byte("\x93NUMPY\x02\x00"), binary.LittleEndian.AppendUint32(nil, uint32(len(header)))...)
	b = append(b, header...)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	d.write(name, string(b))
}

// build runs the command with args, in which names with a dot are files of d.
func (d *vectorsDir) build(out, args string) (*Report, error) {
	all := []string{"--out", d.path(out)}
	for arg := range strings.FieldsSeq(args) {
		name, file, ok := strings.Cut(arg, "=")
		switch {
		case ok && strings.Contains(file, "."):
			arg = name + "=" + d.path(file)
		case !ok && strings.Contains(arg, "."):
			arg = d.path(arg)
		}
		all = append(all, arg)
	}
	return Build(d.t.Context(), io.Discard, all)
}

// Rows of files are the vectors of the documents of all inputs, or documents of their own.
func TestVectors(t *testing.T) {
	d := newVectorsDir(t)
	const three = `{"id":"a","emb":[1,0]};{"id":"b","emb":[0,1]};{"id":"c","emb":[0.5,0.25]};`
	for i, c := range []struct{ args, want string }{
		{"--field text --vectors emb=three.npy docs.jsonl", three},
		{"--field text --field emb:vector:l2 --vectors emb=three.npy docs.jsonl", three},
		{"--field 2=text --vectors emb=three.npy docs.tsv", three},
		{"--field text --vectors emb=two.npy one.jsonl one.jsonl", `{"id":"a","emb":[0,1]};`},
		{"--vectors emb=three.npy", `{"id":"0","emb":[1,0]};{"id":"1","emb":[0,1]};{"id":"2","emb":[0.5,0.25]};`},
		{"--vectors emb=three.npy --vectors w=wide.npy --vectors f=three.fvecs --ids ids.txt",
			`{"id":"x","emb":[1,0],"w":[1,0,2],"f":[1]};{"id":"y","emb":[0,1],"w":[0,1,2],"f":[2]};{"id":"z","emb":[0.5,0.25],"w":[3,4,5],"f":[3]};`},
		{"--vectors emb=two.npy --ids latin1.txt --encoding windows-1252", `{"id":"ä","emb":[1,0]};{"id":"ö","emb":[0,1]};`},
	} {
		out := fmt.Sprint("index", i)
		r, err := d.build(out, c.args)
		if err != nil || r.Vectors != strings.Count(c.args, "--vectors") || r.Added < 2 {
			t.Errorf("%s: %+v, %v", c.args, r, err)
			continue
		}
		if got := d.export(out); got != c.want {
			t.Errorf("%s: %s, want %s", c.args, got, c.want)
		}
	}
	// An index that is there takes more.
	if _, err := d.build("index0", "--vectors emb=two.npy"); err != nil {
		t.Fatal(err)
	}
	if got, want := d.export("index0"), three+`{"id":"0","emb":[1,0]};{"id":"1","emb":[0,1]};`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if r, err := d.build("index0", "--dry-run --vectors emb=three.npy"); err != nil || r.Added != 3 || r.Replaced != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// export returns the documents of an index as JSON.
func (d *vectorsDir) export(out string) string {
	d.t.Helper()
	x, err := reader.Open(d.t.Context(), reader.Dir(d.path(out)), reader.Options{})
	if err != nil {
		d.t.Fatal(err)
	}
	defer x.Close()
	s, err := x.Snapshot()
	if err != nil {
		d.t.Fatal(err)
	}
	defer s.Close()
	var b bytes.Buffer
	if _, err := exchange.ExportJSONL(d.t.Context(), &b, s); err != nil {
		d.t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), "\n", ";")
}

// What does not fit is an error that says where, and nothing is added.
func TestVectorsMisuse(t *testing.T) {
	d := newVectorsDir(t)
	for _, c := range []struct {
		usage      bool
		args, want string
	}{
		{true, "--vectors emb=three.npy docs.jsonl", "--field names that of the text"},
		{true, "--field text --vectors emb=three.npy --on-error skip docs.jsonl", "--vectors excludes --on-error skip"},
		{true, "--field text --vectors emb=wide.npy --field emb:vector:2 docs.jsonl", "wide.npy has 3 dimensions, and field emb takes 2"},
		{true, "--field text --vectors text=three.npy docs.jsonl", "field text is of kind text"},
		{true, "--vectors emb", "emb is not of the form FIELD=FILE"},
		{true, "--vectors =three.npy", "is not of the form FIELD=FILE"},
		{true, "--vectors emb=three.npy --vectors emb=two.npy", "--vectors names field emb twice"},
		{true, "--vectors emb=- --ids -", "standard input cannot hold vectors and something else"},
		{true, "--vectors emb=- --vectors w=-", "standard input cannot hold vectors and something else"},
		{true, "--vectors emb=three.npy --auto-id", "--map and --auto-id go with an INPUT"},
		{true, "--vectors emb=three.npy --map id=url", "--map and --auto-id go with an INPUT"},
		{true, "--ids ids.txt docs.jsonl", "--ids goes with --vectors"},
		{true, "--field text --vectors emb=three.npy --ids ids.txt docs.jsonl", "--ids and INPUT exclude each other"},
		{false, "--field text --vectors emb=two.npy docs.jsonl", "there is no row for document c: " + d.path("two.npy") + " has 2 rows"},
		{false, "--field text --vectors emb=three.npy one.jsonl", "three.npy has more rows than there are documents, 1"},
		{false, "--field text --vectors emb=nan.npy docs.jsonl", `nan.npy: offset 80: row 2: schema: invalid schema: field "emb": value 0 of a vector is NaN`},
		{false, "--field text --vectors emb=three.npy own.jsonl", "document b has vectors of its own in field emb, beside row 2 of"},
		{false, "--vectors emb=two.npy --ids ids.txt", "there is no row for document z: " + d.path("two.npy") + " has 2 rows"},
		{false, "--vectors emb=two.npy --ids gap.txt", d.path("gap.txt") + ":2: the line is empty, and lines follow"},
		{false, "--vectors emb=two.npy --vectors w=wide.npy", "wide.npy has more rows than there are documents, 2"},
		{false, "--vectors w=wide.npy --vectors emb=two.npy", "there is no row for document 2: "},
		{false, "--vectors emb=docs.tsv", "docs.tsv: offset 0: not a file of vectors"},
		{false, "--vectors emb=none.npy", "no such file"},
	} {
		_, err := d.build("index", c.args)
		if err == nil || !strings.Contains(err.Error(), c.want) || (cli.ExitCode(err) == cli.ExitUsage) != c.usage {
			t.Errorf("%s: %v, want %s", c.args, err, c.want)
		}
		if isIndex(d.path("index")) {
			t.Fatalf("%s: there is an index", c.args)
		}
	}
}
