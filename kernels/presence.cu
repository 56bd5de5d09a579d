// The kernel of mark.h for lists of any codec.
#include "mark.h"

KERNEL(mark_docs, PresenceParams, 256, 4) { mark_share(p); }
