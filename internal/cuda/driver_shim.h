// What gorgonia.org/cu lacks: submission of a whole batch in one call, and texts of errors.
#ifndef PINION_DRIVER_SHIM_H
#define PINION_DRIVER_SHIM_H
#include <cuda.h>
#include <stdint.h>

typedef struct { uint64_t kind, a, b, c, d, e; } pinion_op;

// pinion_submit enqueues n operations and returns the first error; *at is then the
// operation's index.
static CUresult pinion_submit(CUstream s, const pinion_op *ops, int n, const unsigned char *params, const uintptr_t *fns,
                              const uint32_t *threads, const uintptr_t *events, int *at) {
    for (int i = 0; i < n; i++) {
        const pinion_op *o = &ops[i];
        CUresult r = CUDA_SUCCESS;
        *at = i;
        switch (o->kind) {
        case 1: r = cuMemcpyHtoDAsync(o->a, (const void *)(uintptr_t)o->b, o->c, s); break;
        case 2: r = cuMemcpyDtoHAsync((void *)(uintptr_t)o->a, o->b, o->c, s); break;
        case 3: r = cuMemsetD32Async(o->a, (unsigned)o->b, o->c / 4, s); break;
        case 4: {
            size_t size = o->e;
            void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)(params + o->d), CU_LAUNCH_PARAM_BUFFER_SIZE,
                             &size, CU_LAUNCH_PARAM_END};
            r = cuLaunchKernel((CUfunction)fns[o->a], (unsigned)o->b, 1, 1, threads[o->a], 1, 1, (unsigned)o->c, s, 0,
                               extra);
            break;
        }
        case 5: r = cuEventRecord((CUevent)events[o->a], s); break;
        case 6: r = cuStreamWaitEvent(s, (CUevent)events[o->a], 0); break;
        case 7: r = cuMemcpyDtoDAsync(o->a, o->b, o->c, s); break;
        }
        if (r != CUDA_SUCCESS) return r;
    }
    return CUDA_SUCCESS;
}

static const char *pinion_error(CUresult r) {
    const char *s = "unknown error";
    cuGetErrorString(r, &s);
    return s;
}
#endif
