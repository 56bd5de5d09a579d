// Whole lists of the linear-regression codecs to docIDs, in device memory or summed.
// Bounds and sources: lines.h.
#include "decode.h"

DENSE(lrc, LRC, 5)
DENSE(lrcseg, LRCSEG, 5)
DENSE(seglrc, SEGLRC, 5)
DENSE(hslrc, HSLRC, 4)
