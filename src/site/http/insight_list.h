/* SPDX-License-Identifier: BSD-3-Clause */
/* Insights as a list of an answer. */
#ifndef FM_SITE_HTTP_INSIGHT_LIST_H
#define FM_SITE_HTTP_INSIGHT_LIST_H

#include "site/http/answers.h"
#include "site/insights/insight.h"

/* The array `insights`. */
void fm_site_write_insights(struct fm_json *json, const struct fm_insight_list *list);

#endif
