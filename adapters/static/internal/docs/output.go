package docs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// listName is the file that lists the files of the site, so that the next run removes what it does not write.
const listName = assets + "/files.txt"

// write writes the files of the site to a folder, and removes those that it no longer has.
func write(out string, files map[string][]byte, r *Report) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(out)
	if err != nil {
		return err
	}
	defer root.Close()
	before, err := listed(root)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(files))
	files[listName] = []byte(strings.Join(append(names, ""), "\n"))
	for _, name := range append([]string{listName}, names...) {
		if old, err := root.ReadFile(name); err == nil && bytes.Equal(old, files[name]) {
			r.Same++
			continue
		}
		r.Written++
		if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
			return err
		}
		if err := root.WriteFile(name, files[name], 0o666); err != nil {
			return err
		}
	}
	for _, name := range before {
		if files[name] != nil {
			continue
		}
		switch err := root.Remove(name); {
		case err == nil:
			r.Removed++
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// listed returns the files that the last run has written. A folder with files of others is an error.
func listed(root *os.Root) ([]string, error) {
	list, err := root.ReadFile(listName)
	if err == nil {
		return strings.FieldsFunc(string(list), func(r rune) bool { return r == '\n' }), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all, err := fs.ReadDir(root.FS(), ".")
	if err == nil && len(all) > 0 {
		err = fmt.Errorf("%w: the folder %s has files of others, such as %s", ErrInvalid, root.Name(), all[0].Name())
	}
	return nil, err
}
