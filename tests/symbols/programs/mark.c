/* mark("x") prints x, the load module of its caller and where the call returns to in the module's address space. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

void mark(const char *tag);

__attribute__((noinline)) void mark(const char *tag)
{
    char *address = __builtin_return_address(0);
    struct link_map *map = NULL;
    Dl_info info;
    if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) && map)
        printf("%s %s %#lx\n", tag, info.dli_fname, (unsigned long)(address - (char *)map->l_addr));
    fflush(stdout);
}
