package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// ErrConditions is matched by the error of a writer over a store that replaces an object which it was asked to create only if it is
// absent: there, commits of one writer would take the place of another's.
var ErrConditions = errors.New("the store does not create objects only if they are absent (If-None-Match: *), so that commits would get lost: " +
	"docs/stores.md says which stores do")

// conditionKey is of the object by which writers see whether the store keeps conditions. It is never changed.
const conditionKey = "condition/absent.txt"

const conditionText = "A conditional request must not replace this object: by that a writer sees that the store keeps conditions.\n"

// Prove returns an error that matches ErrConditions unless the store of b keeps the condition on which commits rest. Whatever writes
// to b asks when it begins: it creates one fixed object if it is absent, which takes one request, and two where it was.
func Prove(ctx context.Context, b *blob.Bucket) error {
	for range 2 {
		err := again(ctx, func(ctx context.Context) error {
			return createObject(ctx, b, conditionKey, bytes.NewReader([]byte(conditionText)), false)
		})
		switch {
		case exists(err):
			return nil
		case unknownRequest(err):
			return fmt.Errorf("bucket: %w: %w", ErrConditions, err)
		case err != nil:
			return fmt.Errorf("bucket: creating %s: %w", conditionKey, err)
		}
	}
	return fmt.Errorf("bucket: %w: it has replaced %s", ErrConditions, conditionKey)
}

// unknownRequest reports whether a store does not know a request, or what came with it.
func unknownRequest(err error) bool {
	if gcerrors.Code(err) == gcerrors.Unimplemented {
		return true
	}
	var api interface{ ErrorCode() string }
	if errors.As(err, &api) && api.ErrorCode() == "NotImplemented" {
		return true
	}
	var answer interface{ HTTPStatusCode() int }
	return errors.As(err, &answer) && answer.HTTPStatusCode() == http.StatusNotImplemented
}
