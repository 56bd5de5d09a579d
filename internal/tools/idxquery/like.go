package idxquery

import (
	"context"
	"errors"

	"github.com/pinion-index/pinion"
	"github.com/pinion-index/pinion/internal/cli"
	"github.com/pinion-index/pinion/query"
)

// checkLike returns what is wrong with --like beside other flags.
func (f *flags) checkLike(args []string) error {
	switch {
	case len(f.like) == 0:
		return nil
	case len(args) > 0 || f.queries != "":
		return cli.Usage("--like is in place of QUERY and --queries: the documents say what is searched for")
	case f.syntax || f.typos || len(f.synonyms) > 0 || f.mode.Value != query.ModeOr.String():
		return cli.Usage("--like excludes --syntax, --typos, --synonyms and --mode: a document matches that has any of the words")
	case f.dot != "" || f.nearest != "":
		return cli.Usage("--like excludes --dot and --nearest")
	case f.device.Value != "cpu" || f.preload != "":
		return cli.Usage("--like takes --device cpu and no --preload")
	}
	return nil
}

// likeOf returns what is searched for by --like, or nil without.
func (s *session) likeOf() (query.Node, error) {
	if len(s.f.like) == 0 {
		return nil, nil
	}
	l := pinion.Like{IDs: s.f.like}
	if s.f.field != "" {
		l.Fields = []string{s.f.field}
	}
	n, err := s.pages.Like(context.Background(), l)
	if errors.Is(err, pinion.ErrInvalid) {
		return nil, cli.Usage("--like: %w", err)
	}
	return n, err
}
