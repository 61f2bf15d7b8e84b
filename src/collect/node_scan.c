/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds segments and determines which processes are alive. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sort.h"
#include "collect/node_files.h"
#include "format/segment_header.h"

/* ---- processes ---- */

void fm_node_here(struct fm_node_here *here)
{
    memset(here, 0, sizeof *here);
    fm_boot_id(here->boot_id);
    gethostname(here->host, sizeof here->host - 1);
    here->pid_namespace = fm_pid_namespace();
}

bool fm_node_foreign(const struct fm_node_here *here, const struct fm_segment_header *header)
{
    if (strcmp(here->boot_id, header->boot_id) != 0) /* a shared FATHOM_DIR contains segments of other hosts */
        return strcmp(here->host, header->host) != 0;
    return here->pid_namespace != header->pid_namespace;
}

bool fm_node_alive(const struct fm_node_here *here, const struct fm_segment_header *header)
{
    if (fm_node_foreign(here, header))
        return true;
    return strcmp(here->boot_id, header->boot_id) == 0 && fm_process_alive(header->pid, header->start_time);
}

/* ---- files ---- */

static bool parse_number(const char **text, char end, uint64_t *value)
{
    const char *at = *text;
    *value = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (*value > (UINT64_MAX - 9) / 10)
            return false;
        *value = *value * 10 + (uint64_t)(*at - '0');
    }
    if (at == *text || *at != end)
        return false;
    *text = at + 1;
    return true;
}

bool fm_segment_name_parse(const char *file, struct fm_segment_name *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    size_t length = strspn(file, allowed);
    uint64_t pid;
    if (length == 0 || length >= sizeof name->job_key || file[length] != '.')
        return false;
    memcpy(name->job_key, file, length);
    name->job_key[length] = 0;
    const char *at = file + length + 1;
    if (!parse_number(&at, '.', &pid) || pid == 0 || pid > INT32_MAX || !parse_number(&at, '.', &name->start_time) ||
        !parse_number(&at, '.', &name->pid_namespace))
        return false;
    name->pid = (int32_t)pid;
    name->replaced = 0;
    if (*at >= '0' && *at <= '9' && !parse_number(&at, '.', &name->replaced))
        return false;
    return strcmp(at, &FM_SEGMENT_SUFFIX[1]) == 0;
}

static const char *head_problem(const struct fm_node_file *file)
{
    const struct fm_segment_header *header = &file->header;
    if (header->segment_bytes != file->size)
        return "is truncated or damaged";
    if (header->pid != file->name.pid || header->start_time != file->name.start_time ||
        header->pid_namespace != file->name.pid_namespace)
        return "is named after another process";
    return NULL;
}

/* Still all zeros: earlier versions named a segment before it was initialised. */
static bool is_uninitialised(const void *head, ssize_t bytes)
{
    static const char zeros[sizeof(struct fm_segment_header)];
    return bytes >= 0 && memcmp(head, zeros, (size_t)bytes) == 0;
}

bool fm_node_half_made(int directory_fd, const char *file, struct fm_segment_name *name)
{
    char head[sizeof(struct fm_segment_header)];
    if (!fm_segment_name_parse(file, name))
        return false;
    int fd = openat(directory_fd, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool uninitialised = fd >= 0 && is_uninitialised(head, pread(fd, head, sizeof head, 0));
    if (fd >= 0)
        close(fd);
    return uninitialised;
}

/* Opens the file and reads its header. Returns false if it does not exist or was never initialised. */
static bool open_file(struct fm_node_file *file)
{
    struct stat st;
    file->readable = false;
    file->fd = openat(file->directory_fd, file->file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file->fd < 0) {
        file->why = errno == ELOOP ? "is a symbolic link" : fm_node_reason(errno);
        return errno != ENOENT;
    }
    if (fstat(file->fd, &st) != 0 || !fm_node_is_own_file(&st)) {
        file->why = "is not a private file of yours";
        return true;
    }
    file->size = (size_t)st.st_size;
    ssize_t n = pread(file->fd, &file->header, sizeof file->header, 0);
    bool complete = n == (ssize_t)sizeof file->header; /* no segment of ours is smaller */
    if (is_uninitialised(&file->header, n))
        return false;
    const char *wrong = fm_segment_header_read(&file->header, &file->header, n < 0 ? 0 : (size_t)n);
    file->why = !complete || st.st_size < FM_SEGMENT_MIN_BYTES ? "is truncated"
                : st.st_size > FM_SEGMENT_MAX_BYTES            ? "is too large for a segment"
                : wrong                                        ? wrong
                                                               : head_problem(file);
    file->readable = !file->why;
    return true;
}

struct directory_walk {
    const char *directory, *job_key;
    bool (*visit)(void *context, const struct fm_node_file *file);
    void *context;
    bool more;
};

static void visit_file(struct directory_walk *walk, int directory_fd, const char *file_name)
{
    struct fm_node_file file = {
        .directory = walk->directory, .directory_fd = directory_fd, .fd = -1, .file = file_name};
    if (!fm_segment_name_parse(file_name, &file.name) ||
        (walk->job_key && strcmp(walk->job_key, file.name.job_key) != 0))
        return;
    if (open_file(&file))
        walk->more = walk->visit(walk->context, &file);
    if (file.fd >= 0)
        close(file.fd);
}

/* getdents64 rather than readdir, which allocates from the program's heap. */
static enum fm_status visit_directory(struct directory_walk *walk, struct fm_error *error)
{
    int fd = fm_node_directory_open(walk->directory, error);
    if (fd < 0)
        return errno == ENOENT ? FM_OK : FM_ERR_SYSTEM;
    _Alignas(struct dirent64) char buffer[8192];
    ssize_t n;
    while (walk->more && (n = getdents64(fd, buffer, sizeof buffer)) > 0)
        for (ssize_t at = 0; walk->more && at < n;) {
            const struct dirent64 *entry = (const void *)(buffer + at);
            visit_file(walk, fd, entry->d_name);
            at += entry->d_reclen;
        }
    close(fd);
    return FM_OK;
}

enum fm_status fm_node_visit(const char *directory, const char *job_key,
                             bool (*visit)(void *context, const struct fm_node_file *file), void *context,
                             struct fm_error *error)
{
    struct directory_walk walk = {directory, job_key, visit, context, true};
    char other[FM_FILE_PATH_BYTES];
    enum fm_status status = visit_directory(&walk, error);
    if (status == FM_OK && job_key && walk.more && fm_node_other_directory(directory, other)) {
        walk.directory = other;
        visit_directory(&walk, NULL); /* if it is not ours or not readable, nothing of ours is in it */
    }
    return status;
}

/* ---- the list ---- */

struct scan {
    const char *run_id;
    struct fm_node_here here;
    struct fm_node_list *list;
    bool no_memory;
};

static bool add_segment(void *context, const struct fm_node_file *file)
{
    struct scan *scan = context;
    struct fm_node_list *list = scan->list;
    if (!file->readable) {
        if (list->damaged++ == 0)
            snprintf(list->damaged_example, sizeof list->damaged_example, "%.3000s/%s: %s", file->directory, file->file,
                     file->why);
        return true;
    }
    const struct fm_segment_header *header = &file->header;
    if (scan->run_id && strcmp(scan->run_id, header->run_id) != 0)
        return true;
    if (list->n == list->capacity) {
        struct fm_node_segment *items = fm_arena_grow(&list->arena, list->items, &list->capacity, list->n + 1,
                                                      sizeof *items);
        if (!items) {
            scan->no_memory = true;
            return false;
        }
        list->items = items;
    }
    struct fm_node_segment *item = &list->items[list->n++];
    snprintf(item->path, sizeof item->path, "%.3000s/%s", file->directory, file->file);
    memcpy(item->job_key, file->name.job_key, sizeof item->job_key);
    memcpy(item->run_id, header->run_id, sizeof item->run_id);
    item->pid = header->pid;
    item->rank = header->rank;
    item->world_size = header->world_size;
    item->start_time = header->start_time;
    item->pid_namespace = header->pid_namespace;
    item->state = header->state;
    item->seen_end = header->seen_end;
    item->foreign = fm_node_foreign(&scan->here, header);
    item->alive = fm_node_alive(&scan->here, header);
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct fm_node_segment *a = left, *b = right;
    int keys = strcmp(a->job_key, b->job_key);
    if (keys)
        return keys;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->pid < b->pid ? -1 : a->pid > b->pid;
}

enum fm_status fm_node_scan(const char *directory, const char *job_key, const char *run_id, struct fm_node_list *list,
                            struct fm_error *error)
{
    struct scan scan = {.run_id = run_id, .list = list};
    memset(list, 0, sizeof *list);
    fm_node_here(&scan.here);
    enum fm_status status = fm_node_visit(directory, job_key, add_segment, &scan, error);
    if (status == FM_OK &&
        (scan.no_memory || !fm_sort(list->items, list->n, sizeof *list->items, compare, &list->arena)))
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for the list of segments in %s", directory);
    if (status != FM_OK)
        fm_node_list_destroy(list);
    return status;
}

void fm_node_list_destroy(struct fm_node_list *list)
{
    fm_arena_destroy(&list->arena);
    memset(list, 0, sizeof *list);
}
