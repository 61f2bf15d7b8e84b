/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix of communication as tiles of several levels, as maps have them: in level 0 a cell is a pair of ranks, in
 * each further level a cell is the sum of 2 x 2 cells of the level before. Everything is sparse: only cells with
 * messages and tiles with cells are kept, so that the number of pairs determines the memory, not the number of ranks. */
#include "analyse/balance/topology.h"

#include "base/saturate.h"
#include "base/sort.h"
#include "pages/slice_kinds.h"
#include "report/json_parts.h"
#include "report/report_json.h"

enum { TILE = 256, TILE_BITS = 8, MAX_LEVELS = 32 - TILE_BITS + 1 };

/* Sorted by `place`: row of the tile, column of the tile, row in it, column in it. */
struct cell {
    uint64_t place;
    uint64_t messages, bytes, send_ns, receive_ns, pairs;
};

struct tile {
    uint32_t row, column;
    size_t first, n; /* of its cells */
};

struct level {
    struct cell *cells;
    struct tile *tiles;
    size_t n_cells, n_tiles;
    uint64_t max_messages, max_bytes, max_ns; /* of a cell */
};

struct fm_slice_tiles {
    struct fm_topology topology;
    uint64_t ranks, time_ns;
    size_t n_levels;
    struct level levels[MAX_LEVELS];
};

/* ---- construction ---- */

static uint64_t place_of(uint32_t row, uint32_t column)
{
    uint64_t tile = (uint64_t)(row >> TILE_BITS) << 24 | column >> TILE_BITS;
    return tile << 16 | (uint64_t)(row % TILE) << TILE_BITS | column % TILE;
}

static uint32_t row_of(uint64_t place)
{
    return (uint32_t)(place >> 40) << TILE_BITS | (uint32_t)(place >> TILE_BITS) % TILE;
}

static uint32_t column_of(uint64_t place)
{
    return (uint32_t)(place >> 16 & 0xffffff) << TILE_BITS | (uint32_t)place % TILE;
}

static int compare_cells(const void *a, const void *b)
{
    uint64_t x = ((const struct cell *)a)->place, y = ((const struct cell *)b)->place;
    return (x > y) - (x < y);
}

/* Adds up cells at the same place. */
static void join_cells(struct level *level)
{
    size_t n = 0;
    for (size_t i = 0; i < level->n_cells; i++) {
        const struct cell *cell = &level->cells[i];
        struct cell *into = n ? &level->cells[n - 1] : NULL;
        if (!into || into->place != cell->place) {
            level->cells[n++] = *cell;
            continue;
        }
        fm_add_saturating(&into->messages, cell->messages);
        fm_add_saturating(&into->bytes, cell->bytes);
        fm_add_saturating(&into->send_ns, cell->send_ns);
        fm_add_saturating(&into->receive_ns, cell->receive_ns);
        into->pairs += cell->pairs;
    }
    level->n_cells = n;
}

static void raise(uint64_t *most, uint64_t value)
{
    *most = value > *most ? value : *most;
}

static bool find_tiles(struct level *level, struct fm_arena *arena)
{
    for (size_t i = 0; i < level->n_cells; i++)
        level->n_tiles += !i || level->cells[i].place >> 16 != level->cells[i - 1].place >> 16;
    level->tiles = fm_arena_alloc(arena, level->n_tiles * sizeof *level->tiles);
    if (!level->tiles)
        return false;
    struct tile *tile = level->tiles - 1;
    for (size_t i = 0; i < level->n_cells; i++) {
        const struct cell *cell = &level->cells[i];
        if (!i || cell->place >> 16 != cell[-1].place >> 16)
            *++tile = (struct tile){row_of(cell->place) >> TILE_BITS, column_of(cell->place) >> TILE_BITS, i, 0};
        tile->n++;
        raise(&level->max_messages, cell->messages);
        raise(&level->max_bytes, cell->bytes);
        raise(&level->max_ns, fm_sum(cell->send_ns, cell->receive_ns));
    }
    return true;
}

/* Makes a level of cells that are in any order, in `unsorted`, which is changed. */
static bool make_level(struct level *level, struct cell *unsorted, size_t n, struct fm_arena *arena,
                       struct fm_arena *scratch)
{
    *level = (struct level){.cells = unsorted, .n_cells = n};
    if (!fm_sort(unsorted, n, sizeof *unsorted, compare_cells, scratch))
        return false;
    join_cells(level);
    level->cells = fm_arena_alloc(arena, level->n_cells * sizeof *level->cells);
    if (!level->cells)
        return false;
    for (size_t i = 0; i < level->n_cells; i++)
        level->cells[i] = unsorted[i];
    return find_tiles(level, arena);
}

static bool make_levels(struct fm_slice_tiles *tiles, struct fm_arena *arena, struct fm_arena *scratch)
{
    const struct fm_topology *topology = &tiles->topology;
    struct cell *cells = fm_arena_alloc(scratch, topology->n * sizeof *cells);
    if (!cells)
        return false;
    for (size_t i = 0; i < topology->n; i++) {
        const struct fm_pair *pair = &topology->pairs[i];
        cells[i] = (struct cell){
            place_of(pair->from, pair->to), pair->messages, pair->bytes, pair->send_ns, pair->receive_ns, 1};
        fm_add_saturating(&tiles->time_ns, fm_sum(pair->send_ns, pair->receive_ns));
        raise(&tiles->ranks, (uint64_t)(pair->from > pair->to ? pair->from : pair->to) + 1);
    }
    for (tiles->n_levels = 1; (uint64_t)TILE << (tiles->n_levels - 1) < tiles->ranks; tiles->n_levels++)
        ;
    size_t n = topology->n;
    for (size_t l = 0; l < tiles->n_levels; l++) {
        const struct level *level = &tiles->levels[l];
        struct fm_arena sorting = {0};
        bool made = make_level(&tiles->levels[l], cells, n, arena, &sorting);
        fm_arena_destroy(&sorting);
        if (!made)
            return false;
        n = level->n_cells;
        for (size_t i = 0; i < n; i++) {
            cells[i] = level->cells[i];
            cells[i].place = place_of(row_of(cells[i].place) >> 1, column_of(cells[i].place) >> 1);
        }
    }
    return true;
}

static enum fm_status find_all_tiles(struct fm_slices *slices, struct fm_error *error)
{
    struct fm_report *report = slices->report;
    struct fm_arena scratch = {0};
    if (slices->tiles)
        return FM_OK;
    struct fm_slice_tiles *tiles = fm_arena_alloc(&report->arena, sizeof *tiles);
    if (!tiles)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the pairs of ranks");
    enum fm_status status = fm_topology_find(report->profile, &report->arena, &tiles->topology, error);
    if (status)
        return status;
    tiles->ranks = report->profile->job.ranks;
    if (make_levels(tiles, &report->arena, &scratch))
        slices->tiles = tiles;
    fm_arena_destroy(&scratch);
    return slices->tiles ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the pairs of ranks");
}

/* ---- slices ---- */

static void write_maxima(const struct fm_slice_tiles *tiles, struct fm_json *json)
{
    fm_json_object(json, "max", FM_JSON_INLINE);
    fm_json_array(json, "bytes", FM_JSON_INLINE);
    for (size_t l = 0; l < tiles->n_levels; l++)
        fm_json_whole(json, NULL, tiles->levels[l].max_bytes);
    fm_json_end(json);
    fm_json_array(json, "messages", FM_JSON_INLINE);
    for (size_t l = 0; l < tiles->n_levels; l++)
        fm_json_whole(json, NULL, tiles->levels[l].max_messages);
    fm_json_end(json);
    fm_json_array(json, "time_ns", FM_JSON_INLINE);
    for (size_t l = 0; l < tiles->n_levels; l++)
        fm_json_whole(json, NULL, tiles->levels[l].max_ns);
    fm_json_end(json);
    fm_json_end(json);
}

static void write_tile_list(const struct fm_slice_tiles *tiles, struct fm_json *json)
{
    fm_json_array(json, "tiles", FM_JSON_INLINE);
    for (size_t l = 0; l < tiles->n_levels; l++) {
        fm_json_array(json, NULL, FM_JSON_INLINE);
        for (size_t i = 0; i < tiles->levels[l].n_tiles; i++) {
            fm_json_array(json, NULL, FM_JSON_INLINE);
            fm_json_whole(json, NULL, tiles->levels[l].tiles[i].row);
            fm_json_whole(json, NULL, tiles->levels[l].tiles[i].column);
            fm_json_end(json);
        }
        fm_json_end(json);
    }
    fm_json_end(json);
}

static enum fm_status write_overview(struct fm_slices *slices, FILE *out, struct fm_error *error)
{
    const struct fm_slice_tiles *tiles = slices->tiles;
    const struct fm_topology *topology = &tiles->topology;
    struct fm_json json = {.out = out};
    fm_json_object(&json, NULL, FM_JSON_INLINE);
    fm_json_whole(&json, "fathom", FM_JSON_VERSION);
    fm_json_whole(&json, "ranks", tiles->ranks);
    fm_json_whole(&json, "levels", tiles->n_levels);
    fm_json_whole(&json, "tile", TILE);
    fm_json_whole(&json, "pairs", topology->n);
    fm_json_object(&json, "left_out", FM_JSON_INLINE);
    fm_json_whole(&json, "pairs", topology->dropped);
    fm_json_whole(&json, "messages", topology->dropped_messages);
    fm_json_whole(&json, "bytes", topology->dropped_bytes);
    fm_json_end(&json);
    write_maxima(tiles, &json);
    fm_json_object(&json, "totals", FM_JSON_INLINE);
    fm_json_whole(&json, "messages", topology->messages);
    fm_json_whole(&json, "bytes", topology->bytes);
    fm_json_whole(&json, "time_ns", tiles->time_ns);
    fm_json_end(&json);
    write_tile_list(tiles, &json);
    enum fm_status status = fm_json_program_pairs(slices->report, &json, "programs", topology, error);
    if (!status)
        fm_json_end(&json);
    return status;
}

static void write_cells(const struct level *level, const struct tile *tile, const char *key, size_t offset,
                        struct fm_json *json)
{
    fm_json_array(json, key, FM_JSON_INLINE);
    for (size_t i = tile->first; i < tile->first + tile->n; i++)
        fm_json_whole(json, NULL, *(const uint64_t *)(const void *)((const char *)&level->cells[i] + offset));
    fm_json_end(json);
}

static void write_tile(const struct level *level, size_t number, const struct tile *tile, FILE *out)
{
    struct fm_json json = {.out = out};
    fm_json_object(&json, NULL, FM_JSON_INLINE);
    fm_json_whole(&json, "fathom", FM_JSON_VERSION);
    fm_json_whole(&json, "level", number);
    fm_json_whole(&json, "row", tile->row);
    fm_json_whole(&json, "column", tile->column);
    fm_json_array(&json, "cells", FM_JSON_INLINE);
    for (size_t i = tile->first; i < tile->first + tile->n; i++)
        fm_json_whole(&json, NULL, level->cells[i].place & 0xffff);
    fm_json_end(&json);
    write_cells(level, tile, "messages", offsetof(struct cell, messages), &json);
    write_cells(level, tile, "bytes", offsetof(struct cell, bytes), &json);
    write_cells(level, tile, "send_ns", offsetof(struct cell, send_ns), &json);
    write_cells(level, tile, "receive_ns", offsetof(struct cell, receive_ns), &json);
    write_cells(level, tile, "pairs", offsetof(struct cell, pairs), &json);
    fm_json_end(&json);
}

/* NULL: it has no cells, or is outside the matrix. */
static const struct tile *find_tile(const struct level *level, uint32_t row, uint32_t column)
{
    size_t low = 0, high = level->n_tiles;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct tile *tile = &level->tiles[middle];
        if (tile->row < row || (tile->row == row && tile->column < column))
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < level->n_tiles && level->tiles[low].row == row && level->tiles[low].column == column;
    return found ? &level->tiles[low] : NULL;
}

enum fm_status fm_slice_topology(struct fm_slices *slices, const char *rest, FILE *out, struct fm_error *error)
{
    uint32_t numbers[3] = {0};
    if (*rest && !fm_slice_numbers(rest, numbers, 3))
        return fm_no_slice(error);
    enum fm_status status = find_all_tiles(slices, error);
    if (status)
        return status;
    if (!*rest)
        return write_overview(slices, out, error);
    const struct level *level = numbers[0] < slices->tiles->n_levels ? &slices->tiles->levels[numbers[0]] : NULL;
    const struct tile *tile = level ? find_tile(level, numbers[1], numbers[2]) : NULL;
    if (!tile)
        return fm_no_slice(error);
    write_tile(level, numbers[0], tile, out);
    return FM_OK;
}

enum fm_status fm_slice_topology_visit(struct fm_slices *slices, fm_slice_visit visit, void *context,
                                       struct fm_error *error)
{
    enum fm_status status = find_all_tiles(slices, error);
    if (!status)
        status = visit(context, "topology", error);
    for (size_t l = 0; !status && l < slices->tiles->n_levels; l++) {
        const struct level *level = &slices->tiles->levels[l];
        for (size_t i = 0; !status && i < level->n_tiles; i++) {
            char name[64];
            snprintf(name, sizeof name, "topology/%zu/%u/%u", l, level->tiles[i].row, level->tiles[i].column);
            status = visit(context, name, error);
        }
    }
    return status;
}
