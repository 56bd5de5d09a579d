package kernels

//go:generate sh build.sh

import (
	"embed"
	"io/fs"
)

//go:embed code/*.zst
var code embed.FS

// Code returns the device code: code/MODULE.FORM.zst for each kernel source MODULE.cu. FORM is ptx, or
// sm_XY for compute capability X.Y.
func Code() fs.FS { return code }
