#define _GNU_SOURCE
#include "measure/libc/functions.h"

#include <dlfcn.h>
#include <errno.h>

/* The next definition; if there is none, it stays as it is and fails. */
#define FINDER(type, name, parameters, arguments, ...)                        \
    static type find_##name parameters                                        \
    {                                                                         \
        int error = errno;                                                    \
        type(*next) parameters = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
        errno = next ? error : ENOSYS;                                        \
        if (next)                                                             \
            fm_libc.name = next;                                              \
        return next ? next arguments : (type)-1;                              \
    }
FM_LIBC_FUNCTIONS(FINDER)

#define INITIAL(type, name, ...) .name = find_##name,
struct fm_libc fm_libc = {FM_LIBC_FUNCTIONS(INITIAL)};

void fm_libc_find(void)
{
    void *next;
#define FIND(type, name, parameters, ...)                                \
    if (fm_libc.name == find_##name && (next = dlsym(RTLD_NEXT, #name))) \
        fm_libc.name = (type(*) parameters)next;
    FM_LIBC_FUNCTIONS(FIND)
}
