/* SPDX-License-Identifier: BSD-3-Clause */
/* The database that a command of `fathom site` works on: --store, else FATHOM_STORE, else `database` of the
 * configuration. */
#ifndef FM_CLI_SITE_STORE_H
#define FM_CLI_SITE_STORE_H

#include "site/config/config.h"
#include "site/store/store.h"

struct fm_site_store {
    struct fm_site_config config; /* to be destroyed */
    struct fm_store *store;
    const char *address; /* valid as long as the configuration */
};

/* The configuration and the address alone. */
enum fm_status fm_site_store_find(struct fm_site_store *site, const char *config, const char *store,
                                  struct fm_error *error);
enum fm_status fm_site_store_open(struct fm_site_store *site, const char *config, const char *store,
                                  enum fm_db_access access, struct fm_error *error);
void fm_site_store_close(struct fm_site_store *site);

#endif
