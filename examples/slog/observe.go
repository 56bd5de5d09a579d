package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/pinion-index/pinion"
)

// observe returns a function for pinion.Options.Observe that logs events.
func observe(log *slog.Logger) func(pinion.Event) {
	return func(e pinion.Event) {
		log.LogAttrs(context.Background(), level(e), e.Kind.String(), attrs(e)...)
	}
}

// level returns how much an event matters. Publications and newer states are routine: there are
// up to ten of each a second.
func level(e pinion.Event) slog.Level {
	switch {
	case e.Err != nil:
		return slog.LevelError
	case e.Kind == pinion.EventSlow:
		return slog.LevelWarn
	case e.Kind == pinion.EventPublish || e.Kind == pinion.EventRefresh:
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// attrs returns what an event says.
func attrs(e pinion.Event) []slog.Attr {
	var a []slog.Attr
	switch {
	case e.Kind == pinion.EventMerge && e.Err == nil:
		m := e.Merge
		a = append(a, slog.Int("segments", m.Sources), slog.Int("into", m.Outputs), slog.Uint64("docs", m.Docs), slog.Uint64("purged", m.Purged))
	case e.Kind != pinion.EventMerge && e.Kind != pinion.EventDamage && e.Kind != pinion.EventRefused && e.Kind != pinion.EventFault:
		a = append(a, slog.Duration("took", e.Took), slog.Uint64("commit", e.Commit), slog.Uint64("docs", e.Docs))
	}
	if e.Request != nil {
		a = append(a, slog.String("query", fmt.Sprintf("%+v", e.Request.Query)), slog.Int("k", e.Request.Limit))
	}
	if e.Err != nil {
		a = append(a, slog.Any("err", e.Err))
	}
	return a
}
