/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/http/tag_rules.h"

#include <string.h>

#include "site/http/parameters.h"
#include "site/store/tags.h"

static enum fm_status read_word(struct fm_site_tag_rule *rule, char *word, struct fm_error *error)
{
    bool known = false;
    char *equals = strchr(word, '=');
    if (!equals || !equals[1])
        return fm_fail(error, FM_ERR_INPUT, "tag %s: '%.60s' is not word=value", rule->tag, word);
    *equals = 0;
    const char *wrong = strcmp(word, "host") == 0 ? NULL : fm_site_filter_set(&rule->filter, word, equals + 1, &known);
    if (wrong)
        return fm_fail(error, FM_ERR_INPUT, "tag %s: %s", rule->tag, wrong);
    return known ? FM_OK
                 : fm_fail(error, FM_ERR_INPUT, "tag %s: '%.60s' is not a word for tags by rule", rule->tag, word);
}

static enum fm_status read_line(struct fm_site_tag_rules *rules, char *line, struct fm_error *error)
{
    char *colon = strchr(line, ':'), *rest;
    if (!colon)
        return fm_fail(error, FM_ERR_INPUT, "tag must be 'NAME: word=value ...', not '%.60s'", line);
    *colon = 0;
    if (!fm_tag_is_valid(line))
        return fm_fail(error, FM_ERR_INPUT, "'%.60s' is not the name of a tag", line);
    if (rules->n == FM_SITE_TAG_RULES)
        return fm_fail(error, FM_ERR_INPUT, "there are more than %d tags by rule", FM_SITE_TAG_RULES);
    struct fm_site_tag_rule *rule = &rules->items[rules->n++];
    *rule = (struct fm_site_tag_rule){.tag = line, .filter = FM_JOBS_ALL};
    enum fm_status status = FM_OK;
    size_t words = 0;
    for (char *word = strtok_r(colon + 1, " \t", &rest); word && !status; word = strtok_r(NULL, " \t", &rest), words++)
        status = read_word(rule, word, error);
    return status || words ? status : fm_fail(error, FM_ERR_INPUT, "tag %s says nothing about jobs", line);
}

enum fm_status fm_site_tag_rules_read(struct fm_site_tag_rules *rules, const char *lines, struct fm_error *error)
{
    char *rest;
    *rules = (struct fm_site_tag_rules){0};
    char *copy = fm_arena_strndup(&rules->arena, lines, strlen(lines));
    enum fm_status status = copy ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the tags");
    for (char *line = copy ? strtok_r(copy, "\n", &rest) : NULL; line && !status; line = strtok_r(NULL, "\n", &rest))
        status = read_line(rules, line, error);
    if (status)
        fm_site_tag_rules_close(rules);
    return status;
}

void fm_site_tag_rules_close(struct fm_site_tag_rules *rules)
{
    fm_arena_destroy(&rules->arena);
    *rules = (struct fm_site_tag_rules){0};
}

const struct fm_jobs_filter *fm_site_tag_rule(const struct fm_site_tag_rules *rules, const char *tag)
{
    for (size_t i = 0; i < rules->n; i++)
        if (strcmp(rules->items[i].tag, tag) == 0)
            return &rules->items[i].filter;
    return NULL;
}
