/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/host.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/saturate.h"
#include "base/small_file.h"

enum { PATH_BYTES = 1024, NUMBER_BYTES = 64 };

/* The number in a file; false if the file cannot be read or does not begin with one. */
static bool read_number(const char *path, uint64_t *number)
{
    char text[NUMBER_BYTES], *end;
    if (!fm_small_file_read(path, text, sizeof text))
        return false;
    *number = strtoull(text, &end, 10);
    return end != text;
}

uint64_t fm_host_available(const char *root)
{
    char path[PATH_BYTES], text[1024];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    fm_small_file_read(path, text, sizeof text);
    const char *line = strstr(text, "MemAvailable:");
    return line ? strtoull(line + strlen("MemAvailable:"), NULL, 10) * 1024 : 0;
}

/* "model name" on x86. On Arm the kernel gives only numbers; the common server cores are named here. */
void fm_host_cpu(const char *root, char name[FM_CPU_CHARS])
{
    static const struct {
        unsigned part;
        char name[16];
    } parts[] = {{0xd0c, "Neoverse-N1"}, {0xd40, "Neoverse-V1"}, {0xd49, "Neoverse-N2"}, {0xd4f, "Neoverse-V2"},
                 {0xd08, "Cortex-A72"},  {0xd07, "Cortex-A57"},  {0x001, "A64FX"}};
    char path[PATH_BYTES], text[4096];
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    fm_small_file_read(path, text, sizeof text);
    *name = 0;
    const char *line = strstr(text, "model name");
    if (line && (line = strchr(line, ':'))) {
        line += strspn(line, ": \t");
        snprintf(name, FM_CPU_CHARS, "%.*s", (int)strcspn(line, "\n"), line);
        return;
    }
    line = strstr(text, "CPU part");
    unsigned part = line && (line = strchr(line, ':')) ? (unsigned)strtoul(line + 1, NULL, 16) : 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].part == part)
            snprintf(name, FM_CPU_CHARS, "%s", parts[i].name);
}

/* ---- control groups ---- */

/* Where one version keeps its memory groups, and its files. */
struct hierarchy {
    const char *mount, *limit, *peak;
};
static const struct hierarchy version_1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                           "memory.max_usage_in_bytes"},
                              version_2 = {"/sys/fs/cgroup", "memory.max", "memory.peak"};

/* Finds the path of our group in /proc/self/cgroup: the line of the memory controller, else that of version 2. Lines are
 * NUMBER:CONTROLLERS:PATH. */
static const struct hierarchy *find_group(char *text, const char **group)
{
    const struct hierarchy *found = NULL;
    char *rest = text, *line;
    while ((line = strsep(&rest, "\n"))) {
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        bool unified = strncmp(line, "0::", 3) == 0, memory = false;
        *path++ = 0;
        for (char *name; (name = strsep(&controllers, ":,"));)
            memory |= strcmp(name, "memory") == 0;
        if (memory || (unified && !found)) {
            *group = path;
            found = memory ? &version_1 : &version_2;
        }
        if (memory)
            break;
    }
    return found;
}

static void add_limit(const char *root, const struct hierarchy *in, const char *group, struct fm_memory_limit *lowest)
{
    static const uint64_t unlimited = 1ull << 62; /* version 1 has a large number instead of "max" */
    char path[PATH_BYTES];
    uint64_t limit;
    snprintf(path, sizeof path, "%s%s%s/%s", root, in->mount, group, in->limit);
    if (!read_number(path, &limit) || limit >= unlimited || (lowest->bytes && limit >= lowest->bytes))
        return;
    *lowest = (struct fm_memory_limit){.bytes = limit};
    snprintf(path, sizeof path, "%s%s%s/%s", root, in->mount, group, in->peak);
    if (!read_number(path, &lowest->peak_bytes))
        lowest->peak_bytes = 0;
}

struct fm_memory_limit fm_host_memory_limit(const char *root)
{
    struct fm_memory_limit lowest = {0};
    char path[PATH_BYTES], text[4096], group[PATH_BYTES / 2];
    const char *own = "";
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    if (!fm_small_file_read(path, text, sizeof text))
        return lowest;
    const struct hierarchy *in = find_group(text, &own);
    if (!in || strlen(own) >= sizeof group)
        return lowest;
    strcpy(group, own);
    for (char *slash; (slash = strrchr(group, '/')); *slash = 0)
        if (slash[1])
            add_limit(root, in, group, &lowest);
    add_limit(root, in, "", &lowest);
    return lowest;
}

uint32_t fm_host_numa_nodes(const char *root)
{
    char path[PATH_BYTES], text[256], *at = text;
    uint32_t nodes = 0;
    snprintf(path, sizeof path, "%s/sys/devices/system/node/online", root);
    fm_small_file_read(path, text, sizeof text);
    while (*at >= '0' && *at <= '9') { /* 0-1,4 */
        unsigned long first = strtoul(at, &at, 10), last = *at == '-' ? strtoul(at + 1, &at, 10) : first;
        nodes += last >= first && last - first < 4096 ? (uint32_t)(last - first + 1) : 0;
        at += *at == ',';
    }
    return nodes;
}

/* ---- network ---- */

static void add_network(struct fm_network *sum, const struct fm_network *one)
{
    fm_add_saturating(&sum->received_bytes, one->received_bytes);
    fm_add_saturating(&sum->sent_bytes, one->sent_bytes);
    fm_add_saturating(&sum->received_packets, one->received_packets);
    fm_add_saturating(&sum->sent_packets, one->sent_packets);
}

/* Calls `visit` with each entry of a directory. getdents64 rather than readdir, which allocates from the program's heap. */
static void visit_entries(const char *path, void (*visit)(void *context, const char *path, const char *name),
                          void *context)
{
    _Alignas(struct dirent64) char buffer[2048];
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ssize_t n;
    while (fd >= 0 && (n = getdents64(fd, buffer, sizeof buffer)) > 0)
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *entry = (const void *)(buffer + at);
            if (entry->d_name[0] != '.')
                visit(context, path, entry->d_name);
            at += entry->d_reclen;
        }
    if (fd >= 0)
        close(fd);
}

struct ports {
    struct fm_network sum;
    size_t n;
};

static void add_port(void *context, const char *directory, const char *name)
{
    enum { WORD_BYTES = 4 }; /* data is counted in words */
    struct ports *ports = context;
    char path[PATH_BYTES];
    struct fm_network one;
    const struct {
        const char *file;
        uint64_t *value;
    } counters[] = {{"port_rcv_data", &one.received_bytes},
                    {"port_xmit_data", &one.sent_bytes},
                    {"port_rcv_packets", &one.received_packets},
                    {"port_xmit_packets", &one.sent_packets}};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        int length = snprintf(path, sizeof path, "%s/%s/counters/%s", directory, name, counters[i].file);
        if (length < 0 || (size_t)length >= sizeof path || !read_number(path, counters[i].value))
            return;
    }
    one.received_bytes *= WORD_BYTES;
    one.sent_bytes *= WORD_BYTES;
    add_network(&ports->sum, &one);
    ports->n++;
}

static void add_ports_of(void *context, const char *directory, const char *name)
{
    char path[PATH_BYTES];
    int length = snprintf(path, sizeof path, "%s/%s/ports", directory, name);
    if (length > 0 && (size_t)length < sizeof path)
        visit_entries(path, add_port, context);
}

struct interfaces {
    const char *root;
    struct fm_network devices, all;
    size_t n_devices, n;
    bool has_ports; /* IP over InfiniBand is in the counters of its port */
};

static bool is_infiniband(const struct interfaces *interfaces, const char *name)
{
    enum { ARPHRD_INFINIBAND_TYPE = 32 };
    char path[PATH_BYTES];
    uint64_t type;
    snprintf(path, sizeof path, "%s/sys/class/net/%.64s/type", interfaces->root, name);
    return read_number(path, &type) && type == ARPHRD_INFINIBAND_TYPE;
}

/* A line of /proc/net/dev: NAME: then 16 numbers, of which the 1st and 2nd are bytes and packets received, and the 9th and
 * 10th those sent. */
static void add_interface(struct interfaces *interfaces, char *line)
{
    struct fm_network one = {0};
    char *colon = strchr(line, ':'), path[PATH_BYTES];
    if (!colon)
        return;
    *colon = 0;
    const char *name = line + strspn(line, " ");
    char *at = colon + 1;
    for (int i = 1; i <= 10; i++) {
        uint64_t number = strtoull(at, &at, 10);
        if (i == 1)
            one.received_bytes = number;
        else if (i == 2)
            one.received_packets = number;
        else if (i == 9)
            one.sent_bytes = number;
        else if (i == 10)
            one.sent_packets = number;
    }
    if (strcmp(name, "lo") == 0 || (interfaces->has_ports && is_infiniband(interfaces, name)))
        return;
    snprintf(path, sizeof path, "%s/sys/class/net/%.64s/device", interfaces->root, name);
    bool device = access(path, F_OK) == 0;
    add_network(device ? &interfaces->devices : &interfaces->all, &one);
    *(device ? &interfaces->n_devices : &interfaces->n) += 1;
}

/* The file has a line per interface, of which a host can have hundreds. */
static void read_interfaces(struct interfaces *interfaces)
{
    char path[PATH_BYTES], text[2048];
    size_t used = 0;
    ssize_t n;
    snprintf(path, sizeof path, "%s/proc/net/dev", interfaces->root);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && used < sizeof text - 1 && (n = read(fd, text + used, sizeof text - 1 - used)) > 0) {
        used += (size_t)n;
        text[used] = 0;
        char *rest = text;
        for (char *end; (end = strchr(rest, '\n')); rest = end + 1) {
            *end = 0;
            add_interface(interfaces, rest);
        }
        used = strlen(rest);
        memmove(text, rest, used + 1);
    }
    if (fd >= 0)
        close(fd);
}

bool fm_host_network(const char *root, struct fm_network *network)
{
    struct ports ports = {.n = 0};
    struct interfaces interfaces = {.root = root};
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/sys/class/infiniband", root);
    visit_entries(path, add_ports_of, &ports);
    interfaces.has_ports = ports.n > 0;
    read_interfaces(&interfaces);
    *network = interfaces.n_devices ? interfaces.devices : interfaces.all;
    add_network(network, &ports.sum);
    return ports.n || interfaces.n_devices || interfaces.n;
}
