package cli

import (
	"context"
	"errors"
	"fmt"
)

// tries is how often Change starts.
const tries = 16

// Kind is a kind of change.
type Kind uint8

const (
	AnyChange Kind = iota // can be made again
	OneChange             // reads what can be read only once
	Merging               // merges segments, and changes nothing else
	NoChange              // only reads
)

// Change calls f, which changes the index that *index names. If that is a URL, *index is a local directory
// meanwhile, and what f leaves there becomes the next commit at the URL if f returns nil. If another writer was first,
// that starts again from what it committed, up to 16 times in all.
func Change(ctx context.Context, index *string, what Kind, f func() error) (err error) {
	url := *index
	if !IsURL(url) {
		return f()
	}
	defer func() { *index = url }()
	if what == NoChange {
		dirs, end, err := Local(ctx, []string{url})
		if err != nil {
			return err
		}
		*index = dirs[0]
		return errors.Join(f(), end())
	}
	if URLs.Checkout == nil {
		return noURLs(url)
	}
	c, err := URLs.Checkout(ctx, url)
	if err != nil {
		return Opening(err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for try := 1; ; try++ {
		*index = c.Dir()
		if err := f(); err != nil {
			return err
		}
		commit := c.Commit
		if what == Merging {
			commit = c.CommitMerge
		}
		err := commit(ctx)
		switch {
		case err == nil || !errors.Is(err, ErrConflict):
			return err
		case what == OneChange:
			return fmt.Errorf("%s: %w\nnothing was changed: what cannot be read twice is not read for another try", url, err)
		case try == tries:
			return fmt.Errorf("%s: %w, %d times in a row\nnothing was changed: fewer writers at a time get through", url, err, tries)
		}
		if err := c.Renew(ctx); err != nil {
			return Opening(err)
		}
	}
}

// Local returns local directories of the indexes that names name, and a function that removes those that were made
// of URLs.
func Local(ctx context.Context, names []string) (dirs []string, end func() error, err error) {
	var ends []func() error
	end = func() (err error) {
		for _, f := range ends {
			err = errors.Join(err, f())
		}
		return err
	}
	for _, name := range names {
		if IsURL(name) {
			if URLs.Copy == nil {
				return nil, nil, errors.Join(noURLs(name), end())
			}
			dir, remove, err := URLs.Copy(ctx, name)
			if err != nil {
				return nil, nil, errors.Join(Opening(err), end())
			}
			name, ends = dir, append(ends, remove)
		}
		dirs = append(dirs, name)
	}
	return dirs, end, nil
}

// noURLs is the error of a build without URLs.
func noURLs(url string) error {
	return fmt.Errorf("%s: this build takes directories alone; those of module scale/bucket take URLs", url)
}
