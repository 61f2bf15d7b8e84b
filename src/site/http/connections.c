/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/http/connections.h"

static size_t kind_of(enum fm_db_access access)
{
    return access == FM_DB_READ ? 0 : 1;
}

void fm_site_connections_open(struct fm_site_connections *connections, const char *address, double seconds)
{
    *connections = (struct fm_site_connections){.address = address, .seconds = seconds};
    pthread_mutex_init(&connections->lock, NULL);
}

static void close_idle(struct fm_site_connections *connections)
{
    for (size_t kind = 0; kind < 2; kind++)
        while (connections->n_idle[kind])
            fm_store_close(connections->idle[kind][--connections->n_idle[kind]]);
}

void fm_site_connections_close(struct fm_site_connections *connections)
{
    close_idle(connections);
    pthread_mutex_destroy(&connections->lock);
}

enum fm_status fm_site_connection_take(struct fm_site_connections *connections, enum fm_db_access access,
                                       struct fm_store **store, bool *used, struct fm_error *error)
{
    size_t kind = kind_of(access);
    *store = NULL;
    pthread_mutex_lock(&connections->lock);
    if (connections->n_idle[kind])
        *store = connections->idle[kind][--connections->n_idle[kind]];
    pthread_mutex_unlock(&connections->lock);
    *used = *store;
    if (*store)
        return FM_OK;
    enum fm_status status = fm_store_open(store, connections->address, access, error);
    if (!status && (status = fm_db_limit(fm_store_db(*store), connections->seconds, error))) {
        fm_store_close(*store);
        *store = NULL;
    }
    return status;
}

void fm_site_connection_give(struct fm_site_connections *connections, struct fm_store *store, bool broken)
{
    size_t kind = kind_of(fm_db_access(fm_store_db(store)));
    fm_db_rollback(fm_store_db(store));
    pthread_mutex_lock(&connections->lock);
    if (broken)
        close_idle(connections);
    if (!broken && connections->n_idle[kind] < FM_SITE_CONNECTIONS) {
        connections->idle[kind][connections->n_idle[kind]++] = store;
        store = NULL;
    }
    pthread_mutex_unlock(&connections->lock);
    fm_store_close(store);
}
