package kernels

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// declared is the declaration of a kernel in a source.
type declared struct {
	module, params string
	threads        int
}

// invocation matches a macro at the start of a line with its arguments.
var invocation = regexp.MustCompile(`(?m)^([A-Z][A-Z_]+)\((.*?)\)[ ;]*(?:\{|$)`)

// macros maps each macro that declares kernels to the names of the kernels that MACRO(x,
// ...) declares. Only KERNEL states parameters and threads; the others use DecodeParams
// and 256.
var macros = map[string][]string{
	"KERNEL":       {"%s"},
	"SHARED_TILES": {"%s"},
	"DENSE":        {"decode_docs_%s", "sum_docs_%s"},
	"DENSE_FREQS":  {"decode_freqs_%s"},
}

// sources returns the kernels that the .cu files declare.
func sources(t *testing.T) map[string]declared {
	t.Helper()
	files := glob(t, "", "*.cu")
	found := map[string]declared{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range invocation.FindAllStringSubmatch(string(b), -1) {
			names, ok := macros[m[1]]
			if !ok {
				t.Errorf("%s: the test does not know the macro %s", file, m[1])
			}
			args := strings.Split(m[2], ",")
			for i := range args {
				args[i] = strings.TrimSpace(args[i])
			}
			d := declared{module: strings.TrimSuffix(filepath.Base(file), ".cu"), params: "DecodeParams", threads: 256}
			if m[1] == "KERNEL" {
				d.params = args[1]
				fmt.Sscan(args[2], &d.threads)
			}
			for _, pattern := range names {
				name := fmt.Sprintf(pattern, args[0])
				if _, twice := found[name]; twice {
					t.Errorf("%s is declared twice", name)
				}
				found[name] = d
			}
		}
	}
	return found
}

// sourceDir is the folder of the sources.
const sourceDir = "../../kernels"

// glob returns the files in a folder below that of the sources.
func glob(t *testing.T, folder, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(sourceDir, folder, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s in %q: %v", pattern, folder, err)
	}
	return files
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestTable compares the table with the sources, the emulator and the PTX, by name.
func TestTable(t *testing.T) {
	found := sources(t)
	emulated := map[string]string{}
	for _, m := range regexp.MustCompile(`ENTRY\((\w+), (\w+)\)`).FindAllStringSubmatch(read(t, filepath.Join(sourceDir, "emu.cpp")), -1) {
		emulated[m[1]] = m[2]
	}
	seen := map[string]bool{}
	for _, k := range All() {
		name, params := k.String(), table[k].params
		if name == "" || params == nil || seen[name] {
			t.Errorf("kernel %d: entry %+v is incomplete or there twice", uint8(k), table[k])
			continue
		}
		seen[name] = true
		v := reflect.TypeOf(params)
		want := declared{k.Module(), v.Name(), k.Threads()}
		if got, ok := found[name]; !ok || got != want {
			t.Errorf("%s: the sources say %+v, the table %+v", name, got, want)
		}
		if emulated[name] != v.Name() {
			t.Errorf("%s: the emulator passes %q, the table %q", name, emulated[name], v.Name())
		}
		text, err := PTX(k.Module())
		if err != nil {
			t.Error(err)
			continue
		}
		entry := regexp.MustCompile(fmt.Sprintf(`\.entry %s\(\s*\.param [^\n]*\[%d\]\s*\)\s*\.maxntid %d,`, name, v.Size(), k.Threads()))
		if !entry.MatchString(text) {
			t.Errorf("%s: the PTX of %s has no such entry point with %d bytes of parameters and %d threads", name, k.Module(), v.Size(), k.Threads())
		}
	}
	for _, names := range [][]string{slices.Collect(maps.Keys(found)), slices.Collect(maps.Keys(emulated))} {
		for _, name := range names {
			if !seen[name] {
				t.Errorf("%s is not in the table", name)
			}
		}
	}
	if None.String() == "" || Count.String() == "" {
		t.Error("a kernel that there is not has no name")
	}
}

// TestModules checks that each module is among the sources, the PTX and the emulator's
// includes.
func TestModules(t *testing.T) {
	want := Modules()
	slices.Sort(want)
	for what, pattern := range map[string][2]string{"sources": {"", "*.cu"}, "PTX": {"code", "*.ptx.zst"}, "sm_80": {"code", "*.sm_80.zst"}, "sm_90": {"code", "*.sm_90.zst"}} {
		var got []string
		for _, f := range glob(t, pattern[0], pattern[1]) {
			base, _, _ := strings.Cut(filepath.Base(f), ".")
			got = append(got, base)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s are %v, modules %v", what, got, want)
		}
	}
	var got []string
	for _, m := range regexp.MustCompile(`#include "(\w+)\.cu"`).FindAllStringSubmatch(read(t, filepath.Join(sourceDir, "emu.cpp")), -1) {
		got = append(got, m[1])
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("the emulator includes %v, modules are %v", got, want)
	}
}

// TestPTXEntries checks that every entry point of the PTX is in the table.
func TestPTXEntries(t *testing.T) {
	modules := map[string]string{}
	for _, k := range All() {
		modules[k.String()] = k.Module()
	}
	for _, module := range Modules() {
		text, err := PTX(module)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\.entry (\w+)\(`).FindAllStringSubmatch(text, -1) {
			if modules[m[1]] != module {
				t.Errorf("%s of %s: the table has it in %q", m[1], module, modules[m[1]])
			}
		}
	}
	if _, err := PTX("none"); err == nil {
		t.Error("a module that there is not: no error")
	}
}

// TestFor checks that For returns the kernels named after a codec, and for several codecs
// the most specific kernel.
func TestFor(t *testing.T) {
	names := map[uint8]string{BP128: "bp128", VByte128: "vbyte128", BP256: "bp256", VByte1024: "vbyte1024", Rice: "rice", PForDelta: "pfordelta",
		NewPFD: "newpfd", ParaPFor: "parapfor", LRC: "lrc", LRCSeg: "lrcseg", SegLRC: "seglrc", HSLRC: "hslrc", EF: "ef"}
	for c := range uint8(20) {
		name, ok := names[c]
		if Decodable(c) != ok {
			t.Errorf("Decodable(%d) is %v", c, !ok)
		}
		docs, sum, freqs := For(DecodeDocs, CodecsOf(c)), For(SumDocs, CodecsOf(c)), For(DecodeFreqs, CodecsOf(c))
		if !ok {
			if docs != None || sum != None || freqs != None {
				t.Errorf("codec %d: %v, %v, %v", c, docs, sum, freqs)
			}
			continue
		}
		freqsName := name
		if HasElements(c) {
			freqsName = "newpfd"
		}
		if docs.String() != "decode_docs_"+name || freqs.String() != "decode_freqs_"+freqsName || sum != None && sum.String() != "sum_docs_"+name {
			t.Errorf("codec %s: %v, %v, %v", name, docs, sum, freqs)
		}
		if docs.TileBlocks(0) < docs.TileBlocks(1<<23) || docs.TileBlocks(0) < 16 {
			t.Errorf("%v: tiles of %d and %d blocks", docs, docs.TileBlocks(0), docs.TileBlocks(1<<23))
		}
	}
	for _, v := range []struct {
		codecs                  CodecSet
		intersect, rank, byElem Kernel
	}{
		{0, IntersectPacked, RankPacked, IntersectElements},
		{CodecsOf(Raw, BP256), IntersectPacked, RankPacked, None},
		{CodecsOf(NewPFD, BP128), IntersectNewPFD, RankNewPFD, None},
		{CodecsOf(SegLRC), IntersectDocs, Rank, IntersectElements},
		{CodecsOf(EF, NewPFD), IntersectDocs, Rank, None},
		{CodecsOf(EF + 1), None, None, None},
	} {
		got := [3]Kernel{For(Intersect, v.codecs), For(RankDocs, v.codecs), For(FindElements, v.codecs)}
		if want := [3]Kernel{v.intersect, v.rank, v.byElem}; got != want {
			t.Errorf("codecs %b: %v, want %v", v.codecs, got, want)
		}
	}
	if a, b := For(RankInFields, CodecsOf(BP256)), For(RankInFields, CodecsOf(EF)); a != RankPackedFields || b != RankFields {
		t.Errorf("over fields: %v, %v", a, b)
	}
	if For(0, 0) != None {
		t.Error("a kernel for no task")
	}
}
