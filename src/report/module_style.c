/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/module_style.h"

#include <string.h>

#include "base/crc.h"
#include "model/order.h"
#include "render/chart.h"

/* ---- priority ---- */

static bool is_rare(const struct fm_styled_module *module)
{
    return module->rare && !module->place;
}

/* In the order of the file. Without a file by name and not by cost, rare ones last, so that two runs look the same. */
static bool precedes(const struct fm_styled_module *a, const struct fm_styled_module *b)
{
    if (a->place != b->place)
        return a->place && (!b->place || a->place < b->place);
    return is_rare(a) != is_rare(b) ? is_rare(b) : fm_compare_text(a->name, b->name) < 0;
}

/* Lists at most `max` modules: the first ones of the file, or those with most cost. Rare ones are from *first_rare
 * on. */
static size_t list_by_priority(const struct fm_styled_module *modules, size_t n, size_t max, uint32_t *order,
                               size_t *first_rare)
{
    size_t listed = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (listed == max && !(modules[i].place && precedes(&modules[i], &modules[order[listed - 1]])))
            continue;
        size_t at = listed < max ? listed++ : listed - 1;
        for (; at > 0 && precedes(&modules[i], &modules[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    *first_rare = 0;
    while (*first_rare < listed && !is_rare(&modules[order[*first_rare]]))
        ++*first_rare;
    return listed;
}

/* ---- letters ---- */

static char capital(char c)
{
    return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

static bool is_letter(char c)
{
    return c >= 'A' && c <= 'Z';
}

static char first_letter(const char *name)
{
    while (*name && !is_letter(capital(*name)))
        name++;
    return capital(*name);
}

/* The first letter of its name that is free, or the first free one of the alphabet. */
static char letter_for(const char *name, const char *letters, size_t n)
{
    for (; *name; name++)
        if (is_letter(capital(*name)) && !memchr(letters, capital(*name), n))
            return capital(*name);
    char letter = 'A';
    while (memchr(letters, letter, n))
        letter++;
    return letter;
}

static void assign_letters(const struct fm_styled_module *modules, size_t n, const uint32_t *order, size_t n_order,
                           char *letters)
{
    for (size_t i = 0; i < n_order; i++) {
        char first = first_letter(modules[order[i]].name);
        if (first && !memchr(letters, first, n))
            letters[order[i]] = first;
    }
    for (size_t i = 0; i < n_order; i++)
        if (letters[order[i]] == FM_MODULE_OTHER)
            letters[order[i]] = letter_for(modules[order[i]].name, letters, n);
}

void fm_module_letters(const struct fm_styled_module *modules, size_t n, char *letters)
{
    uint32_t order[FM_MODULE_LETTERS];
    size_t first_rare, n_order = list_by_priority(modules, n, FM_MODULE_LETTERS, order, &first_rare);
    memset(letters, FM_MODULE_OTHER, n);
    assign_letters(modules, n, order, first_rare, letters);
    assign_letters(modules, n, order + first_rare, n_order - first_rare, letters);
}

/* ---- colours ---- */

enum { OWN_COLOURS = FM_CHART_COLOURS - 1 };

static unsigned preferred_colour(const char *name)
{
    return (unsigned)(fm_crc64(name, strlen(name)) % OWN_COLOURS);
}

static void assign_colours(const struct fm_styled_module *modules, const uint32_t *order, size_t n, bool *taken,
                           unsigned *colours)
{
    for (size_t i = 0; i < n; i++) {
        unsigned preferred = preferred_colour(modules[order[i]].name);
        colours[order[i]] = taken[preferred] ? OWN_COLOURS : preferred;
        taken[preferred] = true;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned colour = preferred_colour(modules[order[i]].name);
        if (colours[order[i]] != OWN_COLOURS)
            continue;
        while (taken[colour])
            colour = (colour + 1) % OWN_COLOURS;
        taken[colour] = true;
        colours[order[i]] = colour;
    }
}

void fm_module_colours(const struct fm_styled_module *modules, size_t n, unsigned *colours)
{
    uint32_t order[OWN_COLOURS];
    bool taken[OWN_COLOURS] = {false};
    size_t first_rare, n_order = list_by_priority(modules, n, OWN_COLOURS, order, &first_rare);
    for (size_t i = 0; i < n; i++)
        colours[i] = OWN_COLOURS;
    assign_colours(modules, order, first_rare, taken, colours);
    assign_colours(modules, order + first_rare, n_order - first_rare, taken, colours);
}
