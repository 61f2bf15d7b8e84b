/* SPDX-License-Identifier: BSD-3-Clause */
/* What a server serves: who may ask, what there is at an address, and how it is made. Everything else is the same for all
 * services: connections and their limits (clients.h), headers and requests (handler.h), tasks (tasks.h), the cache.
 *
 * A service is the first member of a struct of its own, which has what its functions need. `tasks.lock` protects it, except
 * for what never changes while the server runs. */
#ifndef FM_HTTP_SERVICE_H
#define FM_HTTP_SERVICE_H

#include <microhttpd.h>
#include <netinet/in.h>
#include <stdatomic.h>

#include "http/cache.h"
#include "http/clients.h"
#include "http/listen.h"
#include "http/tasks.h"

struct fm_service;

struct fm_service_functions {
    /* A connection to a port, by the thread that talks to clients; false: nobody listens to it. */
    bool (*welcomes)(const struct fm_service *service, const struct sockaddr_in *peer);
    /* A connection that has begun: how many the client may have at a time; 0: no limit. peer: NULL for a unix socket; `user` and
     * `address` of the client are set as far as they are known. Those that are too many are closed. NULL: no limits. */
    size_t (*connections)(const struct fm_service *service, const struct sockaddr_in *peer, struct fm_client *client);
    /* With the headers of a request, without the lock. Sets `answer` of a request that is refused, with `closes`, or that has
     * its answer already. */
    void (*admit)(struct fm_service *service, struct fm_http_request *request, const char *method, const char *path);
    /* With the lock. Returns false if the request waits for a task. */
    bool (*begin)(struct fm_service *service, struct fm_http_request *request);
    /* Sends the answer in a way of its own, such as a stream; false: it is sent as usual. NULL: always as usual. */
    bool (*send)(struct fm_service *service, struct fm_http_request *request, enum MHD_Result *result);
    void (*announce)(const struct fm_service *service, const struct fm_listener *listener); /* it listens */
    void (*tick)(struct fm_service *service, uint64_t now_ns);                              /* with the lock; often */
    void (*end)(struct fm_service *service);   /* with the lock: no more tasks will be done */
    void (*close)(struct fm_service *service); /* nothing uses it any more */
};

enum { FM_SERVICE_CODES = 600 };

struct fm_service {
    const struct fm_service_functions *functions;
    const char *source;     /* what its pages ask (page.h) */
    bool ends_with_session; /* of the terminal */
    uint32_t salt;          /* in the tags of documents: what is right for one server may differ for the next */
    unsigned port;          /* on which it listens; 0: a unix socket */
    atomic_ullong answers[FM_SERVICE_CODES]; /* by status of HTTP */
    struct fm_clients clients;
    struct fm_tasks tasks;
    struct fm_cache cache;
};

enum fm_status fm_service_init(struct fm_service *service, const struct fm_service_functions *functions,
                               struct fm_error *error);
/* Serves until a signal asks for the end. The service must be static: a worker that does not end in time still uses it. */
enum fm_status fm_service_run(struct fm_service *service, const struct fm_listener *listener, struct fm_error *error);

/* ---- for the functions of a service; the lock must be held ---- */

/* The tag of a document of this server, from its key. */
void fm_service_tag(const struct fm_service *service, const char *key, char tag[80]);
/* The page, its script or its style sheet. */
struct fm_answer fm_service_page(struct fm_service *service, enum fm_answer_kind what);
/* Whether the cache has the document; it is then the answer. */
bool fm_service_cached(struct fm_service *service, const char *key, struct fm_answer *answer);
/* Answers from the cache, or makes the request wait for the task that makes the document already. */
enum fm_service_state { FM_SERVICE_NEW, FM_SERVICE_ANSWERED, FM_SERVICE_WAITS };
enum fm_service_state fm_service_join(struct fm_service *service, const char *key, struct fm_http_request *request);
struct fm_answer fm_service_still_reading(const struct fm_task *task); /* for those who have no patience */
/* Makes the request wait for the task, which is new. Returns true if the request has its answer already: there is no
 * memory (task is NULL), the server ends, or too many tasks of the same owner are there already; the task is freed then. */
bool fm_service_begin(struct fm_service *service, struct fm_task *task, struct fm_http_request *request);
/* The answer of a task: the document, which is also put into the cache, or why there is none. */
void fm_service_finish(struct fm_service *service, struct fm_task *task, enum fm_status status, struct fm_blob *blob,
                       const struct fm_error *error);

#endif
