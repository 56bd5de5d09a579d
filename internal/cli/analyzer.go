package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pinion-index/pinion/analysis"
	"github.com/pinion-index/pinion/schema"
)

// AnalyzerFlag adds the flag --analyzer, which takes the name of an analyzer. without says which one there is without it.
func AnalyzerFlag(cmd *cobra.Command, to *string, without string) {
	cmd.Flags().StringVar(to, "analyzer", "", "`NAME` of what cuts text into terms: "+strings.Join(analysis.Names(), ", ")+" (default: "+without+")")
	_ = cmd.RegisterFlagCompletionFunc("analyzer", cobra.FixedCompletions(analysis.Names(), cobra.ShellCompDirectiveNoFileComp))
}

// NewAnalyzer returns the analyzer of a name and options as a person writes them: what only indexes record is refused. The
// error hints at what may be meant.
func NewAnalyzer(name, options string) (analysis.Analyzer, error) {
	for option := range strings.SplitSeq(options, ",") { // alone, which no recorded option is
		if _, err := analysis.New(name, option); err != nil {
			if errors.Is(err, analysis.ErrUnknown) {
				err = fmt.Errorf("%w%s", err, DidYouMean(name, analysis.Names()))
			}
			return nil, err
		}
	}
	return analysis.New(name, options)
}

// Implicit returns the implicit schema with what --analyzer, its options and --store-text say, or nil if they say nothing. Without
// options the analyzer has those of the index.
func Implicit(analyzer, options string, stored bool) (*schema.Schema, error) {
	switch {
	case analyzer != "":
		a, err := NewAnalyzer(analyzer, options)
		if err != nil {
			return nil, Usage("--analyzer: %w", err)
		}
		if options != "" {
			options = a.Options()
		}
	case !stored:
		return nil, nil
	}
	return schema.Implicit(analyzer, options, stored), nil
}

// CheckSchema returns an error for an analyzer of a schema that a person has written, as NewAnalyzer has it.
func CheckSchema(s *schema.Schema) error {
	if s.Language != "" {
		if _, err := ofLanguage(s.Language); err != nil {
			return err
		}
	}
	for i := range s.Fields {
		if f := &s.Fields[i]; f.Kind == schema.Text {
			if _, err := NewAnalyzer(f.Analysis()); err != nil {
				return fmt.Errorf("field %q: %w", f.Name, err)
			}
		}
	}
	return nil
}

// LanguageFlag adds --language to a command.
func LanguageFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "language", "", "texts are in `LANGUAGE`, such as en or pt-BR: its analyzer cuts those for which none is named")
}

// ofLanguage returns the analyzer for a language.
func ofLanguage(tag string) (name string, err error) {
	name, ok := analysis.ForLanguage(tag)
	if !ok {
		return "", fmt.Errorf("language %q: there is no analyzer for it; without, texts are cut by standard", tag)
	}
	_, err = NewAnalyzer(name, "")
	return name, err
}

// Language returns what --analyzer is with --language, for documents of which base is the schema: nil, that of --schema, which gets
// the language, or that of the index. keys are those of --field.
func Language(language, analyzer string, base *schema.Schema, keys int) (string, error) {
	if language == "" {
		return analyzer, nil
	}
	name, err := ofLanguage(language)
	switch {
	case err != nil:
		return "", Usage("--language: %w", err)
	case analyzer != "":
		return "", Usage("--language and --analyzer say both how texts are cut")
	case base == nil:
		return name, nil
	case base.NextID == 0: // of a file
		if base.Language != "" && base.Language != language {
			return "", Usage("--language is %q, and in --schema %q", language, base.Language)
		}
		base.Language = language
		return "", nil
	}
	ours := func(f schema.Field) bool { return f.Kind == schema.Text && f.Analyzer == name }
	if keys == 0 && !slices.ContainsFunc(base.Fields, ours) {
		return "", Usage("--language: no field of the index is cut by %s", name)
	}
	if keys == 0 {
		return "", nil
	}
	return name, nil
}

// otherKinds are kinds by names that other programs have for them.
var otherKinds = map[string]schema.Kind{
	"double": schema.Float, "decimal": schema.Float, "number": schema.Float, "numeric": schema.Float, "real": schema.Float,
	"int": schema.Integer, "long": schema.Integer, "short": schema.Integer, "byte": schema.Integer, "bigint": schema.Integer,
	"date": schema.Time, "datetime": schema.Time, "timestamp": schema.Time,
	"string": schema.Keyword, "varchar": schema.Keyword, "tag": schema.Keyword, "enum": schema.Keyword,
	"bool": schema.Keyword, "boolean": schema.Keyword, "uuid": schema.Keyword,
	"sparse": schema.Impacts, "sparse_vector": schema.Impacts,
	"dense": schema.Vector, "dense_vector": schema.Vector, "knn_vector": schema.Vector, "embedding": schema.Vector,
}

// CheckFieldType returns an error that names kinds and analyzers unless name, of a field whose TYPE is no kind, is that of an
// analyzer, or empty.
func CheckFieldType(name string) error {
	if name == "" {
		return nil
	}
	if _, err := analysis.New(name, ""); !errors.Is(err, analysis.ErrUnknown) {
		return err
	}
	var kinds []string
	for k := schema.Text; k <= schema.Vector; k++ {
		kinds = append(kinds, k.String())
	}
	hint := DidYouMean(name, append(kinds, analysis.Names()...))
	if k, ok := otherKinds[strings.ToLower(name)]; ok {
		hint = fmt.Sprintf("; did you mean %v?", k)
	}
	return fmt.Errorf("%q is no kind of field (%s) and no analyzer of text (%s)%s", name, strings.Join(kinds, ", "), strings.Join(analysis.Names(), ", "), hint)
}
