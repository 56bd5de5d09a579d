package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/store"
)

const (
	outputFlag = "pinion_output" // annotates the flags that Output adds
	textArgs   = "pinion_text"   // annotates the commands of TextArgs
)

// Output adds a flag that names a file to write, with a shorthand unless that is empty. A
// command does not run if the file is one of an index, or is named elsewhere on the
// command line: that is a usage error.
func Output(fl *pflag.FlagSet, p *string, name, shorthand, usage string) {
	fl.StringVarP(p, name, shorthand, "", usage)
	_ = fl.SetAnnotation(name, outputFlag, []string{name})
}

// IsOutput reports whether Output added the flag.
func IsOutput(f *pflag.Flag) bool { return f.Annotations[outputFlag] != nil }

// TextArgs says that the arguments of cmd are text: one that happens to be the name of a
// file is no input.
func TextArgs(cmd *cobra.Command) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[textArgs] = "true"
}

// checkOutputs returns an error if a flag of c that Output added names a file that must
// not be overwritten.
func checkOutputs(c *cobra.Command, args []string) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if !IsOutput(f) || err != nil || f.Value.String() == "" || f.Value.String() == "-" {
			return
		}
		if err = checkOutput(f.Value.String()); err != nil {
			err = fmt.Errorf("--%s: %w", f.Name, err)
			return
		}
		err = checkOthers(c, args, f)
	})
	return err
}

// checkOutput returns a usage error if path has the name of a file of an index, whether
// there is one or not, or is a link to such a name.
func checkOutput(path string) error {
	names := []string{path}
	if abs, err := filepath.Abs(path); err == nil {
		names = append(names, abs)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		names = append(names, real)
	} else if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		names = append(names, filepath.Join(dir, filepath.Base(path)))
	}
	for _, name := range names {
		dir, base := filepath.Split(name)
		switch {
		case indexdir.IsFileName(strings.ToLower(base)): // some file systems ignore case
			return Usage("%s is the name of a file of an index", path)
		case filepath.Base(dir) == store.QuarantineName && hasManifest(filepath.Dir(filepath.Clean(dir))):
			return Usage("%s is in the quarantine of an index", path)
		}
	}
	return nil
}

// checkOthers returns an error if what f names is named elsewhere on the command line, or
// is a file of an index that is.
func checkOthers(c *cobra.Command, args []string, f *pflag.Flag) (err error) {
	path := f.Value.String()
	c.Flags().Visit(func(other *pflag.Flag) {
		if other == f || err != nil {
			return
		}
		values := []string{other.Value.String()}
		if list, ok := other.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			switch {
			case v == "" || err != nil:
			case v == "-" && !IsOutput(other) && isStdin(path), sameRegular(path, v):
				err = fmt.Errorf("--%s and --%s name the same file", f.Name, other.Name)
			default:
				err = checkIndex(f, v)
			}
		}
	})
	for _, v := range args {
		switch {
		case err != nil:
		case c.Annotations[textArgs] == "" && (v == "-" && isStdin(path) || sameRegular(path, v)):
			err = fmt.Errorf("--%s names %s, which is an argument", f.Name, v)
		default:
			err = checkIndex(f, v)
		}
	}
	return err
}

// sameRegular is SameFile for a value that may be anything but a file's name.
func sameRegular(path, value string) bool {
	st, err := os.Stat(value)
	if err == nil && st.IsDir() {
		return false
	}
	return SameFile(path, value)
}

// isStdin reports whether path is the regular file that standard input reads.
func isStdin(path string) bool {
	in, err := os.Stdin.Stat()
	if err != nil || !in.Mode().IsRegular() {
		return false
	}
	st, err := os.Stat(path)
	return err == nil && os.SameFile(in, st)
}

// checkIndex returns an error if dir is a directory with files of an index, and f names
// one of them by another name.
func checkIndex(f *pflag.Flag, dir string) error {
	path := f.Value.String()
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // no directory
	}
	for _, e := range entries {
		if !indexdir.IsFileName(e.Name()) {
			continue
		}
		if of, err := os.Stat(filepath.Join(dir, e.Name())); err == nil && os.SameFile(st, of) {
			return fmt.Errorf("--%s names %s, which is the file %s of %s", f.Name, path, e.Name(), dir)
		}
	}
	return nil
}
