/* Modules: lines of a map, and call graphs with known answers, among them recursion, a module that calls itself through
 * another, waiting reached from three modules, and one function in two modules. */
#include "analyse/modules/module_breakdown.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static struct fm_arena arena;

/* ---- trees by hand: "main.f90:main/pcg.f90:pcg/MPI_Wait" costs so many ms on each of these ranks; "libm.so.6!exp" is a
 * function of a library, "libm.so.6" one without a name ---- */

static struct fm_context *step(struct fm_calltree *tree, struct fm_context *parent, const char *word)
{
    struct fm_context_id id = {.kind = FM_CONTEXT_FRAME, .name = "", .module = "", .path = "", .defined = ""};
    const char *colon = strchr(word, ':'), *mark = strchr(word, '!');
    if (strncmp(word, "MPI_", 4) == 0) {
        id.kind = FM_CONTEXT_ROUTINE;
        id.name = fm_calltree_text(tree, word);
    } else if (colon) {
        id.defined = fm_calltree_text(tree, fm_arena_strndup(&arena, word, (size_t)(colon - word)));
        id.name = fm_calltree_text(tree, colon + 1);
        id.module = strcmp(id.defined, "libc.c") == 0 ? "/lib/libc.so.6" : "";
    } else {
        id.module = fm_calltree_text(tree, mark ? fm_arena_strndup(&arena, word, (size_t)(mark - word)) : word);
        id.name = fm_calltree_text(tree, mark ? mark + 1 : "f");
    }
    return fm_context_below(tree, parent, &id);
}

static void add_cost(struct fm_context_cost *to, uint64_t ms, uint32_t rank, uint32_t ranks)
{
    struct fm_context_cost cost = {.of = fm_path_cost_of(ms * 1000000, rank)};
    fm_context_cost_add(to, &cost, ranks, NULL);
}

static void add_path(struct fm_calltree *tree, const char *path, uint64_t ms, uint32_t rank)
{
    char *words = strdup(path), *rest = words;
    struct fm_context *at = tree->root;
    for (char *word; (word = strsep(&rest, "/"));)
        at = step(tree, at, word);
    if (at->id.kind != FM_CONTEXT_ROUTINE) {
        struct fm_context_id line = at->id;
        line.kind = FM_CONTEXT_STATEMENT;
        line.line = 1;
        at = fm_context_below(tree, at, &line);
    }
    add_cost(&at->own, ms, rank, tree->ranks);
    for (; at; at = at->parent)
        add_cost(&at->all, ms, rank, tree->ranks);
    free(words);
}

static const struct fm_module_item *item(const struct fm_module_breakdown *m, const char *name)
{
    for (size_t i = 0; i < m->n_items; i++)
        if (strcmp(m->items[i].name, name) == 0)
            return &m->items[i];
    return NULL;
}

/* A node by the names of modules on the way to it. */
static const struct fm_module_node *node(const struct fm_module_breakdown *m, const char *path)
{
    char *words = strdup(path), *rest = words;
    uint32_t at = 0;
    for (char *word; (word = strsep(&rest, "/"));) {
        for (at = m->nodes[at].first; at && strcmp(m->nodes[at].name, word) != 0;)
            at = m->nodes[at].next;
        if (!at)
            break;
    }
    free(words);
    return at ? &m->nodes[at] : NULL;
}

static bool costs(const struct fm_module_cost *cost, uint64_t work_ms, uint64_t transfer_ms, uint64_t waiting_ms)
{
    bool right = cost->work_ns == work_ms * 1000000 && cost->transfer_ns == transfer_ms * 1000000 &&
                 cost->waiting_ns == waiting_ms * 1000000;
    if (!right)
        printf("# work %lu us, transfer %lu us, waiting %lu us\n", (unsigned long)cost->work_ns / 1000,
               (unsigned long)cost->transfer_ns / 1000, (unsigned long)cost->waiting_ns / 1000);
    return right;
}

static void sums_agree(const struct fm_calltree *tree, const struct fm_module_breakdown *m, const char *what)
{
    struct fm_module_cost own = {0};
    uint64_t causes = 0;
    for (size_t i = 0; i < m->n_items; i++) {
        fm_module_cost_add(&own, &m->items[i].own);
        causes += m->items[i].causes_ns;
    }
    tap_ok(fm_module_total(&m->whole) == tree->root->all.of.sum_ns, "%s: work, transfer and waiting are the whole",
           what);
    tap_ok(memcmp(&own, &m->whole, sizeof own) == 0, "%s: so are those of the modules", what);
    tap_ok(!item(m, "mpi") || item(m, "mpi")->own.work_ns == 0, "%s: nothing in MPI is work", what);
    tap_ok(causes == m->whole.waiting_ns, "%s: shares of the waiting add up to all of it", what);
}

static struct fm_module_breakdown modules_of(const struct fm_calltree *tree, const struct fm_module_map *map)
{
    struct fm_module_breakdown m;
    struct fm_error error;
    if (fm_module_breakdown_make(tree, map, &arena, &m, &error))
        abort();
    return m;
}

/* ---- maps ---- */

static enum fm_status read_map(const char *text, struct fm_module_map *map, struct fm_error *error)
{
    char path[] = "/tmp/modules-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        abort();
    close(fd);
    enum fm_status status = fm_module_map_read(map, path, &arena, error);
    unlink(path);
    return status;
}

static void bad_lines(void)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"module ocean file a.f90\nmodul x file y\n", ":2: expected module, group or waiting, not 'modul'"},
        {"module ocean\n", ":1: expected 'module NAME"},
        {"\n# comment\nmodule ocean files a.f90\n", ":3: expected file, function or library, not 'files'"},
        {"module ocean file # nothing\n", ":1: missing pattern after 'file'"},
        {"group ocean\n", ":1: expected 'group NAME"},
        {"waiting\n", ":1: 'waiting' needs function names"},
        {"module a file a\ngroup g a b\n", "group g contains 'b', which no line defines as a module"},
        {"module a file a\ngroup g a\ngroup h a\n", "module a is in two groups, g and h"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fm_module_map map;
        struct fm_error error = {0};
        bool refused = read_map(bad[i].text, &map, &error) == FM_ERR_INPUT && strstr(error.text, bad[i].says);
        if (!tap_ok(refused, "refused: %s", bad[i].says))
            printf("# %s\n", error.text);
    }
    struct fm_module_map map;
    struct fm_error error;
    tap_ok(fm_module_map_read(&map, "/nonexistent/map", &arena, &error) == FM_ERR_SYSTEM &&
               strstr(error.text, "/nonexistent/map"),
           "a file that is not there is named");
}

static bool waits_in(const struct fm_module_map *map, const char *name)
{
    return fm_module_map_waits(map, &(struct fm_context_id){.name = name, .defined = "", .module = ""});
}

static void waits(void)
{
    static const char *const do_wait[] = {
        "msgrcv",
        "__libc_msgrcv",
        "semop",
        "__semtimedop",
        "pthread_rwlock_rdlock",
        "___pthread_rwlock_timedwrlock",
        "mq_timedreceive",
        "__pthread_mutex_lock",
        "pthread_mutex_timedlock",
        "sigtimedwait",
        "sigwaitinfo",
        "__lll_lock_wait_private",
        "epoll_pwait2",
        "pthread_clockjoin_np",
        "__GI___futex_abstimed_wait_cancelable64",
        "recvfrom",
        "__libc_recvmsg",
        "clock_nanosleep",
        "waitid",
        "pthread_cond_timedwait",
        "sem_clockwait",
        "recvmmsg",
    };
    static const char *const work[] = {"read",
                                       "write",
                                       "accept",
                                       "connect",
                                       "pthread_mutex_unlock",
                                       "pthread_rwlock_unlock",
                                       "pthread_cond_signal",
                                       "pthread_create",
                                       "sem_post",
                                       "msgget",
                                       "select_cells",
                                       "MPI_Test",
                                       "signal"};
    struct fm_module_map map;
    fm_module_map_usual(&map, &arena, NULL);
    for (size_t i = 0; i < sizeof do_wait / sizeof *do_wait; i++)
        tap_ok(waits_in(&map, do_wait[i]), "%s waits", do_wait[i]);
    for (size_t i = 0; i < sizeof work / sizeof *work; i++)
        tap_ok(!waits_in(&map, work[i]), "%s works", work[i]);
    struct fm_context_id id = {
        .kind = FM_CONTEXT_FRAME, .name = "Bird::sleep", .defined = "bird.cpp", .module = "/home/ada/birds"};
    tap_ok(!fm_module_map_waits(&map, &id), "a function of the program that is called sleep works");
    id.module = "/lib/x86_64-linux-gnu/libc.so.6";
    id.name = "__sleep";
    tap_ok(fm_module_map_waits(&map, &id), "that of libc waits, with debug information too");
}

static bool refuses(const char *path, enum fm_status status, const char *says)
{
    struct fm_module_map map;
    struct fm_error error = {0};
    bool right = fm_module_map_read(&map, path, &arena, &error) == status && strstr(error.text, says);
    if (!right)
        printf("# %s\n", error.text);
    return right;
}

/* A pipe as the shell's <(...) is, with something written into it, again and again if it is not to end. */
static void read_pipe(const char *text, bool endless, const char *says)
{
    char path[40];
    int ends[2];
    struct fm_module_map map;
    if (pipe(ends) != 0)
        abort();
    pid_t writer = fork();
    if (writer == 0) {
        close(ends[0]);
        while (write(ends[1], text, strlen(text)) > 0 && endless)
            ;
        _exit(0);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    if (says)
        tap_ok(refuses(path, FM_ERR_INPUT, says), "a pipe that does not end: %s", says);
    else
        tap_ok(fm_module_map_read(&map, path, &arena, NULL) == FM_OK && map.n_rules == 2, "a pipe is read");
    close(ends[0]);
    waitpid(writer, NULL, 0);
}

static void no_files(void)
{
    char *text = malloc(2 << 20), path[] = "/tmp/modules-XXXXXX";
    struct fm_module_map map;
    int fd = mkstemp(path);
    tap_ok(refuses("/dev/zero", FM_ERR_INPUT, "/dev/zero is neither a file nor a pipe"),
           "an endless device is refused");
    tap_ok(refuses("/", FM_ERR_INPUT, "/ is neither a file nor a pipe"), "so is a directory");
    read_pipe("module a file a.f90\nmodule b file b.f90\n", false, NULL);
    read_pipe("# and so on ", true, "is larger than 4 MiB");
    if (!text || fd < 0 || ftruncate(fd, 100) != 0)
        abort();
    tap_ok(refuses(path, FM_ERR_INPUT, "is not a text file"), "a binary file is refused");
    memset(text, '#', 2 << 20);
    tap_ok(pwrite(fd, text, 2 << 20, 0) == 2 << 20 && fm_module_map_read(&map, path, &arena, NULL) == FM_OK,
           "a long one is read");
    tap_ok(ftruncate(fd, (off_t)1 << 40) == 0 && refuses(path, FM_ERR_INPUT, "is larger than 4 MiB"),
           "but not one without measure");
    close(fd);
    unlink(path);
    free(text);
}

/* ---- graphs ---- */

static void without_a_map(void)
{
    struct fm_calltree tree;
    struct fm_module_map map;
    fm_calltree_start(&tree, &arena, 1);
    add_path(&tree, "pop.f90:main/step.f90:step/pcg.f90:pcg", 100, 0);
    add_path(&tree, "pop.f90:main/step.f90:step/pcg.f90:pcg/pcg.f90:dot", 50, 0);
    add_path(&tree, "pop.f90:main/step.f90:step/pcg.f90:pcg/MPI_Waitall", 30, 0);
    add_path(&tree, "pop.f90:main/step.f90:step/pcg.f90:pcg/MPI_Isend", 4, 0);
    add_path(&tree, "pop.f90:main/lib/libm.so.6", 7, 0);
    fm_module_map_usual(&map, &arena, NULL);
    struct fm_module_breakdown m = modules_of(&tree, &map);
    tap_ok(costs(&item(&m, "pcg.f90")->own, 150, 0, 0), "a source file is a module, with all its functions");
    tap_ok(costs(&item(&m, "mpi")->own, 0, 4, 30), "what is in MPI and does not wait is transfer");
    tap_ok(m.whole.mpi_ns == 34000000, "transfer and waiting are the time in MPI");
    tap_ok(costs(&node(&m, "pop.f90/step.f90/pcg.f90")->all, 150, 4, 30), "waiting is found in the modules above");
    tap_ok(costs(&node(&m, "pop.f90")->all, 157, 4, 30), "up to the outermost");
    tap_ok(item(&m, "pcg.f90")->causes_ns == 30000000, "the module that calls MPI has caused the waiting");
    tap_ok(costs(&item(&m, "libm.so.6")->own, 7, 0, 0), "what has no source file belongs to its load module");
    sums_agree(&tree, &m, "without a map");
}

static void with_a_map(void)
{
    struct fm_calltree tree;
    struct fm_module_map map;
    struct fm_error error;
    if (read_map("module solver function pcg_*  # first: one function of a file that belongs elsewhere\n"
                 "module ocean  file src/ocean/*.f90 step.f90\n"
                 "module math   library libm.so*\n"
                 "group  model  solver ocean\n"
                 "waiting + spin_*\n",
                 &map, &error))
        abort();
    fm_calltree_start(&tree, &arena, 1);
    add_path(&tree, "step.f90:step/step.f90:pcg_solve", 10, 0);
    add_path(&tree, "step.f90:step/step.f90:pcg_solve/x.c:spin_lock/x.c:pause_a_little", 5, 0);
    add_path(&tree, "step.f90:step/other.c:f", 3, 0);
    add_path(&tree, "step.f90:step/libm.so.6", 2, 0);
    struct fm_module_breakdown m = modules_of(&tree, &map);
    tap_ok(costs(&item(&m, "solver")->own, 10, 0, 0), "the first line that fits counts: one file in two modules");
    tap_ok(costs(&item(&m, FM_UNMAPPED)->own, 3, 0, 5), "what no line tells of is shown, with what waits in it");
    tap_ok(costs(&item(&m, "math")->own, 2, 0, 0), "a library");
    tap_ok(item(&m, "solver")->causes_ns == 5000000 && item(&m, FM_UNMAPPED)->causes_ns == 0,
           "who calls what waits has caused it, wherever that lies");
    tap_ok(strcmp(item(&m, "solver")->group, "model") == 0 && !item(&m, "math")->group, "groups");
    tap_ok(waits_in(&map, "MPI_Waitany") && waits_in(&map, "spin_x"), "'+' adds to what waits");
    tap_ok(waits_in(&map, "__poll") && waits_in(&map, "__GI___poll") && !waits_in(&map, "polls"),
           "the C library's own names wait as well");
    sums_agree(&tree, &m, "with a map");
    if (read_map("waiting MPI_Test*\n", &map, &error))
        abort();
    tap_ok(waits_in(&map, "MPI_Testall") && !waits_in(&map, "MPI_Waitall"), "else it is the list");
}

/* What is taken by a line above fits nothing; libraries are not told of. */
static void idle_patterns(void)
{
    struct fm_calltree tree;
    struct fm_module_map map;
    struct fm_error error;
    if (read_map("module ocean file step.f90 tides.f90\n"
                 "\n"
                 "module solver function step pcg_*\n"
                 "module math   library libm.so* libmvec.so*\n",
                 &map, &error))
        abort();
    fm_calltree_start(&tree, &arena, 1);
    add_path(&tree, "step.f90:step/libm.so.6", 2, 0);
    add_path(&tree, "step.f90:step/other.c:pcg_solve", 2, 0);
    struct fm_module_breakdown m = modules_of(&tree, &map);
    tap_ok(m.n_idle == 2 && strcmp(m.idle[0]->pattern, "tides.f90") == 0 && m.idle[0]->line == 1 &&
               strcmp(m.idle[1]->pattern, "step") == 0 && m.idle[1]->line == 3,
           "patterns that fit nothing are listed");
    fm_module_map_usual(&map, &arena, NULL);
    tap_ok(modules_of(&tree, &map).n_idle == 0, "without a map there are none");
}

static void recursion(void)
{
    struct fm_calltree tree;
    struct fm_module_map map;
    fm_calltree_start(&tree, &arena, 1);
    add_path(&tree, "a:f/a:f/a:f", 10, 0);
    add_path(&tree, "a:f/b:g/a:f", 20, 0);
    add_path(&tree, "a:f/b:g/a:f/b:g/MPI_Recv", 5, 0);
    fm_module_map_usual(&map, &arena, NULL);
    struct fm_module_breakdown m = modules_of(&tree, &map);
    tap_ok(costs(&node(&m, "a")->own, 10, 0, 0), "recursion stays in the module");
    tap_ok(costs(&node(&m, "a/b/a")->own, 20, 0, 0), "a module that calls itself through another is kept apart");
    tap_ok(costs(&item(&m, "a")->own, 30, 0, 0) && costs(&item(&m, "a")->all, 30, 0, 5),
           "and counts once with all that it calls");
    tap_ok(costs(&item(&m, "b")->all, 20, 0, 5), "so does the other");
    sums_agree(&tree, &m, "recursion");
}

static void three_modules_wait(void)
{
    struct fm_calltree tree;
    struct fm_module_map map;
    fm_calltree_start(&tree, &arena, 1);
    add_path(&tree, "main:m/baroclinic:f/mpi_mod:update/MPI_Waitall", 10, 0);
    add_path(&tree, "main:m/barotropic:g/mpi_mod:update/MPI_Waitall", 20, 0);
    add_path(&tree, "main:m/mpi_mod:update/MPI_Waitall", 30, 0);
    add_path(&tree, "main:m/baroclinic:f/vertical:v", 40, 0);
    fm_module_map_usual(&map, &arena, NULL);
    struct fm_module_breakdown m = modules_of(&tree, &map);
    tap_ok(costs(&item(&m, "baroclinic")->all, 40, 0, 10) && costs(&item(&m, "barotropic")->all, 0, 0, 20) &&
               costs(&item(&m, "mpi_mod")->all, 0, 0, 60),
           "waiting is tracked back to each module above it");
    tap_ok(costs(&item(&m, "vertical")->all, 40, 0, 0), "and to no other");
    tap_ok(costs(&node(&m, "main")->all, 40, 0, 60), "all of it to main");
    sums_agree(&tree, &m, "three modules");
}

static void threads_of_mpi(void)
{
    struct fm_calltree tree;
    struct fm_module_map map;
    struct fm_error error;
    if (read_map("module mpi file mpi.c\nmodule system file libc.c\nmodule ocean file o.f90\n", &map, &error))
        abort();
    fm_calltree_start(&tree, &arena, 1);
    add_path(&tree, "mpi.c:progress/libc.c:poll/libc.c:syscall", 10, 0);
    add_path(&tree, "libc.c:pause", 20, 0);
    add_path(&tree, "o.f90:main/mpi.c:binding/MPI_Recv", 30, 0);
    add_path(&tree, "o.f90:main/libc.c:helper/libc.c:sleep", 40, 0);
    struct fm_module_breakdown m = modules_of(&tree, &map);
    tap_ok(item(&m, "mpi")->causes_ns == 10000000, "a thread of MPI waits for MPI");
    tap_ok(item(&m, "ocean")->causes_ns == 30000000 && item(&m, "system")->causes_ns == 60000000,
           "MPI waits for whoever calls it, others for themselves");
    sums_agree(&tree, &m, "threads of MPI");
}

/* Of installed thread run-times only the functions that they export have names. */
static void thread_runtimes(void)
{
    static const char *const libraries[] = {"libgomp.so.1", "libomp.so.5"};
    struct fm_calltree tree;
    struct fm_module_map map;
    char path[128];
    fm_calltree_start(&tree, &arena, 1);
    add_path(&tree, "libgomp.so.1", 1, 0);
    add_path(&tree, "libgomp.so.1/libc.so.6!memset", 2, 0);
    add_path(&tree, "libgomp.so.1/a.c:f._omp_fn.0/a.c:g", 100, 0);
    add_path(&tree, "a.c:f/libgomp.so.1!GOMP_parallel/a.c:f._omp_fn.0/a.c:g", 200, 0);
    add_path(&tree, "a.c:f/libgomp.so.1!GOMP_parallel/libgomp.so.1/libgomp.so.1", 4, 0);
    add_path(&tree, "a.c:f/libgomp.so.1!GOMP_parallel/a.c:f._omp_fn.0/libgomp.so.1", 8, 0);
    add_path(&tree,
             "a.c:f/libgomp.so.1!GOMP_parallel/a.c:f._omp_fn.0/libgomp.so.1!GOMP_loop_dynamic_start/libgomp.so.1", 400,
             0);
    add_path(&tree, "a.c:f/libgomp.so.1!GOMP_taskwait/a.c:task/libc.so.6!memcpy", 800, 0);
    add_path(&tree, "a.c:f/libgomp.so.1!GOMP_taskwait/libc.so.6!sched_yield", 16, 0);
    add_path(&tree, "a.c:f/libc.so.6!sched_yield", 1600, 0);
    fm_module_map_usual(&map, &arena, NULL);
    struct fm_module_breakdown m = modules_of(&tree, &map);
    tap_ok(costs(&m.whole, 3102, 0, 29),
           "what is idle in a thread run-time waits; bodies and tasks that it calls work");
    tap_ok(costs(&item(&m, "libgomp.so.1")->own, 400, 0, 13) && costs(&item(&m, "libc.so.6")->own, 2402, 0, 16),
           "scheduling is work; sleeping in the C library is waiting if the run-time sleeps");
    tap_ok(item(&m, "libgomp.so.1")->causes_ns == 1000000 && item(&m, "a.c")->causes_ns == 28000000,
           "idle workers wait for themselves, others in calls from a module");
    sums_agree(&tree, &m, "thread run-times");
    fm_calltree_start(&tree, &arena, 1);
    add_path(&tree, "libomp.so.5/libomp.so.5/libc.so.6!sched_yield", 1, 0);
    add_path(&tree, "libomp.so.5/libomp.so.5!__kmp_invoke_microtask/a.c:.omp_outlined.", 100, 0);
    add_path(&tree, "a.c:f/libomp.so.5!__kmpc_fork_call/libomp.so.5!__kmp_fork_call/a.c:.omp_outlined.", 200, 0);
    add_path(&tree, "a.c:f/libomp.so.5!__kmpc_fork_call/libomp.so.5", 2, 0);
    add_path(&tree, "a.c:f/libomp.so.5!__kmpc_omp_task/libomp.so.5", 400, 0);
    add_path(&tree, "a.c:f/libiomp5.so!__kmpc_critical/libiomp5.so!__kmp_acquire_queuing_lock", 4, 0);
    add_path(&tree, "a.c:f/program!GOMP_barrier/program!gomp_team_barrier_wait", 8, 0);
    m = modules_of(&tree, &map);
    tap_ok(costs(&m.whole, 700, 0, 15), "so it is with that of LLVM and Intel, and if it is linked statically");
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "a.c:f/%s!omp_get_wtime", libraries[i]);
        fm_calltree_start(&tree, &arena, 1);
        add_path(&tree, path, 1, 0);
        m = modules_of(&tree, &map);
        tap_ok(costs(&m.whole, 1, 0, 0), "%s: a function that does not wait works", libraries[i]);
    }
}

/* From outside there are no routines, only the functions of MPI's libraries, and what these call is in MPI as well. */
static void libraries_of_mpi(void)
{
    struct fm_calltree tree;
    struct fm_module_map map;
    struct fm_error error;
    fm_calltree_start(&tree, &arena, 1);
    add_path(&tree, "o.f90:main/libmpi.so.40", 10, 0);
    add_path(&tree, "o.f90:main/libmpi.so.40/libopen-pal.so.40", 20, 0);
    add_path(&tree, "o.f90:main/libmpi.so.40/libc.c:poll/libc.c:syscall", 30, 0);
    add_path(&tree, "o.f90:main/wrap.f90:exchange", 40, 0);
    add_path(&tree, "o.f90:main/wrap.f90:exchange/ice.f90:ice", 50, 0);
    add_path(&tree, "o.f90:main/libc.c:sleep", 60, 0);
    fm_module_map_usual(&map, &arena, NULL);
    struct fm_module_breakdown m = modules_of(&tree, &map);
    tap_ok(costs(&item(&m, "libmpi.so.40")->own, 0, 10, 0) && costs(&item(&m, "libopen-pal.so.40")->own, 0, 20, 0),
           "a library of MPI transfers, and what it calls");
    tap_ok(costs(&item(&m, "wrap.f90")->own, 40, 0, 0), "a wrapper of the program's own works");
    tap_ok(costs(&m.whole, 90, 30, 90) && m.whole.mpi_ns == 60000000, "MPI waits, and what is outside it as well");
    sums_agree(&tree, &m, "libraries of MPI");
    if (read_map("module mpi file wrap.f90\nmodule ice file ice.f90\n", &map, &error))
        abort();
    m = modules_of(&tree, &map);
    tap_ok(costs(&item(&m, "mpi")->own, 0, 40, 0) && costs(&item(&m, "ice")->own, 50, 0, 0),
           "unless the file says that it is MPI, which is not said of what it calls");
    sums_agree(&tree, &m, "a wrapper that is MPI");
}

static enum fm_module_state state_at(const struct fm_module_breakdown *m, const struct fm_module_map *map,
                                     const struct fm_calltree *tree, const char *name, const char *module)
{
    enum fm_module_state state = FM_MODULE_STATES;
    for (struct fm_context *at = tree->root->first; at; at = fm_context_after(tree->root, at)) {
        if (strcmp(at->id.name, name) != 0 || at->first)
            continue;
        uint32_t shown = fm_module_shown(m, map, tree, at, &state);
        return shown < m->n_items && strcmp(m->items[shown].name, module) == 0 ? state : FM_MODULE_STATES;
    }
    return state;
}

static void states(void)
{
    struct fm_calltree tree;
    struct fm_module_map map;
    fm_calltree_start(&tree, &arena, 2);
    add_path(&tree, "main:m/ocean:o", 10, 0);
    add_path(&tree, "main:m/ocean:o/MPI_Send", 10, 0);
    add_path(&tree, "main:m/ocean:o/MPI_Recv", 10, 0);
    for (uint32_t rank = 0; rank < 2; rank++) {
        add_path(&tree, "main:m/ocean:o/MPI_Allreduce", 10 + rank, rank);
        add_path(&tree, "main:m/ocean:o/MPI_Bcast", 10 + 50 * rank, rank);
    }
    fm_module_map_usual(&map, &arena, NULL);
    struct fm_module_breakdown m = modules_of(&tree, &map);
    tap_ok(state_at(&m, &map, &tree, "o", "ocean") == FM_MODULE_WORK, "a module is shown at work");
    tap_ok(state_at(&m, &map, &tree, "MPI_Send", "ocean") == FM_MODULE_TRANSFER, "or transferring, where it sends");
    tap_ok(state_at(&m, &map, &tree, "MPI_Recv", "ocean") == FM_MODULE_WAITING, "or waiting, where it receives");
    tap_ok(state_at(&m, &map, &tree, "MPI_Allreduce", "ocean") == FM_MODULE_TRANSFER &&
               state_at(&m, &map, &tree, "MPI_Bcast", "ocean") == FM_MODULE_WAITING,
           "and in a collective as most of its time is");
}

static void collectives(void)
{
    struct fm_calltree tree;
    struct fm_module_map map;
    fm_calltree_start(&tree, &arena, 3);
    for (uint32_t rank = 0; rank < 3; rank++)
        add_path(&tree, "main:m/MPI_Allreduce", 10 + 20 * rank, rank);
    add_path(&tree, "main:m/MPI_Bcast", 8, 1);
    add_path(&tree, "main:m/MPI_Barrier", 5, 2);
    fm_module_map_usual(&map, &arena, NULL);
    struct fm_module_breakdown m = modules_of(&tree, &map);
    tap_ok(costs(&item(&m, "mpi")->own, 0, 30, 60 + 8 + 5),
           "of a collective what is above the fastest rank is waiting");
    tap_ok(item(&m, "mpi")->own.estimated_ns == 68000000, "and that is an estimate, unlike a barrier");
    sums_agree(&tree, &m, "collectives");
}

static void sources_of_system_libraries(void)
{
    const struct fm_module_map none = {0};
    struct fm_context sine = {.id = {.kind = FM_CONTEXT_FRAME,
                                     .name = "sin",
                                     .module = "/lib/x86_64-linux-gnu/libm.so.6",
                                     .path = "",
                                     .defined = "./math/s_sin.c"}};
    tap_ok(strcmp(fm_module_map_name(&none, &sine), "libm.so.6") == 0, "a library of the system is one module");
    sine.id.module = "/opt/model/libphysics.so";
    tap_ok(strcmp(fm_module_map_name(&none, &sine), "s_sin.c") == 0, "others are divided into their files");
}

int main(void)
{
    sources_of_system_libraries();
    bad_lines();
    no_files();
    waits();
    without_a_map();
    with_a_map();
    idle_patterns();
    recursion();
    three_modules_wait();
    threads_of_mpi();
    thread_runtimes();
    libraries_of_mpi();
    states();
    collectives();
    fm_arena_destroy(&arena);
    return tap_done();
}
