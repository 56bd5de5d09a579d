package idxbuild

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pinion-index/pinion/exchange"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/store"
)

// Report is what idxbuild prints.
type Report struct {
	Index    string                  `json:"index"`
	Added    int64                   `json:"added"`
	Replaced int64                   `json:"replaced"`
	Skipped  int64                   `json:"skipped"`
	Foreign  int64                   `json:"skipped_files"`
	Bare     uint64                  `json:"without_terms"`
	Deleted  int64                   `json:"deleted"`
	NotFound int64                   `json:"ids_not_found"`
	Ignored  uint64                  `json:"ignored_fields"`
	Names    []string                `json:"ignored_names"`
	Zeroed   uint64                  `json:"zero_weights"`
	Formats  map[exchange.Format]int `json:"files"`
	Read     int64                   `json:"bytes_read"`
	Seconds  float64                 `json:"seconds"`
	Live     int64                   `json:"documents"`
	Segments int                     `json:"segments"`
	Kept     int                     `json:"kept_commits"`
	Bytes    int64                   `json:"bytes"`
	DryRun   bool                    `json:"dry_run"`
	Upgraded bool                    `json:"upgraded"`
	took     time.Duration
	see      string // the flag that names what to read

	deletes, adds bool
}

// live returns the number of documents that are not deleted.
func live(dir string) (int64, error) {
	n := int64(0)
	err := latest(dir, func(m *store.Manifest) {
		for _, s := range m.Segments {
			n += int64(s.Docs) - int64(s.Deleted)
		}
	})
	return n, err
}

// latest calls f with the newest manifest, if there is one.
func latest(dir string, f func(m *store.Manifest)) error {
	d, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if g, err := d.Generation(); err != nil || g == 0 {
		return err
	}
	c, err := d.Latest()
	if err != nil {
		return err
	}
	defer c.Release()
	f(c.Manifest)
	return nil
}

// after fills in the report's figures of the new index.
func (b *build) after(dir string, before int64) error {
	return latest(dir, func(m *store.Manifest) {
		r := &b.report
		for _, s := range m.Segments {
			r.Live += int64(s.Docs) - int64(s.Deleted)
		}
		r.Replaced = before - r.Deleted + r.Added - r.Live
		r.Segments = len(m.Segments)
		for _, name := range m.Files() {
			if st, err := os.Stat(filepath.Join(dir, name)); err == nil {
				r.Bytes += st.Size()
			}
		}
	})
}

func (r *Report) text(w io.Writer) {
	t := cli.NewTable("", "")
	if r.DryRun {
		r.textDry(t)
		t.WriteTo(w)
		return
	}
	if r.deletes {
		t.Row("deleted", cli.Number(r.Deleted, "document"))
	}
	if r.NotFound > 0 {
		t.Row("not found", cli.Number(r.NotFound, "id"))
	}
	if r.adds {
		r.textAdded(t)
	}
	t.Row("index", r.Index)
	t.Row("documents", cli.Count(r.Live))
	t.Row("segments", cli.Count(r.Segments))
	t.Row("size", cli.Bytes(r.Bytes))
	if r.Kept > 1 {
		t.Row("keeps", cli.Kept(r.Kept))
	}
	t.WriteTo(w)
}

// textAdded shows what was added.
func (r *Report) textAdded(t *cli.Table) {
	t.Row("added", r.added())
	if r.Bare > 0 {
		t.Row("without terms", cli.Number(r.Bare, "document")+" of these, which no query finds")
	}
	r.textRead(t)
	t.Row("read", fmt.Sprintf("%s in %s, %s/s", cli.Bytes(r.Read), cli.Seconds(r.took), cli.Bytes(int64(float64(r.Read)/r.took.Seconds()))))
}

// textRead shows what was not read, and how the rest was.
func (r *Report) textRead(t *cli.Table) {
	if r.Ignored > 0 {
		t.Row("ignored", cli.Number(r.Ignored, "field")+" ("+list(r.Names)+"): see "+r.see)
	}
	if r.Zeroed > 0 {
		t.Row("left out", cli.Number(r.Zeroed, "weight")+" of 0 in steps of the scale")
	}
	if r.Skipped > 0 {
		t.Row("skipped", cli.Number(r.Skipped, "bad document"))
	}
	if r.Foreign > 0 {
		t.Row("skipped", cli.Number(r.Foreign, "file")+" without documents")
	}
	t.Row("read as", r.formats())
}

// textDry shows what a run would do.
func (r *Report) textDry(t *cli.Table) {
	if r.deletes {
		t.Row("would delete", cli.Number(r.Deleted, "document"))
	}
	if r.NotFound > 0 {
		t.Row("not found", cli.Number(r.NotFound, "id"))
	}
	if r.adds {
		t.Row("would add", r.added())
		r.textRead(t)
	}
	t.Row("index", r.Index)
	t.Row("documents then", cli.Count(r.Live))
	t.Row("written", "nothing: a dry run")
}

// added says how many documents are added, and how many of them replace others.
func (r *Report) added() string {
	added := cli.Number(r.Added, "document")
	if r.Replaced > 0 {
		added += fmt.Sprintf(", %s of them in place of others", cli.Count(r.Replaced))
	}
	return added
}

// list shows the first of some names.
func list(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and others"
}

// formats says how many files were read in which formats.
func (r *Report) formats() string {
	var parts []string
	for _, f := range slices.Sorted(maps.Keys(r.Formats)) {
		part := string(f)
		if f == exchange.FormatTextDir {
			part = "text, a document a file"
		}
		if n := r.Formats[f]; n > 1 || len(r.Formats) > 1 {
			part = cli.Number(n, "file") + " as " + part
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return "nothing: there are no files"
	}
	return strings.Join(parts, "; ")
}

// count takes the figures of an input that has been read.
func (r *Report) count(src *exchange.Documents) {
	for f, n := range src.Formats() {
		r.Formats[f] += n
	}
	r.Zeroed += src.Zeroed()
	for name, n := range src.Ignored() {
		r.Ignored += n
		if name != "" && !slices.Contains(r.Names, name) {
			r.Names = append(r.Names, name)
		}
	}
	slices.Sort(r.Names)
}
