/* Pictures: how trees are laid out, that names cannot break out of XML or DOT, and colours that grey eyes can tell apart.
 * That real tools read them is told in tests/jobs/modules_test.py. */
#include "render/graph.h"

#include <stdlib.h>
#include <string.h>

#include "render/tree_layout.h"
#include "render/xml.h"
#include "tap.h"

static struct fm_arena arena;

/* ---- layout ---- */

static bool apart(const struct fm_tree_position *places, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (places[i].depth == places[k].depth && places[i].row - places[k].row < 0.999 &&
                places[k].row - places[i].row < 0.999)
                return false;
    return true;
}

static bool parents_in_the_middle(const uint32_t *parents, const struct fm_tree_position *places, size_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        double first = -1, last = -1;
        for (uint32_t k = i + 1; k < n; k++) {
            if (parents[k] != i)
                continue;
            if (last >= 0 && places[k].row <= last)
                return false; /* not in order */
            first = first < 0 ? places[k].row : first;
            last = places[k].row;
        }
        double off = places[i].row - (first + last) / 2;
        if (first >= 0 && (off > 1e-6 || off < -1e-6))
            return false;
    }
    return true;
}

static void random_trees(void)
{
    enum { NODES = 60, TREES = 200 };
    bool good = true, middle = true, inside = true;
    unsigned seed = 1;
    for (int t = 0; t < TREES; t++) {
        uint32_t parents[NODES];
        for (uint32_t i = 0; i < NODES; i++) {
            int r = rand_r(&seed);
            parents[i] = i == 0 || r % 20 == 0 ? UINT32_MAX : (uint32_t)(r / 20) % i;
        }
        struct fm_tree_position *places = fm_tree_layout(parents, NODES, &arena);
        double top = 1e9;
        for (size_t i = 0; i < NODES; i++)
            top = places[i].row < top ? places[i].row : top;
        inside &= top > -1e-6 && top < 1e-6;
        good &= apart(places, NODES);
        middle &= parents_in_the_middle(parents, places, NODES);
    }
    tap_ok(good, "nodes of random trees stand a row apart");
    tap_ok(middle, "parents in the middle of their children, children in order");
    tap_ok(inside, "and the uppermost in row 0");
}

static void small_trees(void)
{
    const uint32_t parents[] = {UINT32_MAX, 0, 1, 1, 1, 0, 5};
    struct fm_tree_position *places = fm_tree_layout(parents, 7, &arena);
    tap_ok(places[6].depth == 2 && places[6].row == 3 && places[5].row == 3 && places[1].row == 1 && places[0].row == 2,
           "subtrees are as close as they can be");
    enum { DEEP = 5000 };
    static uint32_t chain[DEEP];
    for (uint32_t i = 0; i < DEEP; i++)
        chain[i] = i - 1;
    places = fm_tree_layout(chain, DEEP, &arena);
    tap_ok(places && places[DEEP - 1].depth == DEEP - 1 && places[DEEP - 1].row == 0, "a chain is a line");
    tap_ok(fm_tree_layout(chain, 0, &arena) != NULL, "nothing is fine");
}

/* ---- names ---- */

static char *written(bool svg, const struct fm_graph *graph)
{
    char *text = NULL;
    size_t size;
    struct fm_error error;
    FILE *out = open_memstream(&text, &size);
    if (svg ? fm_graph_svg(graph, &arena, out, &error) : fm_graph_dot(graph, out))
        abort();
    fclose(out);
    return text;
}

static void hostile_names(void)
{
    struct fm_graph_node nodes[] = {
        {.parent = FM_GRAPH_NONE, .name = "a<b>&\"'c", .cost = "50 %", .title = "</title>\nx\x01\xff", .share = 1},
        {.parent = 0, .name = "operator\"\\", .cost = "", .title = "", .share = 0.5, .waiting = 0.25},
    };
    const struct fm_graph graph = {.title = "<svg>", .foot = "", .nodes = nodes, .n = 2};
    char *svg = written(true, &graph), *dot = written(false, &graph);
    tap_ok(strstr(svg, "a&#60;b&#62;&#38;&#34;&#39;c") && strstr(svg, "&#60;/title&#62;&#10;x&#xfffd;&#xfffd;") &&
               !strstr(svg, "<svg>"),
           "SVG: names cannot break out");
    tap_ok(strstr(dot, "operator\\\"\\\\\"") && strstr(dot, "x\xef\xbf\xbd\xef\xbf\xbd\""), "DOT: nor there");
    tap_ok(strstr(svg, "stroke=\"#d55e00\" stroke-width=\"3.3\""),
           "the way to what waits is highlighted, by how much it is");
    free(svg);
    free(dot);
}

static void colours(void)
{
    unsigned last = 3000;
    bool darker = true;
    for (int i = 0; i <= 100; i++) {
        struct fm_colour colour = fm_share_colour(i / 100.0);
        unsigned light = 3u * colour.red + 6u * colour.green + colour.blue;
        darker &= light < last || i == 0;
        last = light;
    }
    tap_ok(darker, "more is darker, in grey as well");
    tap_ok(!fm_colour_is_dark(fm_share_colour(0.1)) && fm_colour_is_dark(fm_share_colour(0.9)), "text stands out");
}

int main(void)
{
    small_trees();
    random_trees();
    hostile_names();
    colours();
    fm_arena_destroy(&arena);
    return tap_done();
}
