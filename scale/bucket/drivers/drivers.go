// Package drivers registers what gocloud.dev/blob opens: s3, gs, azblob, file and mem. For S3 it sees to it that requests are repeated in one
// place, and that Sweep finds uploads that were never finished.
package drivers

import (
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/fileblob"  // file://
	_ "gocloud.dev/blob/gcsblob"   // gs://
	_ "gocloud.dev/blob/memblob"   // mem://
)
