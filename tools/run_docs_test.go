package tools_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pinion-index/pinion/internal/gpu"
	"github.com/pinion-index/pinion/internal/longtest"
	"github.com/pinion-index/pinion/testdata"
)

// notRun are printed commands that TestPrintedCommandsRun does not run, or of which it wants an
// error, with the reason. Each must match a printed command.
var notRun = []struct{ pattern, reason string }{
	{`--device gpu|^idxbench gpu\b`, needsGPU}, // --device hybrid goes on with the CPU
	{`^idxinspect serve `, runsOn},
	{`^idxbench (synth|vectors) |^idxbench load .*(parts|big).idx`, takesLong}, // millions of documents
	{`^idxbench decode( --levels| --data .*)?$|^idxbench decode --codec bp128,vbyte128 --levels$`, takesLong},
	{`^idxbench load `, takesLong}, // some seconds each; script bench.txtar runs it with --time
	{`\bjq\b`, needsProgram},
	{`^idxinspect backup --copy wiki/0-of-3 `, needsShards},
}

const (
	needsGPU     = "it needs a GPU"
	runsOn       = "it ends with an interrupt"
	takesLong    = "it takes long"
	needsProgram = "it needs a program"
	needsShards  = "it needs what pinion-cluster has built"
)

// asRun replaces what stands for something in printed commands.
var asRun = strings.NewReplacer("INPUT...", "docs.jsonl", "--commit N", "--commit 2", "--commit 12", "--commit 2", "/mnt/other/", "other-", "~/mail", "mail",
	"records logs", "records logs --count 20000")

// madeNew matches the index that a command makes and that is not to be there before.
var madeNew = regexp.MustCompile(`(?:backup.* |--out )(COPY|kjv\.backup|other-kjv\.idx|saved\.idx|kjv\.idx|verses\.idx)\b|--out (wiki\.idx) --analyzer`)

// printedLine is a command of a page or help text.
type printedLine struct{ where, line string }

// printedLines returns the printed commands in their order, those behind a pipe too.
func printedLines(t *testing.T) (lines []printedLine) {
	ours := regexp.MustCompile(`^(?:\$ )?((?:echo [^|]*\| *)?idx(?:bench|build|inspect|merge|query)\b.*)`)
	eachPrinted(t, func(where, line string) {
		if m := ours.FindStringSubmatch(line); m != nil {
			lines = append(lines, printedLine{where, m[1]})
		}
	})
	return lines
}

// TestPrintedCommandsRun runs the commands that pages and help texts print, in their order, in
// a directory that has what they name: a tenth of the bundled collection under many names.
func TestPrintedCommandsRun(t *testing.T) {
	longtest.Only(t)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	lines, dir := printedLines(t), t.TempDir()
	furnish(t, dir)
	hasGPU := false
	if dev, err := gpu.OpenDevice(); err == nil {
		hasGPU = dev.Close() == nil
	}
	matched, done := map[string]bool{}, map[string]bool{}
	for _, p := range lines {
		line := asRun.Replace(p.line)
		if strings.ContainsAny(line, "…[{") || strings.Contains(line, ",...") || done[line] {
			continue // a synopsis, or the same again
		}
		done[line] = true
		reason := ""
		for _, n := range notRun {
			if regexp.MustCompile(n.pattern).MatchString(p.line) {
				reason, matched[n.pattern] = n.reason, true
				break
			}
		}
		switch {
		case reason == needsGPU && hasGPU, reason == runsOn, reason == takesLong, reason == needsShards:
			continue
		case reason == needsProgram:
			if _, err := exec.LookPath("jq"); err != nil {
				continue
			}
		}
		if m := madeNew.FindStringSubmatch(line); m != nil {
			os.RemoveAll(filepath.Join(dir, m[1]+m[2]))
		}
		out, err := shell(t, sh, dir, line)
		switch {
		case reason == needsGPU && err == nil:
			t.Errorf("%s: %s: it runs without a GPU: strike it from the list\n%s", p.where, line, out)
		case reason != needsGPU && err != nil:
			t.Errorf("%s: %s: %v\n%s", p.where, line, err, out)
		}
	}
	for _, n := range notRun {
		if !matched[n.pattern] {
			t.Errorf("no printed command matches %s", n.pattern)
		}
	}
}

// shell runs a line and returns the end of what it prints.
func shell(t *testing.T, sh, dir, line string) (string, error) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // some compile
	defer cancel()
	cmd := exec.CommandContext(ctx, sh, "-c", line)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+dir)
	out, err := cmd.CombinedOutput()
	return string(out[max(0, len(out)-600):]), err
}

// furnish makes what printed commands name.
func furnish(t *testing.T, dir string) {
	t.Chdir(dir)
	docs := sample(t)
	write(t, "testdata/kjv.jsonl.gz", zipped(docs))
	encoded := `{"id":"1","contents":"the whale","vector":{"whale":3,"sea":1}}` + "\n"
	write(t, "encoded.jsonl", encoded)
	write(t, "embedded.jsonl", `{"id": "1", "text": "whale", "emb": [1`+strings.Repeat(", 0.5", 383)+"]}\n")
	write(t, "docs.npy", npy(bytes.Count(docs, []byte("\n")), 3))
	write(t, "q.npy", npy(2, 2))
	write(t, "topics.npy", npy(2, 3))
	write(t, "images.fvecs", "\x01\x00\x00\x00\x00\x00\x80?")
	write(t, "images.txt", "one\n")
	write(t, "about.jsonl", `{"id": "1034", "text": "the Lord is my shepherd", "tenant": "north", "emb": [1, 0.5]}`+"\n")
	write(t, "encoded.jsonl.gz", zipped([]byte(encoded)))
	write(t, "encoded-queries.jsonl", `{"id":"1","vector":{"whale":2,"rope":1}}`+"\n")
	for _, name := range []string{"docs.jsonl", "collection.jsonl", "COLLECTION"} {
		write(t, name, string(docs))
	}
	for _, name := range []string{"topics", "queries", "log", "tb05", "marco", "all", "q", "long", "big"} {
		write(t, name+".tsv", "1\tlord shepherd\n2\tfaith hope charity\n")
	}
	for _, name := range []string{"cacm.qrels", "q.qrels", "c.qrels"} {
		write(t, name, "1 0 Psa23:1 1\n2 0 1Co13:13 1\n")
	}
	write(t, "test.tsv", "query-id\tcorpus-id\tscore\n1\tPsa23:1\t1\n")
	write(t, "notes.jsonl", `{"contents":"a note without an id"}`+"\n")
	write(t, "articles.csv", "Title,Body\nOne,the first\n")
	write(t, "scifact/corpus.jsonl", `{"_id":"1","title":"One","text":"the first"}`+"\n")
	write(t, "scifact/queries.jsonl", `{"_id":"1","text":"first"}`+"\n")
	write(t, "notes/a.md", "# A note\n")
	write(t, "books.csv", "isbn,author,title\n1,Ann,One\n2,Ben,Two\n")
	for _, name := range []string{"shop", "s"} {
		write(t, name+".jsonl", `{"id":"1","name":"Red shoes","text":"Made by hand.","tags":["new"],"price":12.5}`+"\n")
	}
	write(t, "old-ids.txt", "a.txt\n")
	write(t, "mail/a.txt", "one message")
	write(t, "mail/b.txt", "another message")
	if code, _, msg := execute(t, "idxbuild", "--out", "kjv.idx", "--store-text", "docs.jsonl"); code != 0 {
		t.Fatal(msg)
	}
	for _, name := range []string{"DIR", "cacm.idx", "wiki.idx", "old.idx", "all.idx", "2023.idx", "2024.idx", "damaged.idx", "merged.idx", "yesterday.idx", "today.idx"} {
		if err := os.CopyFS(name, os.DirFS("kjv.idx")); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"idxbench records logs --out logs.jsonl --schema logs.json --count 2000", "idxbuild --out logs.idx --schema logs.json logs.jsonl",
		"idxbuild --out verses.idx --positions contents docs.jsonl", "idxbuild --out notes.idx --store-text --field text --field tenant:keyword:column --field emb:vector:2 about.jsonl"} {
		if code, _, msg := execute(t, strings.Fields(line)...); code != 0 {
			t.Fatal(msg)
		}
	}
	if code, _, msg := execute(t, "idxinspect", "export", "--gzip", "--out", "robust04.ciff.gz", "kjv.idx"); code != 0 {
		t.Fatal(msg)
	}
}

// npy returns a file of NumPy's of rows of ones.
func npy(rows, dims int) string {
	head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }\n", rows, dims)
	return fmt.Sprintf("\x93NUMPY\x01\x00%c%c%s", len(head), 0, head) + strings.Repeat("\x00\x00\x80?", rows*dims)
}

func zipped(b []byte) string {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(b)
	z.Close()
	return out.String()
}

// sample returns every tenth verse of the bundled collection, and those that pages name.
func sample(t *testing.T) []byte {
	z, err := gzip.NewReader(bytes.NewReader(testdata.KJV))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	d := json.NewDecoder(z)
	for n := 0; ; n++ {
		var doc json.RawMessage
		if err := d.Decode(&doc); errors.Is(err, io.EOF) {
			return out.Bytes()
		} else if err != nil {
			t.Fatal(err)
		}
		if n%10 == 0 || bytes.Contains(doc, []byte("shepherd")) || bytes.Contains(doc, []byte(`"Rev22:21"`)) {
			out.Write(append(doc, '\n'))
		}
	}
}
