// Whole lists of the codecs with unary parts to docIDs, in device memory or summed: ef
// and rice. Bounds and sources: unary.h.
#include "decode.h"

DENSE(ef, ELIAS, 6)
DENSE(rice, RICE, 6)
