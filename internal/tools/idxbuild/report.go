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

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/internal/indexdir"
	"github.com/pinion-index/pinion/schema"
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
	NotUTF8  uint64                  `json:"not_utf8"`
	Misread  string                  `json:"first_not_utf8,omitempty"`
	Lost     uint64                  `json:"undecoded_characters"`
	LostAt   string                  `json:"first_undecoded,omitempty"`
	Passed   map[string]uint64       `json:"passed_pages,omitempty"`
	Formats  map[exchange.Format]int `json:"files"`
	Vectors  int                     `json:"vector_files,omitempty"`
	Read     int64                   `json:"bytes_read"`
	Seconds  float64                 `json:"seconds"`
	Live     int64                   `json:"documents"`
	Segments int                     `json:"segments"`
	Kept     int                     `json:"kept_commits"`
	Bytes    int64                   `json:"bytes"`
	DryRun   bool                    `json:"dry_run"`
	Upgraded bool                    `json:"upgraded"`
	// Analyzers are those of the index, or of its fields of text that are indexed.
	Analyzers []Analyzer `json:"analyzers"`
	took      time.Duration
	see       string // the flag that names what to read

	deletes, adds bool
	wordless      bool // no field is indexed
}

// Analyzer is what cuts text into terms.
type Analyzer struct {
	Field   string `json:"field"` // empty if the index has none
	Name    string `json:"name"`
	Options string `json:"options"`
}

// analyze says which analyzers an index has: those of its fields, or else the one of a name and options.
func (r *Report) analyze(s *schema.Schema) {
	r.Analyzers = nil
	add := func(field, name, options string) {
		if a, err := analysis.New(name, options); err == nil { // as an index records it
			name, options = a.Name(), a.Options()
		}
		r.Analyzers = append(r.Analyzers, Analyzer{field, name, options})
	}
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Kind == schema.Text && f.Indexing() != schema.IndexNone {
			name, options := f.Analysis()
			add(f.Name, name, options)
		}
	}
}

// textAnalyzers shows the analyzers, each with its fields.
func (r *Report) textAnalyzers(t *cli.Table) {
	var names []string
	fields := map[string][]string{}
	for _, a := range r.Analyzers {
		name := a.Name
		if a.Options != "" {
			name += " (" + a.Options + ")"
		}
		if fields[name] == nil {
			names = append(names, name)
		}
		fields[name] = append(fields[name], a.Field)
	}
	for i, name := range names {
		if of := fields[name]; of[0] != "" {
			names[i] += " of " + list(of)
		}
	}
	if len(names) > 0 {
		t.Row("analyzer", strings.Join(names, "; "))
	}
}

// live returns the number of documents that are not deleted.
func live(dir string) (int64, error) {
	n := int64(0)
	err := latest(dir, func(m *indexdir.Manifest) {
		for _, s := range m.Segments {
			n += int64(s.Docs) - int64(s.Deleted)
		}
	})
	return n, err
}

// latest calls f with the newest manifest, if there is one.
func latest(dir string, f func(m *indexdir.Manifest)) error {
	d, err := indexdir.Open(dir)
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
	return latest(dir, func(m *indexdir.Manifest) {
		r := &b.report
		r.wordless = !slices.ContainsFunc(m.Schema.Fields, func(f schema.Field) bool { return f.Indexing() != schema.IndexNone })
		r.analyze(m.Schema)
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

func (r *Report) Text(w io.Writer) {
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
	r.textAnalyzers(t)
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
	if r.Bare > 0 && !r.wordless {
		t.Row("without terms", cli.Number(r.Bare, "document")+" of these, which no word finds")
	}
	r.textRead(t)
	t.Row("read", fmt.Sprintf("%s in %s, %s/s", cli.Bytes(r.Read), cli.Seconds(r.took), cli.Bytes(int64(float64(r.Read)/r.took.Seconds()))))
}

// textRead shows what was not read, and how the rest was.
func (r *Report) textRead(t *cli.Table) {
	if r.Ignored > 0 {
		t.Row("ignored", cli.Number(r.Ignored, "field")+" ("+list(r.Names)+"): see "+r.see)
	}
	if r.NotUTF8 > 0 {
		t.Row("not UTF-8", cli.NotUTF8(r.NotUTF8, r.Misread))
	}
	if r.Lost > 0 {
		t.Row("not decoded", cli.Undecoded(r.Lost, r.LostAt))
	}
	if r.Zeroed > 0 {
		t.Row("left out", cli.Number(r.Zeroed, "weight")+" of 0 in steps of the scale")
	}
	for _, why := range slices.Sorted(maps.Keys(r.Passed)) {
		t.Row("passed over", cli.Count(r.Passed[why])+" "+why)
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
	r.textAnalyzers(t)
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
	if r.Vectors > 0 {
		parts = append(parts, cli.Number(r.Vectors, "file")+" of vectors")
	}
	if len(parts) == 0 {
		return "nothing: there are no files"
	}
	return strings.Join(parts, "; ")
}

// firstOf returns the place that was found first.
func firstOf(before string, e *exchange.Error) string {
	if before != "" || e == nil {
		return before
	}
	return e.Error()
}

// count takes the figures of an input that has been read.
func (r *Report) count(src *exchange.Documents) {
	for f, n := range src.Formats() {
		r.Formats[f] += n
	}
	r.Zeroed += src.Zeroed()
	for why, n := range src.Passed() {
		if r.Passed == nil {
			r.Passed = map[string]uint64{}
		}
		r.Passed[why] += n
	}
	n, first := src.NotUTF8()
	r.NotUTF8, r.Misread = r.NotUTF8+n, firstOf(r.Misread, first)
	n, first = src.Undecoded()
	r.Lost, r.LostAt = r.Lost+n, firstOf(r.LostAt, first)
	for name, n := range src.Ignored() {
		r.Ignored += n
		if name != "" && !slices.Contains(r.Names, name) {
			r.Names = append(r.Names, name)
		}
	}
	slices.Sort(r.Names)
}
