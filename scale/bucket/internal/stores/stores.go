// Package stores is where package drivers leaves what it knows of single stores, so that package bucket imports none of their clients.
package stores

import (
	"context"
	"time"

	"gocloud.dev/blob"
)

// URLs opens the URLs that gocloud's own drivers would open otherwise.
var URLs blob.URLMux

// Upload is an upload of an object in parts that has not ended.
type Upload struct {
	Key   string // in the bucket, without its prefix
	ID    string
	Began time.Time
}

// Uploads are those of a bucket.
type Uploads interface {
	// List returns those of keys that begin with the bucket's prefix.
	List(ctx context.Context) ([]Upload, error)
	// Abort ends one that List has returned and removes its parts, unless it has ended.
	Abort(ctx context.Context, u Upload) error
}

// UploadsOf returns the uploads of a bucket, or nil if its store has none that stay. Package drivers sets it.
var UploadsOf = func(*blob.Bucket) Uploads { return nil }
