// Whole lists of the patched codecs to docIDs, in device memory or summed, and to
// frequencies: newpfd, parapfor, pfordelta. Bounds and sources: patched.h and pfordelta.h.
#include "decode.h"

DENSE(newpfd, NEWPFD, 5)
DENSE(parapfor, PARAPFOR, 5)
DENSE(pfordelta, PFORDELTA, 4)
DENSE_FREQS(newpfd, NEWPFD, 5)
DENSE_FREQS(parapfor, PARAPFOR, 5)
DENSE_FREQS(pfordelta, PFORDELTA, 4)
