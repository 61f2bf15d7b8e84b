/* Finding segments and telling the living from the dead. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sort.h"
#include "reduce/node_files.h"

enum { LOCK_TRIES = 500, LOCK_PAUSE_NS = 10000000 };

const char *fm_node_reason(int number)
{
    const char *text = strerrordesc_np(number);
    return text ? text : "unknown error";
}

void fm_node_directory(char path[FM_PATH_BYTES])
{
    const char *given = getenv("FATHOM_DIR");
    if (given && *given)
        snprintf(path, FM_PATH_BYTES, "%s", given);
    else
        snprintf(path, FM_PATH_BYTES, "/dev/shm/fathom-%u", (unsigned)getuid());
}

void fm_node_fallback_directory(char path[FM_PATH_BYTES])
{
    const char *tmp = getenv("TMPDIR");
    snprintf(path, FM_PATH_BYTES, "%.3800s/fathom-%u", tmp && *tmp ? tmp : "/tmp", (unsigned)getuid());
}

bool fm_node_other_directory(const char *directory, char other[FM_PATH_BYTES])
{
    char usual[FM_PATH_BYTES];
    fm_node_directory(usual);
    fm_node_fallback_directory(other);
    if (strcmp(usual, other) == 0)
        return false;
    if (strcmp(directory, usual) == 0)
        return true;
    bool known = strcmp(directory, other) == 0;
    memcpy(other, usual, sizeof usual);
    return known;
}

enum fm_status fm_node_directory_make(const char *path, struct fm_error *error)
{
    struct stat st;
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return fm_fail(error, FM_ERR_SYSTEM, "%s: cannot be created: %s; set FATHOM_DIR to a directory of your own",
                       path, fm_node_reason(errno));
    if (lstat(path, &st) != 0)
        return fm_fail(error, FM_ERR_SYSTEM, "%s: %s", path, fm_node_reason(errno));
    if (!S_ISDIR(st.st_mode))
        return fm_fail(error, FM_ERR_SYSTEM, "%s: is not a directory; remove it or set FATHOM_DIR", path);
    if (st.st_uid != getuid())
        return fm_fail(error, FM_ERR_SYSTEM, "%s: belongs to another user (uid %u); set FATHOM_DIR", path,
                       (unsigned)st.st_uid);
    if ((st.st_mode & 0700) != 0700 && chmod(path, 0700) != 0) /* a umask that takes even the owner's rights away */
        return fm_fail(error, FM_ERR_SYSTEM, "%s: is closed to you; run: chmod 700 %s", path, path);
    if (st.st_mode & 077)
        return fm_fail(error, FM_ERR_SYSTEM, "%s: is open to other users; run: chmod 700 %s", path, path);
    return FM_OK;
}

/* ---- processes ---- */

/* Reads a small file of /proc or /sys whole; the text is terminated. */
static bool read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, size - 1);
    close(fd);
    if (n <= 0)
        return false;
    text[n] = 0;
    return true;
}

/* Fields 3 (state), 20 (threads) and 22 (start time); the command name before them may hold anything. */
static bool read_stat(pid_t pid, char *state, long *threads, uint64_t *start_time)
{
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (pid <= 0 || !read_text(path, text, sizeof text))
        return false;
    const char *at = strrchr(text, ')');
    if (!at || at[1] != ' ' || !at[2])
        return false;
    *state = at[2];
    *threads = 0;
    for (int field = 2; field < 22 && at; field++) {
        at = strchr(at + 1, ' ');
        if (at && field + 1 == 20)
            *threads = strtol(at + 1, NULL, 10);
    }
    *start_time = at ? strtoull(at + 1, NULL, 10) : 0;
    return true;
}

uint64_t fm_process_start_time(pid_t pid)
{
    char state;
    long threads;
    uint64_t start_time;
    return read_stat(pid, &state, &threads, &start_time) ? start_time : 0;
}

bool fm_process_alive(pid_t pid, uint64_t start_time)
{
    char state;
    long threads;
    uint64_t found;
    if (!read_stat(pid, &state, &threads, &found) || found != start_time)
        return false;
    return threads > 1 || (state != 'Z' && state != 'X' && state != 'x'); /* one that has left by pthread_exit counts */
}

void fm_node_here(struct fm_node_here *here)
{
    struct stat st;
    memset(here, 0, sizeof *here);
    if (read_text("/proc/sys/kernel/random/boot_id", here->boot_id, sizeof here->boot_id))
        here->boot_id[strcspn(here->boot_id, "\n")] = 0;
    gethostname(here->host, sizeof here->host - 1);
    here->pid_namespace = stat("/proc/self/ns/pid", &st) == 0 ? (uint64_t)st.st_ino : 0;
}

bool fm_node_foreign(const struct fm_node_here *here, const struct fm_segment_header *header)
{
    if (strcmp(here->boot_id, header->boot_id) != 0) /* a shared FATHOM_DIR holds segments of other hosts */
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

static bool blank(const struct fm_segment_header *header)
{
    static const char zeros[sizeof header->magic];
    return memcmp(header->magic, zeros, sizeof zeros) == 0;
}

static const char *head_problem(const struct fm_node_file *file)
{
    const struct fm_segment_header *header = &file->header;
    if (memcmp(header->magic, FM_SEGMENT_MAGIC, sizeof header->magic) != 0)
        return "is not a segment";
    if (header->version != FM_SEGMENT_VERSION)
        return "was written by another version of Fathom";
    if (header->header_bytes != sizeof *header || header->segment_bytes != file->size)
        return "is cut short or damaged";
    if (header->pid != file->name.pid || header->start_time != file->name.start_time ||
        header->pid_namespace != file->name.pid_namespace)
        return "has another process's name";
    return NULL;
}

static void terminate_strings(struct fm_segment_header *header)
{
    header->boot_id[sizeof header->boot_id - 1] = 0;
    header->host[sizeof header->host - 1] = 0;
    header->job_key[sizeof header->job_key - 1] = 0;
    header->run_id[sizeof header->run_id - 1] = 0;
}

/* Opens the file and reads its head. False: it is gone, or its process is setting it up just now. */
static bool open_file(struct fm_node_file *file)
{
    struct stat st;
    file->readable = false;
    file->fd = openat(file->directory_fd, file->file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file->fd < 0) {
        file->why = errno == ELOOP ? "is a symbolic link" : fm_node_reason(errno);
        return errno != ENOENT;
    }
    if (fstat(file->fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != getuid()) {
        file->why = "is not a regular file of yours";
        return true;
    }
    file->size = (size_t)st.st_size;
    ssize_t n = pread(file->fd, &file->header, sizeof file->header, 0);
    bool whole = n == (ssize_t)sizeof file->header;
    if ((!whole || blank(&file->header)) && fm_process_alive(file->name.pid, file->name.start_time))
        return false;
    file->why = !whole || st.st_size < FM_SEGMENT_MIN_BYTES ? "is cut short"
                : st.st_size > FM_SEGMENT_MAX_BYTES         ? "is larger than any segment"
                                                            : head_problem(file);
    file->readable = !file->why;
    terminate_strings(&file->header);
    return true;
}

struct walk {
    const char *directory, *job_key;
    bool (*visit)(void *context, const struct fm_node_file *file);
    void *context;
    bool more;
};

static void visit_file(struct walk *walk, int directory_fd, const char *file_name)
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

/* getdents64 rather than readdir, which takes memory from the program's heap. */
static enum fm_status visit_directory(struct walk *walk, struct fm_error *error)
{
    int fd = open(walk->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? FM_OK
                               : fm_fail(error, FM_ERR_SYSTEM, "%s: %s", walk->directory, fm_node_reason(errno));
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
    struct walk walk = {directory, job_key, visit, context, true};
    char other[FM_PATH_BYTES];
    enum fm_status status = visit_directory(&walk, error);
    if (status == FM_OK && job_key && walk.more && fm_node_other_directory(directory, other)) {
        walk.directory = other;
        visit_directory(&walk, NULL); /* not ours, or not readable: then nothing of ours is in it */
    }
    return status;
}

int fm_node_lock(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return fd;
        if (errno != EWOULDBLOCK && errno != EINTR)
            break;
        nanosleep(&pause, NULL);
    }
    close(fd);
    return -1;
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
        status = fm_fail(error, FM_ERR_MEMORY, "no memory for the list of segments in %s", directory);
    if (status != FM_OK)
        fm_node_list_destroy(list);
    return status;
}

void fm_node_list_destroy(struct fm_node_list *list)
{
    fm_arena_destroy(&list->arena);
    memset(list, 0, sizeof *list);
}
