/* Modules that the program unloads: those that our calls go to stay, and samples keep their places in the others. (dlopen
 * is left alone: where it searches depends on who calls it. Modules are listed before one is unloaded, when a thread is
 * started, and at the end.) */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "runtime/interpose/next.h"
#include "runtime/libc/functions.h"
#include "runtime/runtime.h"
#include "runtime/sampler.h"

int fm_wrapped_dlclose(void *module)
{
    fm_next_keep();
    if (!atomic_load_explicit(&fm_sampling.on, memory_order_relaxed) || getpid() != fm_rt.pid)
        return fm_libc.dlclose(module);
    fm_sampler_note_modules();
    int result = fm_libc.dlclose(module);
    fm_sampler_drop_modules();
    return result;
}
