// Kernels that decode whole lists of the linear-regression codecs to docIDs, stored or
// summed. For bounds and sources see lines.h.
#include "decode.h"

DENSE(lrc, LRC, 5)
DENSE(lrcseg, LRCSEG, 5)
DENSE(seglrc, SEGLRC, 5)
DENSE(hslrc, HSLRC, 4)
