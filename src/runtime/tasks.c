/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/tasks.h"

#include <fcntl.h>
#include <stdlib.h>

#include "base/platform.h"

void fm_tasks_visit_others(void (*visit)(int32_t tid))
{
    struct {
        uint64_t inode;
        int64_t offset;
        uint16_t length;
        uint8_t type;
        char name[];
    } * entry;
    _Alignas(8) char entries[2048];
    long own = fm_kernel(SYS_gettid);
    long fd = fm_kernel(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (long bytes; fd >= 0 && (bytes = fm_kernel(SYS_getdents64, fd, entries, sizeof entries)) > 0;) {
        for (long at = 0; at < bytes; at += entry->length) {
            entry = (void *)(entries + at);
            int32_t tid = atoi(entry->name);
            if (tid > 0 && tid != own)
                visit(tid);
        }
    }
    if (fd >= 0)
        fm_kernel(SYS_close, fd);
}
