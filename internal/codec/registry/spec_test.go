package registry

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/codec"
)

var update = flag.Bool("update", false, "rewrite format/CODECS.md")

// layouts are the packages that the codecs' package comments refer to.
var layouts = []struct{ folder, name string }{
	{"../../../internal", "bitpack"}, {"../internal", "bytepack"}, {"../internal", "unary"}, {"../internal", "patch"}, {"../internal", "regress"},
}

const specHead = `# Payloads of the codecs

This is part of [FORMAT.md](FORMAT.md), section 5: the layout of the blocks of each codec. It is generated from the
package comments of internal/codec (` + "`go test ./internal/codec/registry -update`" + `). *Gap*, *prev*
and *skip header* are defined in FORMAT.md; *Ends* is docEnds or freqEnds, depending on the payload.
Each codec ends with a worked block: the payloads, in bytes, of a list whose only block has 12 postings.

| id | name | block length |
| --- | --- | --- |
`

// spec returns the expected CODECS.md.
func spec(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(specHead)
	for _, c := range All() {
		fmt.Fprintf(&b, "| %d | [%s](#%s) | %d |\n", uint8(c.ID()), c.ID(), c.ID(), c.BlockLen())
	}
	b.WriteString("\nLayouts that several codecs share:")
	for _, l := range layouts {
		fmt.Fprintf(&b, " [%s](#%s)", l.name, l.name)
	}
	b.WriteString("\n")
	for _, l := range layouts {
		section(t, &b, l.folder, l.name)
	}
	for _, c := range All() {
		section(t, &b, "..", c.ID().String())
		worked(t, &b, c)
	}
	return b.String()
}

// The worked block, the only one of a list of 12 postings.
var (
	workedDocs  = []uint32{3, 4, 5, 6, 11, 12, 13, 1000, 1001, 1003, 1004, 1009}
	workedFreqs = []uint32{1, 1, 2, 1, 1, 5, 1, 1, 1, 300, 1, 1}
)

// worked appends the payloads of a list of one block in codec c.
func worked(t *testing.T, b *strings.Builder, c codec.Codec) {
	t.Helper()
	b.WriteString("\n### Worked block\n\n")
	for _, x := range []struct {
		name   string
		append func(dst []byte, ends, values []uint32) ([]byte, error)
		values []uint32
	}{{"docIDs", c.AppendDocs, workedDocs}, {"frequencies", c.AppendFreqs, workedFreqs}} {
		ends := make([]uint32, 2)
		p, err := x.append(nil, ends, x.values)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(b, "    %-11s %s\n    Ends        %d, %d\n", x.name, strings.Trim(fmt.Sprint(x.values), "[]"), ends[0], ends[1])
		for i := 0; i < len(p); i += 16 {
			fmt.Fprintf(b, "    %04x        % x\n", i, p[i:min(i+16, len(p))])
		}
	}
}

// section appends the package comment of codec package name.
func section(t *testing.T, b *strings.Builder, folder, name string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name, "doc.go"), nil, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if f.Doc == nil {
		t.Fatalf("package %s has no comment", name)
	}
	fmt.Fprintf(b, "\n## %s\n\n", name)
	for line := range strings.Lines(f.Doc.Text()) {
		switch {
		case strings.HasPrefix(line, "# "):
			line = "##" + line
		case strings.HasPrefix(line, "\t"):
			line = "    " + line[1:]
		default:
			line = strings.ReplaceAll(line, "*", `\*`)
		}
		b.WriteString(line)
	}
}

// TestSpecification checks that CODECS.md is up to date with the package comments.
func TestSpecification(t *testing.T) {
	const file = "../../../format/CODECS.md"
	want := spec(t)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("format/CODECS.md differs from the package comments; run go test ./internal/codec/registry -update")
	}
}
