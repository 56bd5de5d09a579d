// Whole lists of the codecs with unary parts to docIDs, in device memory or summed, and
// to frequencies: ef and rice. Bounds and sources: unary.h.
#include "decode.h"

DENSE(ef, ELIAS, 6)
DENSE(rice, RICE, 6)
DENSE_FREQS(ef, ELIAS, 6)
DENSE_FREQS(rice, RICE, 6)
