package site

import (
	"archive/tar"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"time"

	"github.com/pinion-index/pinion/httpapi"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/store"
)

// Backup asks for a backup, by POST /v1/backup.
type Backup struct {
	Name string `json:"name"` // of a folder that does not exist, in Options.Backups
}

// BackedUp is the answer to a Backup.
type BackedUp struct {
	Commit uint64 `json:"commit"`
	Files  int    `json:"files"`  // segments and deletes
	Linked int    `json:"linked"` // of them, those that take no space
	Bytes  int64  `json:"bytes"`
}

// backupName is matched by names of backups: elements of paths that are not hidden.
var backupName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$`)

// exclusive calls f unless a backup is under way.
func (s *Site) exclusive(f func() error) error {
	if !s.saving.TryLock() {
		return &httpapi.Error{Status: http.StatusTooManyRequests, Code: httpapi.CodeBusy, Message: "a backup is under way: come again"}
	}
	defer s.saving.Unlock()
	err := f()
	if err == nil {
		s.count.backups.Add(1)
	}
	return err
}

// backup makes a backup on the machine of the site.
func (s *Site) backup(w http.ResponseWriter, r *http.Request) error {
	var b Backup
	if err := readJSON(r, &b); err != nil {
		return err
	}
	switch {
	case s.o.Backups == "":
		return invalid("the site has no folder for backups: GET /v1/backup sends one")
	case !backupName.MatchString(b.Name):
		return &httpapi.Error{Status: http.StatusBadRequest, Code: httpapi.CodeInvalid, Field: "name", Message: "it has letters, digits, and - _ ."}
	}
	return s.exclusive(func() error {
		http.NewResponseController(w).SetWriteDeadline(time.Time{}) // until something is written: a copy takes its time
		err := s.index.Sync(r.Context())
		var stats indexdir.BackupStats
		if err == nil {
			stats, err = s.dir.Backup(r.Context(), store.Dir(filepath.Join(s.o.Backups, b.Name)), indexdir.BackupOptions{})
		}
		if err != nil {
			return fmt.Errorf("backup %s: %w", b.Name, err)
		}
		w.Header().Set("Content-Type", "application/json")
		return json.NewEncoder(w).Encode(BackedUp{stats.Generation, stats.Files, stats.Linked, stats.Bytes})
	})
}

// partBytes is how much of a file is read at once.
const partBytes = 1 << 20

// download sends the newest commit as a tar archive of an index directory.
func (s *Site) download(w http.ResponseWriter, r *http.Request) error {
	return s.exclusive(func() (err error) {
		if err := s.index.Sync(r.Context()); err != nil {
			return err
		}
		defer indexdir.CatchFault(indexdir.ArmFault(), &err)
		var files []store.Data
		c, err := s.dir.OpenLatest(func(c *indexdir.Commit) error {
			closeAll(files)
			files = nil
			for _, name := range c.Files() {
				f, err := s.dir.OpenFile(name)
				if err != nil {
					return err
				}
				files = append(files, f)
			}
			return nil
		})
		defer func() { closeAll(files) }()
		if err != nil {
			return err
		}
		defer c.Release()
		m := c.Manifest.Clone()
		m.Ancestry = c.Ancestry() // the copy is the same commit
		manifest, err := indexdir.EncodeManifest(m)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/x-tar")
		w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="commit-%d.tar"`, c.Generation))
		a := &archive{ctx: r.Context(), w: tar.NewWriter(w), at: time.Now()}
		for i, name := range c.Files() {
			if err := a.file(name, files[i]); err != nil {
				return err
			}
		}
		// The manifest comes last, so that what is cut off is not taken for an index.
		for _, name := range []string{indexdir.ManifestName(c.Generation), indexdir.MirrorName(c.Generation)} {
			if err := a.head(name, int64(len(manifest))); err != nil {
				return err
			}
			if err := a.write(manifest); err != nil {
				return err
			}
		}
		return a.w.Close()
	})
}

func closeAll(files []store.Data) {
	for _, f := range files {
		f.Close()
	}
}

// archive is a tar archive that is being sent.
type archive struct {
	ctx context.Context
	w   *tar.Writer
	at  time.Time // of the files
}

func (a *archive) head(name string, size int64) error {
	return a.w.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644, ModTime: a.at, Format: tar.FormatPAX})
}

func (a *archive) write(p []byte) error {
	_, err := a.w.Write(p)
	return err
}

// file sends a file.
func (a *archive) file(name string, f store.Data) error {
	if err := a.head(name, f.Size()); err != nil {
		return err
	}
	for off := int64(0); off < f.Size(); off += partBytes {
		p, err := f.Range(off, min(partBytes, f.Size()-off))
		if err == nil {
			err = a.ctx.Err()
		}
		if err == nil {
			err = a.write(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
