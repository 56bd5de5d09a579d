package cli

import (
	"github.com/pinion-index/pinion/internal/encodings"
	"github.com/pinion-index/pinion/internal/exchange"
	"github.com/pinion-index/pinion/schema"
)

// CheckKeys returns an error for keys of --field that are given twice or have a TYPE that is none, and for --analyzer, with its
// options, and --store-text if they are no such thing or nothing takes them: each key has its own, or one in the schema base,
// which may be nil.
func CheckKeys(keys []exchange.Key, base *schema.Schema, analyzer, options string, store bool) error {
	if analyzer != "" {
		if _, err := NewAnalyzer(analyzer, options); err != nil {
			return Usage("--analyzer: %w", err)
		}
	}
	cut, kept := false, false
	type pair struct{ key, field string }
	seen := map[pair]bool{}
	for i := range keys {
		f := &keys[i].Field
		if err := CheckFieldType(f.Analyzer); err != nil {
			return Usage("--field %s: %w", f.Name, err)
		}
		p := pair{keys[i].Key, f.Name}
		if seen[p] {
			return Usage("--field: key %q is given twice for field %q", p.key, p.field)
		}
		seen[p] = true
		var old *schema.Field
		if base != nil {
			old, _ = base.Field(f.Name)
		}
		kept = kept || f.Kind != schema.Impacts && f.Kind != schema.Vector
		if f.Analyzer == "" && (f.Kind == 0 || f.Kind == schema.Text) {
			cut = cut || old == nil || old.Kind == schema.Text && sameAnalyzer(old, analyzer)
		}
	}
	switch {
	case analyzer != "" && len(keys) > 0 && !cut:
		return Usage("--analyzer %s: no field takes it, as each names its own TYPE, or has one already", analyzer)
	case store && len(keys) > 0 && !kept:
		return Usage("--store-text: --field names no field but impacts, or vectors, which are not stored")
	}
	return nil
}

func sameAnalyzer(f *schema.Field, name string) bool {
	has, _ := f.Analysis()
	return has == name
}

// CheckEncoding returns an error for the value of --encoding if it names none.
func CheckEncoding(name string) error {
	if _, err := encodings.Named(name); err != nil {
		return Usage("--encoding: %w", err)
	}
	return nil
}
