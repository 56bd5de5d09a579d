package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pinion-index/pinion/internal/cli"
)

// Flags that are wrong, or have no effect beside the others, are refused by their names, and nothing is built.
func TestMisuse(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	in := write("docs.jsonl", `{"id": "1", "contents": "rose"}`)
	wrong := write("wrong.json", `{"fields": [{"name": "text", "kind": "text", "analyzer": "klingon"}]}`)
	right := write("right.json", `{"fields": [{"name": "text", "kind": "text"}]}`)
	out := filepath.Join(dir, "out")
	to := "--out file://" + filepath.ToSlash(out) + " "
	for flags, want := range map[string]string{
		"":                                  "--out is missing",
		"--out " + out:                      "a URL is wanted",
		to + "--analyzer klingon":           `unknown analyzer "klingon"`,
		to + "--analyzer-options stop=none": "--analyzer-options need --analyzer",
		to + "--analyzer english --analyzer-options stop=no": "want none or english",
		to + "--encoding klingon":                            `--encoding: unknown encoding "klingon"`,
		to + "--field price:double":                          "did you mean float?",
		to + "--field name:klingon":                          `"klingon" is no kind of field`,
		to + "--field name --field name":                     `key "name" is given twice`,
		to + "--field name --analyzer klingon":               `unknown analyzer "klingon"`,
		to + "--field name:english --analyzer german":        "--analyzer german: no field takes it",
		to + "--field v:impacts --store-text":                "--store-text: --field names no field but impacts",
		to + "--schema " + wrong:                             `unknown analyzer "klingon"`,
		to + "--schema " + in:                                "--schema " + in,
		to + "--schema " + right + " --analyzer dutch":       "--analyzer: in the schema, each field has its own",
		to + "--schema " + right + " --store-text":           "--store-text: the schema says what is stored",
		to + "--map x":                                       "--map",
		to + "--unknown keep":                                `"keep" is none of ignore, store, refuse`,
		to + "--on-error stop":                               `"stop" is none of fail, skip`,
		to + "--runner hadoop":                               `"hadoop" is none of prism, flink, spark, dataflow, universal`,
		to + "--format ciff":                                 `"ciff" is none of`,
		to + "--shards 0":                                    "a number from 1 to",
		to + "--partitions 0":                                "a number from 1 to",
		to + "--segments 0":                                  "a number from 1 to",
		to + "--segments 100":                                "--segments 100: they are joined of 8 parts of a shard",
		to + "--workers -1":                                  "a number from 0 to",
		to + "--memory lots":                                 `"lots" is not a size`,
		to + "--memory 1KiB":                                 "--memory is at least",
		to + "--beam nothing=1":                              "--beam nothing=1",
		to + "--unknown store":                               "--unknown goes with documents that have fields",
		to + "--auto-id --map id=x,contents=contents":        "--auto-id makes ids up, but --map names a field of ids",
		to + "--map contents=contents --field name":          "documents have contents, or fields with keys",
	} {
		var said bytes.Buffer
		cmd := newFlags().command()
		cmd.SetArgs(append(strings.Fields(flags), in))
		cmd.SetOut(&said)
		cmd.SetErr(&said)
		err := cli.Execute(t.Context(), cmd)
		if cli.ExitCode(err) != cli.ExitUsage || !strings.Contains(said.String(), want) {
			t.Errorf("%s: %v (%d)\n%s", flags, err, cli.ExitCode(err), said.String())
		}
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("something is left: %v", err)
	}
}
