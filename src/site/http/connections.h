/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections to the database: those that nobody uses wait here. A database that has gone away and comes back is found
 * again by the next request. Any thread may take and give. */
#ifndef FM_SITE_HTTP_CONNECTIONS_H
#define FM_SITE_HTTP_CONNECTIONS_H

#include <pthread.h>

#include "site/store/store.h"

enum { FM_SITE_CONNECTIONS = 8 };

struct fm_site_connections {
    pthread_mutex_t lock;
    const char *address;
    double seconds;                                /* that a statement may take; 0: no limit */
    struct fm_store *idle[2][FM_SITE_CONNECTIONS]; /* for reading, for writing */
    size_t n_idle[2];
};

void fm_site_connections_open(struct fm_site_connections *connections, const char *address, double seconds);
void fm_site_connections_close(struct fm_site_connections *connections);

/* *used tells whether it was there already: then an error may only mean that the database was restarted since. */
enum fm_status fm_site_connection_take(struct fm_site_connections *connections, enum fm_db_access access,
                                       struct fm_store **store, bool *used, struct fm_error *error);
/* broken: it is closed, and so are all that wait. */
void fm_site_connection_give(struct fm_site_connections *connections, struct fm_store *store, bool broken);

#endif
