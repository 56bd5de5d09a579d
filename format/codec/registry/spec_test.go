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
)

var update = flag.Bool("update", false, "rewrite format/CODECS.md")

// layouts are the packages that the codecs' layouts refer to.
var layouts = []string{"bitpack", "bytepack", "unary", "patch", "regress"}

const specHead = `# Payloads of the codecs

This is part of [FORMAT.md](FORMAT.md), section 5: what the blocks of each codec look like. It is made of the
package comments of format/codec (` + "`go test ./format/codec/registry -update`" + `); a test compares. *Gap*, *prev*,
*Ends* and *skip header* are those of FORMAT.md.

| id | name | block length |
| --- | --- | --- |
`

// spec returns CODECS.md as it should be.
func spec(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(specHead)
	for _, c := range All() {
		fmt.Fprintf(&b, "| %d | [%s](#%s) | %d |\n", uint8(c.ID()), c.ID(), c.ID(), c.BlockLen())
	}
	b.WriteString("\nLayouts that several codecs share:")
	for _, name := range layouts {
		fmt.Fprintf(&b, " [%s](#%s)", name, name)
	}
	b.WriteString("\n")
	for _, name := range layouts {
		section(t, &b, "../internal", name)
	}
	for _, c := range All() {
		section(t, &b, "..", c.ID().String())
	}
	return b.String()
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

// CODECS.md says what the package comments say.
func TestSpecification(t *testing.T) {
	const file = "../../CODECS.md"
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
		t.Error("format/CODECS.md differs from the package comments; run go test ./format/codec/registry -update")
	}
}
