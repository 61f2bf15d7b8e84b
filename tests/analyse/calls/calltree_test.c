/* Contexts from addresses with known names: frames, inlining, recursion, routines, gaps; and, on trees made at random,
 * that the three trees agree to the ns. */
#include "analyse/calls/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/calls/address_tree.h"
#include "merge/merge.h"
#include "merge/parts.h"
#include "tap.h"

static const char MODULE[] = "/opt/pop/bin/pop";

static struct fm_symbols *make_symbols(void)
{
    static const struct {
        uint64_t offset;
        enum fm_address kind;
        struct fm_symbol frames[2];
        size_t n;
    } known[] = {
        /* main calls solve twice at line 12, from two addresses, and once at line 20 */
        {0x110, FM_RETURN_ADDRESS, {{"main", "/s/main.c", "", 12, "/s/main.c", 3, false}}, 1},
        {0x120, FM_RETURN_ADDRESS, {{"main", "/s/main.c", "", 12, "/s/main.c", 3, false}}, 1},
        {0x130, FM_RETURN_ADDRESS, {{"main", "/s/main.c", "", 20, "/s/main.c", 3, false}}, 1},
        /* solve has dot inlined, in which it waits; and calls itself */
        {0x210,
         FM_RETURN_ADDRESS,
         {{"solve", "/s/solve.c", "", 30, "/s/solve.c", 25, false}, {"dot", "/s/dot.h", "", 7, "/s/dot.h", 5, true}},
         2},
        {0x220, FM_RETURN_ADDRESS, {{"solve", "/s/solve.c", "", 33, "/s/solve.c", 25, false}}, 1},
        {0x230, FM_SAMPLED_ADDRESS, {{"solve", "/s/solve.c", "", 31, "/s/solve.c", 25, false}}, 1},
        {0x234, FM_SAMPLED_ADDRESS, {{"solve", "/s/solve.c", "", 31, "/s/solve.c", 25, false}}, 1},
        {0x240,
         FM_SAMPLED_ADDRESS,
         {{"solve", "/s/solve.c", "", 30, "/s/solve.c", 25, false}, {"dot", "/s/dot.h", "", 8, "/s/dot.h", 5, true}},
         2},
    };
    struct fm_symbols *symbols = fm_symbols_create(&(struct fm_symbols_options){.threads = 1});
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        fm_symbols_know(symbols, &(struct fm_site){MODULE, "", known[i].offset}, known[i].kind, known[i].frames,
                        known[i].n);
    return symbols;
}

/* Where the load modules of the tests lie. */
enum { IN_FATHOM = 0x8000, IN_LIBC = 0x9000 };

static const char *module_at(uint64_t offset)
{
    return offset >= IN_LIBC ? "/lib/libc.so.6" : offset >= IN_FATHOM ? "/opt/fathom/lib/libfathom.so.0" : MODULE;
}

/* A profile of one rank from nodes in depth-first order; `own` in ms. */
struct node {
    uint32_t parent, kind;
    uint64_t offset;
    const char *routine;
    uint64_t own_ms;
};

static struct fm_profile *of_rank(const struct node *nodes, size_t n, uint32_t rank, uint32_t ranks)
{
    struct fm_profile *p = fm_profile_create();
    struct fm_call_paths paths = {.n = n};
    paths.nodes = fm_arena_alloc(&p->arena, n * sizeof *paths.nodes);
    for (size_t i = 0; i < n; i++) {
        bool site = nodes[i].kind == FM_PATH_CALL || nodes[i].kind == FM_PATH_LEAF;
        paths.nodes[i] = (struct fm_path_node){
            .parent = nodes[i].parent,
            .kind = nodes[i].kind,
            .site = {site ? module_at(nodes[i].offset) : "", "", nodes[i].offset},
            .routine = nodes[i].routine ? nodes[i].routine : "",
            .own = fm_path_cost_of(nodes[i].own_ms * 1000000, rank),
        };
    }
    fm_call_paths_inclusive(&paths, rank);
    fm_merge_paths(p, &paths, &p->arena);
    p->job.ranks = ranks;
    return p;
}

enum { ROOT = FM_PATH_ROOT, GAP = FM_PATH_GAP, CALL = FM_PATH_CALL, ROUTINE = FM_PATH_ROUTINE, LEAF = FM_PATH_LEAF };

static const struct node first[] = {
    {0, ROOT, 0, NULL, 0},          {0, GAP, 0, NULL, 0},
    {1, LEAF, 0x230, NULL, 1},      {0, CALL, 0x110, NULL, 0}, /* main:12 */
    {3, CALL, 0x210, NULL, 0},                                 /* solve:30 dot:7 */
    {4, ROUTINE, 0, "MPI_Recv", 8}, {3, CALL, 0x220, NULL, 2}, /* solve:33, and 2 ms that were not kept */
    {6, LEAF, 0x230, NULL, 4},                                 /* solve:31 */
    {3, LEAF, 0x230, NULL, 16},     {3, LEAF, 0x234, NULL, 32},
    {3, LEAF, 0x240, NULL, 64},     {0, CALL, 0x120, NULL, 0}, /* main:12 again */
    {11, LEAF, 0x230, NULL, 128},   {0, CALL, 0x130, NULL, 0}, /* main:20 */
    {13, LEAF, 0x230, NULL, 256},
};

static const struct fm_context *child(const struct fm_context *parent, enum fm_context_kind kind, const char *name,
                                      uint32_t line)
{
    for (const struct fm_context *at = parent ? parent->first : NULL; at; at = at->next)
        if (at->id.kind == kind && strcmp(at->id.name, name) == 0 && at->id.line == line)
            return at;
    return NULL;
}

static bool costs(const struct fm_context *context, uint64_t own_ms, uint64_t all_ms)
{
    return context && context->own.of.sum_ns == own_ms * 1000000 && context->all.of.sum_ns == all_ms * 1000000;
}

static void test_calls(const struct fm_calltree *calls)
{
    const struct fm_context *root = calls->root, *main_frame = child(root, FM_CONTEXT_FRAME, "main", 0);
    tap_ok(root->n_children == 2 && root->all.of.sum_ns == 511000000 && costs(main_frame, 0, 510),
           "addresses of one function are one frame");
    const struct fm_context *solve = child(main_frame, FM_CONTEXT_FRAME, "solve", 12);
    tap_ok(main_frame->n_children == 2 && costs(solve, 16 + 32 + 2 + 128, 254) &&
               costs(child(main_frame, FM_CONTEXT_FRAME, "solve", 20), 256, 256),
           "calls from one line are one, from another line another");
    const struct fm_context *statement = child(solve, FM_CONTEXT_STATEMENT, "solve", 31);
    tap_ok(costs(statement, 16 + 32 + 128, 16 + 32 + 128) && !statement->first && solve->id.inlined == false,
           "addresses of one line are one statement");
    const struct fm_context *dot = child(solve, FM_CONTEXT_FRAME, "dot", 30);
    tap_ok(costs(dot, 64, 72) && dot->id.inlined && strcmp(dot->id.path, "/s/solve.c") == 0 &&
               strcmp(dot->id.defined, "/s/dot.h") == 0 && dot->facts.defined_line == 5,
           "an inlined function is a frame of its own, called where it was inlined");
    tap_ok(costs(child(dot, FM_CONTEXT_ROUTINE, "MPI_Recv", 7), 8, 8) &&
               costs(child(dot, FM_CONTEXT_STATEMENT, "dot", 8), 64, 64),
           "calls through it and statements in it are its own");
    const struct fm_context *inner = child(solve, FM_CONTEXT_FRAME, "solve", 33);
    tap_ok(costs(inner, 4, 4) && costs(child(solve, FM_CONTEXT_CALL_SITE, "solve", 33), 2, 2),
           "a function that calls itself is below itself; what was not kept below a call is that call's");
    const struct fm_context *gap = child(root, FM_CONTEXT_GAP, "(outer frames unknown)", 0);
    tap_ok(costs(gap, 0, 1) && costs(child(gap, FM_CONTEXT_FRAME, "solve", 0), 1, 1),
           "a stack without its outer frames begins at a gap");
    tap_ok(fm_context_hot(root) == main_frame && fm_context_hot(solve) == statement && !fm_context_hot(statement),
           "the hot path goes where half of it is");
}

static void test_own_functions(struct fm_symbols *symbols)
{
    static const struct node nodes[] = {
        {0, ROOT, 0, NULL, 0},
        {0, CALL, 0x110, NULL, 0},         /* main:12 */
        {1, CALL, IN_FATHOM, NULL, 0},     /* a function of Fathom, */
        {2, CALL, IN_LIBC, NULL, 1},       /* which calls libc, */
        {2, LEAF, IN_FATHOM + 8, NULL, 2}, /* itself, */
        {2, LEAF, 0x230, NULL, 4},         /* and the program */
    };
    struct fm_profile *profile = of_rank(nodes, sizeof nodes / sizeof *nodes, 0, 1);
    struct fm_arena arena = {0};
    struct fm_calltree calls;
    tap_ok(!fm_calltree_make(profile, symbols, &arena, &calls, NULL), "functions of Fathom");
    const struct fm_context *main_frame = child(calls.root, FM_CONTEXT_FRAME, "main", 0);
    tap_ok(costs(main_frame, 3, 7), "their time is that of the caller");
    tap_ok(costs(child(main_frame, FM_CONTEXT_FRAME, "solve", 12), 4, 4), "what they call of the program is shown");
    for (const struct fm_context *at = main_frame ? main_frame->first : NULL; at; at = at->next)
        tap_ok(strcmp(at->id.module, MODULE) == 0, "no frame of theirs: %s", at->id.name);
    fm_arena_destroy(&arena);
    fm_profile_destroy(profile);
}

static void test_handlers(struct fm_symbols *symbols)
{
    static const struct node nodes[] = {
        {0, ROOT, 0, NULL, 0},
        {0, CALL, 0x110, NULL, 0},          /* main:12 */
        {1, CALL, IN_FATHOM + 16, NULL, 1}, /* nanosleep */
        {2, CALL, IN_LIBC, NULL, 2},        /* interrupted by a signal */
        {3, LEAF, 0x230, NULL, 4},          /* solve:31, its handler */
    };
    const struct fm_symbol wrapper = {"fm_wrapped_nanosleep", "", "", 0, "", 0, false};
    fm_symbols_know(symbols, &(struct fm_site){module_at(IN_FATHOM), "", IN_FATHOM + 16}, FM_RETURN_ADDRESS, &wrapper,
                    1);
    struct fm_profile *profile = of_rank(nodes, sizeof nodes / sizeof *nodes, 0, 1);
    struct fm_arena arena = {0};
    struct fm_calltree calls;
    tap_ok(!fm_calltree_make(profile, symbols, &arena, &calls, NULL), "a signal handler within a call of libc");
    const struct fm_context *main_frame = child(calls.root, FM_CONTEXT_FRAME, "main", 0);
    const struct fm_context *sleeping = child(main_frame, FM_CONTEXT_FRAME, "nanosleep", 12);
    tap_ok(costs(sleeping, 3, 7), "the call has what is not the handler's");
    tap_ok(costs(child(sleeping, FM_CONTEXT_FRAME, "solve", 0), 4, 4), "the handler is shown below it");
    fm_arena_destroy(&arena);
    fm_profile_destroy(profile);
}

static void test_flat(const struct fm_calltree *calls, struct fm_arena *arena)
{
    struct fm_calltree flat;
    if (!tap_ok(!fm_calltree_flat(calls, arena, &flat, NULL), "flat"))
        return;
    const struct fm_context *module = child(flat.root, FM_CONTEXT_MODULE, MODULE, 0);
    const struct fm_context *file = child(module, FM_CONTEXT_FILE, "/s/solve.c", 0);
    const struct fm_context *solve = child(file, FM_CONTEXT_FRAME, "solve", 0);
    tap_ok(costs(module, 503, 511) &&
               costs(child(child(flat.root, FM_CONTEXT_MODULE, "(MPI)", 0), FM_CONTEXT_ROUTINE, "MPI_Recv", 0), 8, 8),
           "load modules, and MPI as one");
    tap_ok(costs(file, 439, 511) && costs(solve, 439, 511), "recursion counts once");
    tap_ok(costs(child(solve, FM_CONTEXT_STATEMENT, "solve", 31), 437, 437) &&
               costs(child(solve, FM_CONTEXT_STATEMENT, "solve", 33), 2, 6) &&
               costs(child(solve, FM_CONTEXT_CALL_SITE, "solve", 30), 0, 72),
           "lines are statements, or call sites where they have no time of their own");
    tap_ok(costs(child(child(module, FM_CONTEXT_FILE, "/s/dot.h", 0), FM_CONTEXT_FRAME, "dot", 0), 64, 72),
           "an inlined function lies in its own file");
}

static void test_callers(const struct fm_calltree *calls, struct fm_arena *arena)
{
    struct fm_calltree callers;
    if (!tap_ok(!fm_calltree_callers(calls, 8, arena, &callers, NULL), "callers"))
        return;
    const struct fm_context *recv = child(callers.root, FM_CONTEXT_ROUTINE, "MPI_Recv", 0);
    const struct fm_context *way = child(recv, FM_CONTEXT_CALL_SITE, "dot", 7);
    tap_ok(costs(recv, 8, 8) && costs(way, 8, 8) && costs(child(way, FM_CONTEXT_CALL_SITE, "solve", 30), 8, 8),
           "who waits, and who calls that");
    const struct fm_context *solve = child(callers.root, FM_CONTEXT_FRAME, "solve", 0);
    tap_ok(costs(solve, 439, 511) && costs(child(solve, FM_CONTEXT_CALL_SITE, "main", 12), 178, 254) &&
               costs(child(solve, FM_CONTEXT_CALL_SITE, "main", 20), 256, 256) &&
               costs(child(solve, FM_CONTEXT_GAP, "(outer frames unknown)", 0), 1, 1),
           "the callers of a function share its time");
    tap_ok(costs(child(solve, FM_CONTEXT_CALL_SITE, "solve", 33), 4, 4), "one of them can be itself");
    struct fm_calltree short_ones;
    tap_ok(!fm_calltree_callers(calls, 1, arena, &short_ones, NULL) &&
               !child(child(short_ones.root, FM_CONTEXT_ROUTINE, "MPI_Recv", 0), FM_CONTEXT_CALL_SITE, "dot", 7)->first,
           "callers end at the depth that was asked for");
}

static void test_focus(const struct fm_calltree *calls, struct fm_arena *arena)
{
    struct fm_calltree focused, functions;
    if (!tap_ok(!fm_calltree_focus(calls, "solve", arena, &focused, NULL), "focus"))
        return;
    const struct fm_context *solve = child(focused.root, FM_CONTEXT_FRAME, "solve", 0);
    tap_ok(focused.root->n_children == 1 && focused.root->all.of.sum_ns == 511000000 && costs(solve, 435, 511) &&
               costs(child(solve, FM_CONTEXT_FRAME, "dot", 30), 64, 72) &&
               costs(child(solve, FM_CONTEXT_FRAME, "solve", 33), 4, 4),
           "all frames of a function as one, its own recursion below it");
    tap_ok(!fm_calltree_focus(calls, "olve", arena, &focused, NULL) && !focused.root->first, "names are whole names");
    tap_ok(!fm_calltree_functions(calls, arena, &functions, NULL) &&
               costs(child(child(functions.root, FM_CONTEXT_FRAME, "main", 0), FM_CONTEXT_FRAME, "solve", 0), 434, 510),
           "functions without lines");
}

static void test_ranks(struct fm_symbols *symbols)
{
    static const struct node second[] = {
        {0, ROOT, 0, NULL, 0},      {0, CALL, 0x110, NULL, 0},
        {1, CALL, 0x210, NULL, 0},  {2, ROUTINE, 0, "MPI_Recv", 100},
        {1, LEAF, 0x230, NULL, 10}, {1, LEAF, 0x234, NULL, 10},
    };
    static const struct node third[] = {
        {0, ROOT, 0, NULL, 0}, {0, CALL, 0x110, NULL, 0}, {1, LEAF, 0x230, NULL, 30}, {1, LEAF, 0x234, NULL, 30}};
    struct fm_arena arena = {0};
    struct fm_calltree calls;
    struct fm_profile *p = of_rank(second, 6, 0, 2), *q = of_rank(third, 4, 1, 2);
    fm_profile_merge(p, q, NULL);
    tap_ok(!fm_calltree_make(p, symbols, &arena, &calls, NULL) && calls.ranks == 2, "two ranks");
    const struct fm_context *solve = child(child(calls.root, FM_CONTEXT_FRAME, "main", 0), FM_CONTEXT_FRAME, "solve",
                                           12);
    struct fm_path_spread all = fm_path_spread_of(&solve->all.of, 2);
    tap_ok(!solve->all.estimated && all.max_ns == 120000000 && all.max_rank == 0 && all.min_ns == 60000000 &&
               all.min_rank == 1 && all.mean_ns == 90000000 && all.deviation_ns > 29.99e6 && all.deviation_ns < 30.01e6,
           "a frame has the costs over ranks of the call that leads to it");
    const struct fm_context *line = child(solve, FM_CONTEXT_STATEMENT, "solve", 31);
    all = fm_path_spread_of(&line->all.of, 2);
    tap_ok(!line->all.estimated && all.max_ns == 60000000 && all.max_rank == 1 && all.min_ns == 20000000 &&
               all.deviation_ns > 19.99e6 && all.deviation_ns < 20.01e6,
           "of two ranks a sum of several addresses is exact");
    const struct fm_context *recv = child(child(solve, FM_CONTEXT_FRAME, "dot", 30), FM_CONTEXT_ROUTINE, "MPI_Recv", 7);
    all = fm_path_spread_of(&recv->all.of, 2);
    tap_ok(all.min_ns == 0 && all.min_rank == FM_NO_RANK && all.max_ns == 100000000, "a rank that has none has 0");
    fm_arena_destroy(&arena);
    fm_profile_destroy(q);
    fm_profile_destroy(p);
}

/* ---- any tree ---- */

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

/* Few functions, so that they recur; each address with up to two frames. */
static struct fm_symbols *random_symbols(void)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    struct fm_symbols *symbols = fm_symbols_create(&(struct fm_symbols_options){.threads = 1});
    for (uint64_t offset = 1; offset < 40; offset++) {
        struct fm_symbol frames[2] = {
            {names[offset % 4], "/s/x.c", "", 1 + (uint32_t)(offset / 4) % 3, "/s/x.c", 1, false},
            {names[offset / 7 % 4], "/s/y.h", "", 1 + (uint32_t)offset % 2, "/s/y.h", 1, true}};
        enum fm_address kind = offset % 2 ? FM_SAMPLED_ADDRESS : FM_RETURN_ADDRESS;
        if (offset % 11)
            fm_symbols_know(symbols, &(struct fm_site){MODULE, "", offset * 4}, kind, frames, 1 + offset % 2);
    }
    return symbols;
}

static size_t grow(struct node *nodes, size_t n, size_t parent, unsigned depth)
{
    uint64_t offset = 0;
    for (unsigned step = 0; step < 8 && n < 200; step++) {
        uint32_t choice = below(8);
        offset += 2 * (1 + below(4));
        if (offset >= 38)
            break;
        if (choice < 5 && depth < 9) {
            nodes[n] = (struct node){(uint32_t)parent, CALL, offset * 4, NULL, below(4) ? 0 : 1 + below(9)};
            size_t before = n;
            n = grow(nodes, n + 1, before, depth + 1);
            if (n == before + 1 && !nodes[before].own_ms)
                nodes[before].own_ms = 1;
        }
    }
    if (depth && below(2))
        nodes[n++] = (struct node){(uint32_t)parent, ROUTINE, 0, below(2) ? "MPI_Recv" : "MPI_Send", 1 + below(50)};
    for (offset = 1 + 2 * below(8); below(3) && offset < 39; offset += 2)
        nodes[n++] = (struct node){(uint32_t)parent, LEAF, offset * 4, NULL, 1 + below(99)};
    return n;
}

static uint64_t sum_own(const struct fm_calltree *tree, const struct fm_context *of)
{
    uint64_t sum = 0;
    for (const struct fm_context *at = tree->root->first; at; at = fm_context_after(tree->root, at))
        if (at->id.name == of->id.name && at->id.module == of->id.module && at->id.defined == of->id.defined &&
            at->id.kind == of->id.kind)
            sum += at->own.of.sum_ns;
    return sum;
}

static bool same_function(const struct fm_context *a, const struct fm_context *b)
{
    return a->id.kind == b->id.kind && a->id.name == b->id.name && a->id.module == b->id.module &&
           a->id.defined == b->id.defined;
}

/* By definition: frames that are not below another one of the same function. */
static uint64_t sum_all(const struct fm_calltree *calls, const struct fm_context *of)
{
    uint64_t sum = 0;
    for (const struct fm_context *at = calls->root->first; at; at = fm_context_after(calls->root, at)) {
        bool outermost = same_function(at, of);
        for (const struct fm_context *up = at->parent; up && outermost; up = up->parent)
            outermost = !same_function(up, of);
        if (outermost)
            sum += at->all.of.sum_ns;
    }
    return sum;
}

static bool agree(const struct fm_calltree *calls, const struct fm_calltree *flat, const struct fm_calltree *callers)
{
    uint64_t total = 0;
    for (const struct fm_context *function = callers->root->first; function; function = function->next) {
        uint64_t flat_own = 0, flat_all = 0;
        for (const struct fm_context *at = flat->root->first; at; at = fm_context_after(flat->root, at))
            if (same_function(at, function)) {
                flat_own += at->own.of.sum_ns;
                flat_all += at->all.of.sum_ns;
            }
        uint64_t own = function->own.of.sum_ns, all = function->all.of.sum_ns;
        total += own;
        if (own != flat_own || all != flat_all || own != sum_own(calls, function) || all != sum_all(calls, function))
            return false;
    }
    for (const struct fm_context *module = flat->root->first; module; module = module->next)
        total -= module->own.of.sum_ns;
    return total == 0;
}

static bool adds_up(const struct fm_calltree *calls)
{
    for (const struct fm_context *at = calls->root; at; at = fm_context_after(calls->root, at)) {
        uint64_t below_it = 0, lines = 0;
        for (const struct fm_context *c = at->first; c; c = c->next) {
            below_it += c->all.of.sum_ns;
            bool line = c->id.kind == FM_CONTEXT_CALL_SITE || c->id.kind == FM_CONTEXT_STATEMENT;
            lines += line ? c->own.of.sum_ns : 0;
        }
        if (at->first && (below_it != at->all.of.sum_ns || lines != at->own.of.sum_ns))
            return false;
        if (!at->first && at->own.of.sum_ns != at->all.of.sum_ns)
            return false;
    }
    return true;
}

static void test_random(void)
{
    struct fm_symbols *symbols = random_symbols();
    size_t agreed = 0, added_up = 0, contexts = 0, trees = 300;
    for (size_t i = 0; i < trees; i++) {
        struct fm_arena arena = {0};
        struct fm_calltree calls, flat, callers;
        struct fm_profile *p = NULL;
        for (uint32_t rank = 0; rank < 3; rank++) {
            static struct node nodes[1000];
            nodes[0] = (struct node){0, ROOT, 0, NULL, below(4) ? 0 : 3};
            size_t n = grow(nodes, 1, 0, 0);
            if (n == 1)
                nodes[0].own_ms = 1;
            struct fm_profile *q = of_rank(nodes, n, rank, 3);
            if (p) {
                fm_profile_merge(p, q, NULL);
                fm_profile_destroy(q);
            } else {
                p = q;
            }
        }
        if (fm_call_paths_check(&p->paths))
            printf("# %s\n", fm_call_paths_check(&p->paths));
        else if (!fm_calltree_make(p, symbols, &arena, &calls, NULL) &&
                 !fm_calltree_flat(&calls, &arena, &flat, NULL) &&
                 !fm_calltree_callers(&calls, 4, &arena, &callers, NULL)) {
            agreed += agree(&calls, &flat, &callers);
            added_up += adds_up(&calls) && calls.root->all.of.sum_ns == p->paths.nodes[0].all.sum_ns;
            contexts += calls.n;
        }
        fm_arena_destroy(&arena);
        fm_profile_destroy(p);
    }
    fm_symbols_destroy(symbols);
    tap_ok(agreed == trees, "in %zu of %zu random trees with %zu contexts calls, callers and flat agree", agreed, trees,
           contexts);
    tap_ok(added_up == trees && contexts > 20 * trees, "in %zu of them all costs add up", added_up);
}

int main(void)
{
    struct fm_symbols *symbols = make_symbols();
    struct fm_arena arena = {0};
    struct fm_calltree calls;
    struct fm_profile *p = of_rank(first, sizeof first / sizeof *first, 0, 1);
    tap_ok(!fm_call_paths_check(&p->paths) && !fm_calltree_make(p, symbols, &arena, &calls, NULL), "a tree is made");
    test_calls(&calls);
    test_flat(&calls, &arena);
    test_callers(&calls, &arena);
    test_focus(&calls, &arena);
    test_own_functions(symbols);
    test_handlers(symbols);
    test_ranks(symbols);
    test_random();
    fm_profile_destroy(p);
    fm_arena_destroy(&arena);
    fm_symbols_destroy(symbols);
    return tap_done();
}
