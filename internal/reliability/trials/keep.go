package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// countsFile is the file in the folder of the flag -keep that has a line for each trial: what was
// done in the unit of its count, what was made, the parts that passed, and the trial's name.
const countsFile = "counts.txt"

// load adds to all what former runs reached.
func load(dir string, all []*trial) error {
	lines, err := readCounts(dir)
	for _, t := range all {
		if line, ok := lines[t.name]; ok {
			t.done, t.made, t.parts = t.done+line.done, t.made+line.made, t.parts+line.parts
		}
	}
	return err
}

type line struct{ done, made, parts int }

func readCounts(dir string) (map[string]line, error) {
	path := filepath.Join(dir, countsFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]line{}, nil
	}
	lines := map[string]line{}
	for text := range strings.Lines(string(b)) {
		var l line
		fields := strings.SplitN(strings.TrimSpace(text), " ", 4)
		if len(fields) < 4 {
			return nil, fmt.Errorf("%s: %q is not three numbers and a name", path, text)
		}
		if _, err := fmt.Sscan(text, &l.done, &l.made, &l.parts); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, text, err)
		}
		lines[fields[3]] = l
	}
	return lines, err
}

// save keeps what was reached, and what former runs reached of other trials.
func save(dir string, all []*trial) error {
	lines, err := readCounts(dir)
	if err != nil {
		return err
	}
	for _, t := range all {
		lines[t.name] = line{t.done, t.made, t.parts}
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		l := lines[name]
		fmt.Fprintf(&b, "%d %d %d %s\n", l.done, l.made, l.parts, name)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, countsFile), []byte(b.String()), 0o666)
}
