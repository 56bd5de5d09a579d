// Kernels that decode whole lists of the codecs with unary parts, ef and rice, to docIDs,
// stored or summed, and to frequencies. For bounds and sources see unary.h.
#include "decode.h"

DENSE(ef, ELIAS, 6)
DENSE(rice, RICE, 6)
DENSE_FREQS(ef, ELIAS, 6)
DENSE_FREQS(rice, RICE, 6)
