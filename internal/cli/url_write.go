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
)

// Change calls f, which changes the index that *index names. If that is a URL, *index is a local directory
// meanwhile, and what f leaves there becomes the next commit at the URL if f returns nil. If another writer was first,
// that starts again from what it committed, up to 16 times in all.
func Change(ctx context.Context, index *string, what Kind, f func() error) (err error) {
	url := *index
	if !IsURL(url) {
		return f()
	}
	c, err := checkout(ctx, url)
	if err != nil {
		return Opening(err)
	}
	defer func() {
		*index = url
		err = errors.Join(err, c.Close())
	}()
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
	var all []Checkout
	end = func() (err error) {
		for _, c := range all {
			err = errors.Join(err, c.Close())
		}
		return err
	}
	for _, name := range names {
		if IsURL(name) {
			c, err := checkout(ctx, name)
			if err != nil {
				return nil, nil, errors.Join(Opening(err), end())
			}
			name, all = c.Dir(), append(all, c)
		}
		dirs = append(dirs, name)
	}
	return dirs, end, nil
}

func checkout(ctx context.Context, url string) (Checkout, error) {
	if URLs.Checkout == nil {
		return nil, fmt.Errorf("%s: this build takes directories alone; those of module scale/bucket take URLs", url)
	}
	return URLs.Checkout(ctx, url)
}
