package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// trial is one row of docs/trials.md.
type trial struct {
	name    string
	program string // which build made
	folder  string // of the package, from the root of the repository; the working folder
	want    int    // the count of docs/trials.md
	inParts bool   // want is a number of parts
	part    int    // how many of it a part makes, at least
	seeds   uint64 // that a part uses at most
	args    func(seed uint64, n int) []string
	env     func(seed uint64, n int) []string
	counted *regexp.Regexp // finds in a part's output what it made; nil: what it was told to
	procs   int            // GOMAXPROCS, 1 if 0
	usual   time.Duration  // of a part; then of the slowest one yet
	fuzzes  bool           // parts grow until they take partTime

	made, done, begun, parts, failed int // done is in the unit of want, begun counts parts under way
}

// test returns the arguments that run one test of a test binary.
func test(name string, args ...string) []string {
	return append([]string{"-test.v", "-test.timeout", "1h", "-test.run", "^" + name + "$"}, args...)
}

// count returns a pattern for a count that the test logs before what.
func count(what string) *regexp.Regexp { return regexp.MustCompile(`(\d+) ` + what) }

const (
	reliability = "internal/reliability"
	sim         = "internal/sim"
)

// trials returns those whose name matches pattern, of programs in dir.
func trials(ctx context.Context, dir, keep string, pattern *regexp.Regexp) ([]*trial, error) {
	fixed := slices.DeleteFunc(fixedTrials(dir), func(t *trial) bool { return !pattern.MatchString(t.name) })
	targets, err := fuzzTrials(ctx, dir, keep, pattern)
	return append(fixed, targets...), err
}

// fixedTrials returns all but those of fuzz targets.
func fixedTrials(dir string) []*trial {
	whole := func(name, test_, what string, usual time.Duration) *trial { // in one part
		return &trial{name: name, program: "reliability", folder: reliability, want: 1, inParts: true, part: 1, usual: usual, counted: count(what),
			args: func(uint64, int) []string { return test(test_, "-share", "100") }}
	}
	options := func(name, test_, what string, want int) *trial { // each part with other options of the writer
		return &trial{name: name, program: "reliability", folder: reliability, want: want, inParts: true, part: 1, seeds: 1, usual: 10 * time.Second, counted: count(what),
			args: func(seed uint64, _ int) []string {
				return test(test_, "-share", "100", "-seed", fmt.Sprint(seed))
			}}
	}
	seeded := func(flag string) func(name string) func(uint64, int) []string {
		return func(name string) func(uint64, int) []string {
			return func(seed uint64, n int) []string {
				return test(name, flag, fmt.Sprint(n), "-seed", fmt.Sprint(seed))
			}
		}
	}
	var (
		random    = seeded("-trials")
		ask       = seeded("-queries")
		queries   = count("queries over")
		operation = count("operations")
	)
	all := []*trial{
		{name: "bits", program: "query", folder: "query", want: everyBit, inParts: true, part: 1, seeds: 1, usual: 20 * time.Second,
			args: func(uint64, int) []string { return test("TestEveryBit") },
			env: func(seed uint64, _ int) []string {
				return []string{fmt.Sprintf("PINION_EVERY_BIT=%d/%d/28000", (seed-1)%everyBit, everyBit)}
			},
			counted: count("bits flipped")},
		{name: "mutations", program: "reliability", folder: reliability, want: 1_000_000, part: 5000, seeds: 5000, usual: 10 * time.Second, args: random("TestMutations")},
		{name: "mended", program: "reliability", folder: reliability, want: 200_000, part: 500, seeds: 500, usual: 20 * time.Second, args: random("TestMended"), counted: count("trials")},
		whole("manifests", "TestManifests", "manifests", 5*time.Minute),
		whole("truncations", "TestTruncations", "lengths", time.Minute),
		options("errors", "TestInjectedErrors", "runs", 20),
		options("crashes", "TestCrashes", "crashes", 20),
		options("cancelled", "TestCancel", "runs", 20),
		options("full disks", "TestFullDisk", "disks", 20),
		whole("many indexes", "TestManyIndexes", "indexes", time.Minute),
		whole("mapping limit", "TestMappingLimit", "indexes", time.Minute),
		{name: "real disks", program: "reliability", folder: reliability, want: 100, part: 5, seeds: 5, usual: time.Minute, procs: 2, args: random("TestRealDisk"), counted: count("disks filled")},
		{name: "full directories", program: "reliability", folder: reliability, want: 1000, part: 200, seeds: 200, usual: 30 * time.Second, procs: 2, args: random("TestFullDirectory"), counted: count("directories filled")},
		{name: "small memory", program: "reliability", folder: reliability, want: 2000, part: 80, seeds: 1, usual: time.Minute, procs: 2, counted: count("runs"),
			args: func(seed uint64, n int) []string {
				return test("TestSmallMemory", "-trials", fmt.Sprint(n/8), "-seed", fmt.Sprint(seed), "-commands", dir)
			}},
		{name: "kills", program: "reliability", folder: reliability, want: 2000, part: 50, seeds: 50, usual: 15 * time.Second, procs: 2, args: random("TestKill")},
		{name: "killed indexes", program: "reliability", folder: reliability, want: 47, part: 5, seeds: 5, usual: 20 * time.Second, args: random("TestKillIndex"), counted: count("kills")},
		{name: "changes", program: "query", folder: "query", want: 500, part: 50, seeds: 50, usual: 30 * time.Second, procs: 2,
			args: func(uint64, int) []string { return test("TestFilesThatChange") },
			env: func(seed uint64, n int) []string {
				return []string{fmt.Sprintf("PINION_CHANGES=%d", n), fmt.Sprintf("PINION_SEED=%d", seed)}
			}},
		{name: "worlds", program: "sim", folder: sim, want: 10_000_000, part: 50_000, seeds: 25, usual: 20 * time.Second, procs: 2, counted: operation,
			args: func(seed uint64, n int) []string {
				return test("TestWorld", "-ops", "2000", "-seeds", fmt.Sprint(n/2000), "-seed", fmt.Sprint(seed))
			}},
		{name: "wasm worlds", program: "simhost", folder: "internal/simhost", want: 1_000_000, part: 20_000, seeds: 100, usual: 60 * time.Second, counted: operation,
			args: func(seed uint64, n int) []string {
				return []string{"-program", filepath.Join(dir, "world.wasm"), "-workers", "1", "-ops", fmt.Sprint(n), "-first", fmt.Sprint(seed)}
			}},
		{name: "queries", program: "sim", folder: sim, want: 10_000_000, part: 50_000, seeds: 500, usual: 15 * time.Second, counted: queries, args: ask("TestQueries")},
		{name: "emulator queries", program: "sim-emu", folder: sim, want: 100_000, part: 2000, seeds: 100, usual: 15 * time.Second, counted: queries, args: ask("TestQueries")},
		{name: "emulator hybrid", program: "sim-emu", folder: sim, want: 100_000, part: 5000, seeds: 200, usual: 15 * time.Second, procs: 2, counted: queries, args: ask("TestHybrid")},
		{name: "emulator damage", program: "gpucheck-emu", folder: "internal/gpucheck", want: 2000, part: 100, seeds: 1, usual: 15 * time.Second,
			args: func(uint64, int) []string { return test("TestDamage") },
			env: func(seed uint64, n int) []string {
				return []string{fmt.Sprintf("PINION_DAMAGE=%d", n), fmt.Sprintf("PINION_SEED=%d", seed)}
			}},
	}
	if *scratch != "" {
		limit := func(name, test_, what string) *trial {
			return &trial{name: name, program: "reliability", folder: reliability, want: 1, inParts: true, part: 1, usual: 10 * time.Minute, procs: 2, counted: count(what),
				args: func(uint64, int) []string { return test(test_, "-scratch", *scratch) }}
		}
		all = append(all, limit("large segments", "TestLargeSegments", "large sections"), limit("many segments", "TestManySegments", "segments in one commit"),
			limit("longest text", "TestLongestText", "text of"))
	}
	return all
}

// everyBit is in how many parts query.TestEveryBit flips the bits of an index.
const everyBit = 256

// fuzzName returns the name of the trial of a fuzz target.
func fuzzName(folder, target string) string { return "fuzz " + path.Base(folder) + " " + target }

// fuzzTrials returns one for each target of the programs in dir.
func fuzzTrials(ctx context.Context, dir, keep string, pattern *regexp.Regexp) (all []*trial, err error) {
	memory := memoryFolder()
	found, err := filepath.Glob(filepath.Join(dir, "fuzz-*"))
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		program := filepath.Base(f)
		folder := strings.ReplaceAll(strings.TrimPrefix(program, "fuzz-"), "-", "/")
		out, err := exec.CommandContext(ctx, f, "-test.list", "^Fuzz").Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", program, err)
		}
		for _, target := range bytes.Fields(out) {
			name := fuzzName(folder, string(target))
			if !pattern.MatchString(name) {
				continue
			}
			all = append(all, &trial{name: name, program: program, folder: folder, want: *fuzz, part: 2000, seeds: 1, usual: 10 * time.Second, fuzzes: true,
				counted: count("executions guided"),
				args: func(seed uint64, n int) []string {
					return test(string(target), "-executions", fmt.Sprint(n), "-mutations", fmt.Sprint(seed), "-corpus", filepath.Join(keep, "corpus", path.Base(folder)))
				},
				env: func(uint64, int) []string { return []string{"TMPDIR=" + memory} }})
		}
	}
	return all, nil
}

// memoryFolder returns a folder for files that need not last: in memory if there is one.
func memoryFolder() string {
	if st, err := os.Stat("/dev/shm"); err == nil && st.IsDir() {
		return "/dev/shm"
	}
	return os.TempDir()
}
