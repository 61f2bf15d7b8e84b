/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/site_store.h"

#include <stdlib.h>

enum fm_status fm_site_store_find(struct fm_site_store *site, const char *config, const char *store,
                                  struct fm_error *error)
{
    const char *environment = getenv("FATHOM_STORE");
    site->store = NULL;
    enum fm_status status = fm_site_config_read(&site->config, config, error);
    if (status)
        return status;
    site->address = store ? store : environment && *environment ? environment : site->config.database;
    return FM_OK;
}

enum fm_status fm_site_store_open(struct fm_site_store *site, const char *config, const char *store,
                                  enum fm_db_access access, struct fm_error *error)
{
    enum fm_status status = fm_site_store_find(site, config, store, error);
    if (status)
        return status;
    status = fm_store_open(&site->store, site->address, access, error);
    if (status)
        fm_site_config_destroy(&site->config);
    return status;
}

void fm_site_store_close(struct fm_site_store *site)
{
    fm_store_close(site->store);
    fm_site_config_destroy(&site->config);
}
