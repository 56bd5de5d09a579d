package cli

import (
	"context"
	"errors"
	"fmt"
)

// Change calls f, which changes the index that *index names. If that is a URL, *index is a local directory
// meanwhile, and what f leaves there becomes the next commit at the URL if f returns nil.
func Change(ctx context.Context, index *string, f func() error) (err error) {
	url := *index
	if !IsURL(url) {
		return f()
	}
	dir, commit, end, err := checkout(ctx, url)
	if err != nil {
		return Opening(err)
	}
	*index = dir
	defer func() {
		*index = url
		err = errors.Join(err, end())
	}()
	if err := f(); err != nil {
		return err
	}
	return commit(ctx)
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
			dir, _, f, err := checkout(ctx, name)
			if err != nil {
				return nil, nil, errors.Join(Opening(err), end())
			}
			name, ends = dir, append(ends, f)
		}
		dirs = append(dirs, name)
	}
	return dirs, end, nil
}

func checkout(ctx context.Context, url string) (dir string, commit func(context.Context) error, end func() error, err error) {
	if URLs.Checkout == nil {
		return "", nil, nil, fmt.Errorf("%s: this build takes directories alone; those of module scale/bucket take URLs", url)
	}
	return URLs.Checkout(ctx, url)
}
