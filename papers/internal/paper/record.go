package paper

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pinion-index/pinion/internal/cli"
)

//go:embed all:recorded
var recorded embed.FS

// Recorded returns the kept run of one half of an experiment, nil if there is none.
func Recorded(name string, h Half) (*Run, error) {
	b, err := recorded.ReadFile(fmt.Sprintf("recorded/%s.%s.json", name, h))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &Run{}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("recorded run of %s: %w", name, err)
	}
	r.Recorded = true
	return r, nil
}

// Record writes a run into a directory: that of the kept runs is
// papers/internal/paper/recorded in the sources.
func Record(dir string, r *Run) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return cli.WriteFile(filepath.Join(dir, fmt.Sprintf("%s.%s.json", r.Experiment, r.Half)), false, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
}
