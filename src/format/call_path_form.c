/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/call_path_form.h"

#include "base/saturate.h"
#include "base/sort.h"
#include "model/order.h"

/* ---- prediction, the same for the writer and the reader ---- */

struct predictor {
    uint32_t path[FM_CALL_PATHS_DEPTH + 2]; /* from the root to the previous node */
    size_t depth;
    uint32_t *last; /* by place: the last node there */
};

/* The node whose offset the next one is stored relative to: its preceding sibling if that is in the same place, else
 * the last node in that place. */
static uint32_t reference_node(const struct predictor *predictor, const struct fm_path_record *steps, uint32_t place)
{
    uint32_t parent = predictor->path[predictor->depth], sibling = predictor->path[predictor->depth + 1];
    return sibling > parent && steps[sibling].place == place ? sibling : predictor->last[place];
}

static void advance(struct predictor *predictor, const struct fm_path_record *steps, size_t i)
{
    predictor->path[i ? ++predictor->depth : 0] = (uint32_t)i;
    predictor->last[steps[i].place] = (uint32_t)i;
}

static bool has_place(uint32_t kind)
{
    return kind == FM_PATH_CALL || kind == FM_PATH_LEAF;
}

/* Number of parts of the cost of each node: its own cost and those of its children. */
static void count_parts(const struct fm_path_record *steps, size_t n, const uint32_t *parents, uint32_t *parts)
{
    for (size_t i = 0; i < n; i++) {
        parts[i] = steps[i].has_own != 0;
        if (i)
            parts[parents[i]]++;
    }
}

/* ---- writing ---- */

struct node_place {
    struct fm_path_place place;
    uint32_t node;
};

static int compare_places(const void *a, const void *b)
{
    const struct fm_path_place *x = &((const struct node_place *)a)->place, *y = &((const struct node_place *)b)->place;
    int order = fm_compare_text(x->module, y->module);
    return order ? order : fm_compare_text(x->build_id, y->build_id);
}

static bool make_places(const struct fm_call_paths *paths, struct fm_arena *arena, struct fm_path_form *form)
{
    struct node_place *places = fm_arena_alloc(arena, paths->n * sizeof *places);
    form->places = fm_arena_alloc(arena, paths->n * sizeof *form->places);
    if (!places || !form->places)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < paths->n; i++) {
        const struct fm_site *site = &paths->nodes[i].site;
        if (*site->module)
            places[n++] = (struct node_place){{site->module, site->build_id}, (uint32_t)i};
    }
    if (!fm_sort(places, n, sizeof *places, compare_places, arena))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!i || compare_places(&places[i - 1], &places[i]))
            form->places[form->n_places++] = places[i].place;
        form->steps[places[i].node].place = (uint32_t)form->n_places;
    }
    return true;
}

static uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static void make_step(const struct fm_path_node *nodes, size_t i, struct predictor *predictor,
                      struct fm_path_record *steps)
{
    struct fm_path_record *step = &steps[i];
    step->kind = nodes[i].kind;
    step->routine = nodes[i].routine;
    step->has_own = nodes[i].own.ranks != 0;
    for (; predictor->path[predictor->depth] > nodes[i].parent; predictor->depth--)
        step->up++;
    if (has_place(step->kind))
        step->offset = zigzag(nodes[i].site.offset - nodes[reference_node(predictor, steps, step->place)].site.offset);
    advance(predictor, steps, i);
}

static struct fm_path_figures figures_of(const struct fm_path_cost *cost, bool with_sum)
{
    bool several = cost->ranks > 1;
    return (struct fm_path_figures){
        .more_ranks = cost->ranks - 1,
        .sum_ns = with_sum ? cost->sum_ns : 0,
        .rest_ns = cost->sum_ns - cost->max_ns,
        .gap_ns = cost->max_ns - cost->min_ns,
        .squares = {several ? cost->squares[0] : 0, several ? cost->squares[1] : 0},
        .max_rank = cost->max_rank,
        .rank_distance = (int32_t)(cost->min_rank - cost->max_rank),
    };
}

static bool make_figures(const struct fm_call_paths *paths, struct fm_arena *arena, struct fm_path_form *form)
{
    uint32_t *parts = fm_arena_alloc(arena, paths->n * sizeof *parts);
    uint32_t *parents = fm_arena_alloc(arena, paths->n * sizeof *parents);
    form->figures = fm_arena_alloc(arena, 2 * paths->n * sizeof *form->figures);
    if (!parts || !parents || !form->figures)
        return false;
    for (size_t i = 0; i < paths->n; i++)
        parents[i] = paths->nodes[i].parent;
    count_parts(form->steps, paths->n, parents, parts);
    for (size_t i = 0; i < paths->n; i++)
        if (paths->nodes[i].own.ranks)
            form->figures[form->n_figures++] = figures_of(&paths->nodes[i].own, true);
    for (size_t i = 0; i < paths->n; i++)
        if (parts[i] > 1)
            form->figures[form->n_figures++] = figures_of(&paths->nodes[i].all, false);
    return true;
}

bool fm_path_form_make(const struct fm_call_paths *paths, struct fm_arena *arena, struct fm_path_form *form)
{
    *form = (struct fm_path_form){.n = paths->n};
    form->steps = fm_arena_alloc(arena, paths->n * sizeof *form->steps);
    if (!form->steps || !make_places(paths, arena, form))
        return false;
    struct predictor predictor = {.last = fm_arena_alloc(arena, (form->n_places + 1) * sizeof *predictor.last)};
    if (!predictor.last)
        return false;
    for (size_t i = 0; i < paths->n; i++)
        make_step(paths->nodes, i, &predictor, form->steps);
    return make_figures(paths, arena, form);
}

/* ---- reading ---- */

static const char *check_step(const struct fm_path_form *form, size_t i, size_t depth)
{
    const struct fm_path_record *step = &form->steps[i];
    if (step->up > depth)
        return "call paths out of order";
    if (step->place > form->n_places || (step->place && !has_place(step->kind)))
        return "a call path refers to a missing load module";
    return depth - step->up + (i > 0) > FM_CALL_PATHS_DEPTH ? "call paths too deep" : NULL;
}

size_t fm_path_form_count(const struct fm_path_form *form, const char **wrong)
{
    uint32_t parts[FM_CALL_PATHS_DEPTH + 1] = {0}; /* of the nodes on the path to this one */
    size_t depth = 0, n = 0;
    for (size_t i = 0; i < form->n && !*wrong; i++) {
        const struct fm_path_record *step = &form->steps[i];
        *wrong = check_step(form, i, depth);
        if (*wrong)
            return 0;
        depth -= step->up;
        if (i)
            n += ++parts[depth++] == 2;
        parts[depth] = step->has_own != 0;
        n += step->has_own != 0;
    }
    return n;
}

static void read_step(const struct fm_path_form *form, size_t i, struct predictor *predictor,
                      struct fm_path_node *nodes)
{
    const struct fm_path_record *step = &form->steps[i];
    struct fm_path_node *node = &nodes[i];
    predictor->depth -= step->up;
    node->parent = predictor->path[predictor->depth];
    node->kind = step->kind;
    node->routine = step->routine;
    node->site = (struct fm_site){"", "", 0};
    if (has_place(step->kind)) {
        uint64_t difference = step->offset >> 1 ^ (0 - (step->offset & 1));
        node->site.offset = nodes[reference_node(predictor, form->steps, step->place)].site.offset + difference;
    }
    if (step->place) {
        node->site.module = form->places[step->place - 1].module;
        node->site.build_id = form->places[step->place - 1].build_id;
    }
    advance(predictor, form->steps, i);
}

static struct fm_path_cost cost_of(const struct fm_path_figures *figures, uint64_t sum_ns)
{
    if (!figures->more_ranks)
        return fm_path_cost_of(sum_ns, figures->max_rank);
    return (struct fm_path_cost){
        .sum_ns = sum_ns,
        .squares = {figures->squares[0], figures->squares[1]},
        .max_ns = sum_ns - figures->rest_ns,
        .min_ns = sum_ns - figures->rest_ns - figures->gap_ns,
        .max_rank = figures->max_rank,
        .min_rank = figures->max_rank + (uint32_t)figures->rank_distance,
        .ranks = figures->more_ranks + 1,
    };
}

/* Computes the inclusive costs; the exclusive ones must be set. From the last node to the first, so children come
 * before their parents. */
static void read_all(const struct fm_path_form *form, const struct fm_path_figures *figures, const uint32_t *parts,
                     struct fm_path_node *nodes)
{
    for (size_t i = form->n; i-- > 0;) {
        struct fm_path_node *node = &nodes[i], *parent = &nodes[node->parent];
        uint64_t sum = fm_sum(node->all.sum_ns, node->own.sum_ns); /* all.sum_ns: sum over its children */
        if (parts[i] > 1)
            node->all = cost_of(--figures, sum);
        else if (node->own.ranks)
            node->all = node->own;
        if (!i)
            return;
        if (parts[node->parent] > 1)
            fm_add_saturating(&parent->all.sum_ns, node->all.sum_ns);
        else
            parent->all = node->all;
    }
}

bool fm_path_form_read(const struct fm_path_form *form, struct fm_arena *arena, struct fm_path_node *nodes)
{
    struct predictor predictor = {.last = fm_arena_alloc(arena, (form->n_places + 1) * sizeof *predictor.last)};
    uint32_t *parts = fm_arena_alloc(arena, form->n * sizeof *parts);
    uint32_t *parents = fm_arena_alloc(arena, form->n * sizeof *parents);
    const struct fm_path_figures *figures = form->figures;
    if (!predictor.last || !parts || !parents)
        return false;
    for (size_t i = 0; i < form->n; i++) {
        read_step(form, i, &predictor, nodes);
        parents[i] = nodes[i].parent;
        if (form->steps[i].has_own) {
            nodes[i].own = cost_of(figures, figures->sum_ns);
            figures++;
        }
    }
    count_parts(form->steps, form->n, parents, parts);
    read_all(form, form->figures + form->n_figures, parts, nodes);
    return true;
}
