package drivers

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	"github.com/aws/smithy-go/transport/http"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"

	"github.com/pinion-index/pinion/scale/bucket/internal/stores"
)

func init() {
	stores.URLs.RegisterBucket(s3blob.Scheme, s3Opener{})
	stores.UploadsOf = func(b *blob.Bucket) stores.Uploads {
		u := &uploads{bucket: b}
		if !b.As(&u.client) {
			return nil
		}
		return u
	}
}

// A part of an upload is sent up to partTries times by the client, with up to partPause in between. All other requests it sends once: they are
// repeated by who asks, and a whole upload should not be for the sake of a part.
const (
	partTries   = 7
	partPause   = 5 * time.Second
	uploadsPart = "UploadPart" // the name of the operation
)

// s3Opener opens URLs as s3blob.URLOpener does, but for how requests are repeated.
type s3Opener struct{}

// OpenBucketURL implements blob.BucketURLOpener.
func (s3Opener) OpenBucketURL(ctx context.Context, u *url.URL) (*blob.Bucket, error) {
	o := new(s3blob.URLOpener)
	b, err := o.OpenBucketURL(ctx, u) // sets o.Options
	if err != nil {
		return nil, err
	}
	defer b.Close()
	var client *s3.Client
	if !b.As(&client) {
		return nil, errors.New("the bucket of an s3 URL has no client")
	}
	options := client.Options()
	options.Retryer = retry.AddWithMaxBackoffDelay(retry.AddWithMaxAttempts(options.Retryer, partTries), partPause)
	options.APIOptions = append(options.APIOptions, once)
	return s3blob.OpenBucket(ctx, s3.New(options), u.Host, &o.Options)
}

// once makes an operation send its request once, unless that is for a part of an upload.
func once(stack *middleware.Stack) error {
	if stack.ID() == uploadsPart {
		return nil
	}
	const id = "Retry"
	m, _ := stack.Finalize.Get(id)
	repeats, ok := m.(*retry.Attempt)
	if !ok {
		return errors.New("the client of S3 repeats requests in an unknown way")
	}
	_, err := stack.Finalize.Swap(id, retry.NewAttemptMiddleware(aws.NopRetryer{}, http.RequestCloner, func(a *retry.Attempt) {
		a.OperationMeter, a.ClientSkew, a.DisableClockSkewCorrection = repeats.OperationMeter, repeats.ClientSkew, repeats.DisableClockSkewCorrection
	}))
	return err
}

// uploads are those of a bucket of S3.
type uploads struct {
	bucket       *blob.Bucket
	client       *s3.Client
	name, prefix *string // of the bucket; set by List
}

// find sets u.name and u.prefix.
func (u *uploads) find(ctx context.Context) error {
	_, _, err := u.bucket.ListPage(ctx, blob.FirstPageToken, 1, &blob.ListOptions{BeforeList: func(as func(any) bool) error {
		var in *s3.ListObjectsV2Input
		var legacy *s3.ListObjectsInput
		switch {
		case as(&in):
			u.name, u.prefix = in.Bucket, in.Prefix
		case as(&legacy):
			u.name, u.prefix = legacy.Bucket, legacy.Prefix
		default:
			return errors.New("the bucket does not tell its name")
		}
		return nil
	}})
	return err
}

// List implements stores.Uploads.
func (u *uploads) List(ctx context.Context) (all []stores.Upload, err error) {
	if err := u.find(ctx); err != nil {
		return nil, err
	}
	in := &s3.ListMultipartUploadsInput{Bucket: u.name, Prefix: u.prefix}
	for {
		page, err := u.client.ListMultipartUploads(ctx, in)
		if err != nil {
			return nil, err
		}
		for _, x := range page.Uploads {
			if key, ok := strings.CutPrefix(aws.ToString(x.Key), aws.ToString(u.prefix)); ok {
				all = append(all, stores.Upload{Key: key, ID: aws.ToString(x.UploadId), Began: aws.ToTime(x.Initiated)})
			}
		}
		if !aws.ToBool(page.IsTruncated) {
			return all, nil
		}
		in.KeyMarker, in.UploadIdMarker = page.NextKeyMarker, page.NextUploadIdMarker
	}
}

// Abort implements stores.Uploads.
func (u *uploads) Abort(ctx context.Context, x stores.Upload) error {
	_, err := u.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: u.name, Key: aws.String(aws.ToString(u.prefix) + x.Key), UploadId: &x.ID})
	var api smithy.APIError
	if errors.As(err, &api) && api.ErrorCode() == "NoSuchUpload" {
		return nil
	}
	return err
}
