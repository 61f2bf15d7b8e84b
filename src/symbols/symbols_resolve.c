/* SPDX-License-Identifier: BSD-3-Clause */
/* Resolves all requested addresses, module by module: finds the files, uses the cache, and reads the rest in
 * threads. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/sort.h"
#include "symbols/load_module_symbols.h"
#include "symbols/symbols_cache.h"
#include "symbols/symbols_table.h"

/* SHARE: for fewer addresses it is not worth opening a module once more. */
enum { SHARE = 64, MAX_THREADS = 16, MAX_REPORTED = 5 };

/* A share of the addresses of one module. libdw is not thread-safe, so the module is opened separately for each
 * share. */
struct resolve_job {
    const struct fm_load_module_files *files;
    uint32_t module;
    struct fm_resolved_address *found;
    size_t n;
    struct fm_arena arena; /* for the results */
};

struct batch {
    struct fm_symbols *symbols;
    struct fm_arena arena;
    unsigned threads;
    struct resolve_job *jobs;
    size_t n_jobs, jobs_capacity;
    size_t next;   /* next job; shared by the threads */
    size_t failed; /* number of modules that cannot be read */
};

static int by_address(const void *a, const void *b)
{
    const struct fm_resolved_address *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* ---- jobs ---- */

static bool add_job(struct batch *batch, struct resolve_job job)
{
    if (batch->n_jobs == batch->jobs_capacity) {
        struct resolve_job *grown = fm_arena_grow(&batch->arena, batch->jobs, &batch->jobs_capacity, batch->n_jobs + 1,
                                                  sizeof *grown);
        if (!grown)
            return false;
        batch->jobs = grown;
    }
    batch->jobs[batch->n_jobs++] = job;
    return true;
}

/* The unresolved addresses of a module, sorted. */
static size_t collect(struct batch *batch, uint32_t module, struct fm_resolved_address **found)
{
    struct fm_symbols *symbols = batch->symbols;
    size_t n = 0, waiting = symbols->modules[module].waiting;
    struct fm_resolved_address *items = fm_arena_alloc(&batch->arena, waiting * sizeof *items);
    for (size_t i = 0; items && i < symbols->slots_capacity && n < waiting; i++) {
        const struct fm_lookup *slot = &symbols->slots[i];
        if (slot->used && !slot->resolved && slot->module == module)
            items[n++] = (struct fm_resolved_address){.address = slot->address};
    }
    *found = items;
    return fm_sort(items, n, sizeof *items, by_address, &batch->arena) ? n : 0;
}

static void add_jobs(struct batch *batch, uint32_t module, const struct fm_load_module_files *files)
{
    struct fm_resolved_address *found;
    size_t n = collect(batch, module, &found), shares = n / SHARE + 1;
    if (shares > batch->threads)
        shares = batch->threads;
    for (size_t i = 0; i < shares && n > 0; i++) {
        size_t from = n * i / shares, to = n * (i + 1) / shares;
        if (!add_job(batch,
                     (struct resolve_job){.files = files, .module = module, .found = found + from, .n = to - from}))
            return;
    }
}

/* The file is missing or was rebuilt: uses the names cached earlier. Returns true if that resolves all addresses. */
static bool use_cache(struct fm_symbols *symbols, uint32_t number, struct fm_load_module_files *files)
{
    const struct fm_symbols_module *module = &symbols->modules[number];
    *files = (struct fm_load_module_files){.version = FM_CACHE_ANY};
    snprintf(files->build_id, sizeof files->build_id, "%s", module->build_id);
    if (files->build_id[0])
        fm_symbols_cache_load(symbols, number, files);
    return module->waiting == 0;
}

/* After an upgrade of Fathom its own functions are unknown in older profiles, and not missed. */
static bool is_own_library(const char *path)
{
    return strncmp(fm_basename(path), "libfathom.so.", strlen("libfathom.so.")) == 0;
}

static void prepare(struct batch *batch, uint32_t number)
{
    struct fm_symbols *symbols = batch->symbols;
    struct fm_symbols_module *module = &symbols->modules[number];
    struct fm_error error = {0};
    struct fm_load_module_files *files = fm_arena_alloc(&batch->arena, sizeof *files);
    if (!files || module->failed || module->waiting == 0)
        return;
    enum fm_status status = fm_load_module_files_find(files, module->path, module->build_id, &symbols->options, &error);
    module->failed = status != FM_OK;
    if (status == FM_OK) {
        fm_symbols_cache_load(symbols, number, files);
        add_jobs(batch, number, files);
    } else if (use_cache(symbols, number, files)) {
        return;
    } else if (status == FM_ERR_INPUT && symbols->options.say && !is_own_library(module->path) &&
               batch->failed++ < MAX_REPORTED) {
        symbols->options.say(symbols->options.context, error.text);
    }
}

/* On another machine nearly every library may differ: a few are reported, the rest only as a number. */
static void report_more(const struct batch *batch)
{
    char sentence[128];
    size_t more = batch->failed - MAX_REPORTED;
    snprintf(sentence, sizeof sentence, "%zu more file%s of the job %s missing or changed", more, more == 1 ? "" : "s",
             more == 1 ? "is" : "are");
    batch->symbols->options.say(batch->symbols->options.context, sentence);
}

/* ---- threads ---- */

static void *work(void *data)
{
    struct batch *batch = data;
    size_t i;
    while ((i = __atomic_fetch_add(&batch->next, 1, __ATOMIC_RELAXED)) < batch->n_jobs)
        fm_load_module_symbols_read(batch->jobs[i].files, batch->jobs[i].found, batch->jobs[i].n,
                                    &batch->jobs[i].arena);
    return NULL;
}

static void run(struct batch *batch)
{
    pthread_t threads[MAX_THREADS];
    unsigned n = 0;
    while (n + 1 < batch->threads && n + 1 < batch->n_jobs && pthread_create(&threads[n], NULL, work, batch) == 0)
        n++;
    work(batch);
    while (n > 0)
        pthread_join(threads[--n], NULL);
}

static void store_results(struct batch *batch)
{
    for (size_t j = 0; j < batch->n_jobs; j++) {
        struct resolve_job *job = &batch->jobs[j];
        for (size_t i = 0; i < job->n; i++) {
            struct fm_lookup *lookup = fm_symbols_lookup(batch->symbols, job->module, job->found[i].address);
            fm_symbols_answer(batch->symbols, lookup, &job->found[i]);
        }
        fm_arena_destroy(&job->arena);
        if (j + 1 == batch->n_jobs || batch->jobs[j + 1].module != job->module)
            fm_symbols_cache_save(batch->symbols, job->module, job->files);
    }
}

static void resolve_addresses(struct fm_symbols *symbols)
{
    struct batch batch = {.symbols = symbols, .threads = symbols->options.threads};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (batch.threads == 0)
        batch.threads = processors > 0 ? (unsigned)processors : 1;
    if (batch.threads > MAX_THREADS)
        batch.threads = MAX_THREADS;
    for (size_t i = 0; i < symbols->n_modules; i++)
        prepare(&batch, (uint32_t)i);
    if (batch.failed > MAX_REPORTED)
        report_more(&batch);
    run(&batch);
    store_results(&batch);
    fm_arena_destroy(&batch.arena);
}

void fm_symbols_resolve(struct fm_symbols *symbols)
{
    resolve_addresses(symbols);
    if (fm_symbols_follow_tail_calls(symbols))
        resolve_addresses(symbols);
}
