// Functions missing in gorgonia.org/cu: pinned memory, host registration, function
// attributes, and submission of a whole batch in one call.
#ifndef PINION_DRIVER_SHIM_H
#define PINION_DRIVER_SHIM_H
#include <cuda.h>
#include <stdint.h>

typedef struct { uint64_t kind, a, b, c, d, e; } pinion_op;

// pinion_submit enqueues n operations and returns the first error; *at is then the
// operation's index.
static CUresult pinion_submit(void *stream, const pinion_op *ops, int n, const unsigned char *params, void *const *fns,
                              const uint32_t *threads, void *const *events, int *at) {
    CUstream s = (CUstream)stream;
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

static CUresult pinion_pinned(void **p, size_t n) { return cuMemHostAlloc(p, n, CU_MEMHOSTALLOC_PORTABLE); }
static CUresult pinion_unpin(void *p) { return cuMemFreeHost(p); }

// Mappings of files opened for reading need READ_ONLY (0x08, CUDA 11.1).
static CUresult pinion_register(void *p, size_t n) { return cuMemHostRegister(p, n, CU_MEMHOSTREGISTER_PORTABLE | 0x08); }
static CUresult pinion_unregister(void *p) { return cuMemHostUnregister(p); }

static CUresult pinion_shared(void *fn, int bytes) {
    return cuFuncSetAttribute((CUfunction)fn, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
}
static const char *pinion_error(CUresult r) {
    const char *s = "unknown error";
    cuGetErrorString(r, &s);
    return s;
}
static CUresult pinion_wait(void *stream) { return cuStreamSynchronize((CUstream)stream); }
static CUresult pinion_meminfo(size_t *free_bytes, size_t *total) { return cuMemGetInfo(free_bytes, total); }
#endif
