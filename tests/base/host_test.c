/* What the kernel tells about a host, from files as different hosts have them. */
#define _GNU_SOURCE
#include "base/host.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "tap.h"

static char root[] = "/tmp/host_test.XXXXXX";

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st, (void)kind, (void)place;
    return strcmp(path, root) ? remove(path) : 0;
}

static void clear(void)
{
    nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file, with the directories it is in. */
static void put(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        mkdir(path, 0755);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file))
        abort();
}

static void test_memory(void)
{
    clear();
    tap_ok(fm_host_available(root) == 0 && fm_host_numa_nodes(root) == 0, "nothing is known");
    put("proc/meminfo",
        "MemTotal:       24682416 kB\nMemFree:        100 kB\nMemAvailable:   23542248 kB\nBuffers: 1 kB\n");
    put("sys/devices/system/node/online", "0-3,6\n");
    tap_ok(fm_host_available(root) == 23542248ull * 1024, "available memory");
    tap_ok(fm_host_numa_nodes(root) == 5, "NUMA nodes");
    put("sys/devices/system/node/online", "0\n");
    tap_ok(fm_host_numa_nodes(root) == 1, "one node");
}

static void test_limits(void)
{
    clear();
    struct fm_memory_limit limit = fm_host_memory_limit(root);
    tap_ok(!limit.bytes && !limit.peak_bytes, "no control groups");
    put("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
    put("sys/fs/cgroup/slurm/memory.max", "max\n");
    put("sys/fs/cgroup/slurm/job_7/memory.max", "4294967296\n");
    put("sys/fs/cgroup/slurm/job_7/memory.peak", "1073741824\n");
    put("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
    put("sys/fs/cgroup/slurm/job_7/step_0/memory.peak", "77\n");
    limit = fm_host_memory_limit(root);
    tap_ok(limit.bytes == 4294967296 && limit.peak_bytes == 1073741824, "version 2: the lowest limit of the path");
    put("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "1000000\n");
    limit = fm_host_memory_limit(root);
    tap_ok(limit.bytes == 1000000 && limit.peak_bytes == 77, "with the high water of the group that has it");
    unlink(strcat(strcpy((char[512]){0}, root), "/sys/fs/cgroup/slurm/job_7/step_0/memory.peak"));
    limit = fm_host_memory_limit(root);
    tap_ok(limit.bytes == 1000000 && limit.peak_bytes == 0, "which older kernels do not tell");
    clear();
    put("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/a/b\n0::/\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2000000\n");
    put("sys/fs/cgroup/memory/a/memory.max_usage_in_bytes", "1500000\n");
    put("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    limit = fm_host_memory_limit(root);
    tap_ok(limit.bytes == 2000000 && limit.peak_bytes == 1500000, "version 1");
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
    tap_ok(!fm_host_memory_limit(root).bytes, "whose large number is no limit");
    clear();
    put("proc/self/cgroup", "0::/outside/of/the/container\n");
    put("sys/fs/cgroup/memory.max", "3000000\n");
    tap_ok(fm_host_memory_limit(root).bytes == 3000000, "a container sees only its own group");
    put("proc/self/cgroup", "nonsense\n::\n0:\n\n");
    tap_ok(!fm_host_memory_limit(root).bytes, "nonsense");
}

static const char net_dev[] =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier\n"
    "    lo: 836100631 6232703    0    0    0     0          0         0 836100631 6232703    0    0    0     0    0 0\n"
    "  eth0:    1000      10    0    0    0     0          0         0     2000      20    0    0    0     0    0 0\n"
    "  eth1:     500       5    0    0    0     0          0         0      600       6    0    0    0     0    0 0\n"
    " bond0:    1500      15    0    0    0     0          0         0     2600      26    0    0    0     0    0 0\n"
    "   ib0:      70       7    0    0    0     0          0         0       80       8    0    0    0     0    0 0\n";

static void test_network(void)
{
    struct fm_network network;
    clear();
    tap_ok(!fm_host_network(root, &network), "no network");
    put("proc/net/dev", net_dev);
    tap_ok(fm_host_network(root, &network) && network.received_bytes == 3070 && network.sent_packets == 60,
           "in a container: all but the loopback");
    put("sys/class/net/eth0/device/x", "");
    put("sys/class/net/eth1/device/x", "");
    put("sys/class/net/ib0/device/x", "");
    put("sys/class/net/ib0/type", "32\n");
    tap_ok(fm_host_network(root, &network) && network.received_bytes == 1570 && network.received_packets == 22 &&
               network.sent_bytes == 2680 && network.sent_packets == 34,
           "devices only: what goes over a bond counts once");
    put("sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "1000\n");
    put("sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "2000\n");
    put("sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_packets", "30\n");
    put("sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_packets", "40\n");
    tap_ok(fm_host_network(root, &network) && network.received_bytes == 1500 + 4000 &&
               network.sent_bytes == 2600 + 8000 && network.received_packets == 15 + 30 &&
               network.sent_packets == 26 + 40,
           "InfiniBand: words of 4 bytes, with IP over InfiniBand once");
    put("sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_data", "1000\n");
    tap_ok(fm_host_network(root, &network) && network.received_bytes == 5500,
           "a port without all counters is left out");
}

/* More than one read gives, and lines that end in the middle of one. */
static void test_many_interfaces(void)
{
    enum { INTERFACES = 300 };
    char *text = calloc(INTERFACES + 3, 128), *at = text;
    struct fm_network network;
    for (int i = 0; i < INTERFACES; i++)
        at += sprintf(at, "veth%06d: 1 2 0 0 0 0 0 0 3 4 0 0 0 0 0 0\n", i);
    clear();
    put("proc/net/dev", text);
    free(text);
    tap_ok(fm_host_network(root, &network) && network.received_bytes == INTERFACES &&
               network.sent_packets == 4 * INTERFACES,
           "hundreds of interfaces");
}

static void test_here(void)
{
    tap_ok(fm_host_available("") > 0, "this host has memory");
    tap_ok(fm_process_resident() > 100 << 10, "this process uses some");
    tap_ok(fm_process_runqueue(0) == FM_RUNQUEUE_UNKNOWN || fm_process_runqueue(0) < 1ull << 60, "run-queue wait");
    tap_ok(fm_process_runqueue(0x7fffffff) == FM_RUNQUEUE_UNKNOWN, "of no process");
}

int main(void)
{
    if (!mkdtemp(root))
        return 1;
    test_memory();
    test_limits();
    test_network();
    test_many_interfaces();
    test_here();
    clear();
    rmdir(root);
    return tap_done();
}
