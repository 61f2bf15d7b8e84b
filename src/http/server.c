/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/handler.h"
#include "http/lifetime.h"
#include "http/page.h"
#include "http/work.h"

#define CACHE_LIMIT (128ull << 20)
enum { TICK_MS = 100 };

static enum fm_status make_guard(struct fm_server *server, unsigned port, struct fm_error *error)
{
    if (!fm_guard_make(&server->guard, port) ||
        getrandom(&server->salt, sizeof server->salt, 0) != (ssize_t)sizeof server->salt)
        return fm_fail(error, FM_ERR_SYSTEM, "the system gives no random numbers for a token");
    snprintf(server->cookie, sizeof server->cookie, "%s=%s; HttpOnly; SameSite=Strict; Path=/", server->guard.cookie,
             server->guard.token);
    return FM_OK;
}

static enum fm_status find_something(struct fm_server *server, struct fm_error *error)
{
    const struct fm_server_options *options = server->options;
    struct fm_running running;
    bool found = fm_work_first_look(server) > 0;
    if (!found && fm_running_find(&running, NULL)) {
        found = running.n > 0;
        fm_running_close(&running);
    }
    struct stat st;
    for (size_t i = 0; i < options->n_places && !found; i++) /* jobs may write to it later */
        found = strcmp(options->places[i], ".") != 0 && stat(options->places[i], &st) == 0 && S_ISDIR(st.st_mode);
    if (found)
        return FM_OK;
    return fm_fail(error, FM_ERR_INPUT, "there is no profile in %s%s, and no measured job is running",
                   strcmp(options->places[0], ".") == 0 ? "this directory" : options->places[0],
                   options->n_places > 1 ? " and the other places" : "");
}

static void print_address(const struct fm_server *server, const struct fm_listener *listener)
{
    char host[256] = "HOST";
    gethostname(host, sizeof host - 1);
    if (listener->port)
        printf("Serving at http://127.0.0.1:%u/?token=%s\n", listener->port, server->guard.token);
    else
        printf("Serving at %s; on your own machine run: ssh -L 8080:%s %s\n"
               "and open http://localhost:8080/?token=%s\n",
               listener->path, listener->path, host, server->guard.token);
    fflush(stdout);
}

/* While nobody asks, this is all that the server does. */
static void wait_for_the_end(struct fm_server *server, const struct fm_lifetime *lifetime)
{
    while (fm_lifetime_goes_on(lifetime, TICK_MS)) {
        uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
        fm_clients_tick(&server->clients, now);
        pthread_mutex_lock(&server->tasks.lock);
        fm_tasks_tick(&server->tasks, now);
        fm_work_jobs_tick(server, now);
        pthread_mutex_unlock(&server->tasks.lock);
    }
}

static enum fm_status serve(struct fm_server *server, struct fm_listener *listener, struct fm_error *error)
{
    struct fm_lifetime lifetime;
    enum fm_status status = fm_lifetime_begin(&lifetime, error);
    if (status)
        return status;
    struct MHD_Daemon *daemon = NULL;
    if (!fm_tasks_start(&server->tasks))
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot start a thread");
    else if (!(daemon = fm_handler_start(server, listener, error)))
        status = FM_ERR_SYSTEM;
    if (!status) {
        print_address(server, listener);
        wait_for_the_end(server, &lifetime);
    }
    fm_handler_quiesce(daemon);
    bool ended = fm_tasks_stop(&server->tasks);
    pthread_mutex_lock(&server->tasks.lock);
    fm_work_jobs_end(server);
    pthread_mutex_unlock(&server->tasks.lock);
    fm_handler_stop(daemon);
    if (ended) {
        fm_store_close(&server->store);
        fm_work_jobs_close(server);
        fm_arena_destroy(&server->arena);
    }
    fm_cache_clear(&server->cache);
    fm_lifetime_close(&lifetime);
    return status;
}

enum fm_status fm_server_run(const struct fm_server_options *options, struct fm_error *error)
{
    /* static: a worker that does not end in time still uses it */
    static struct fm_server server;
    struct fm_listener listener;
    server = (struct fm_server){.options = options, .cache.limit = CACHE_LIMIT};
    setenv("DEBUGINFOD_URLS", "", 1); /* as symbols do, but before there are threads that read the environment */
    fm_tasks_init(&server.tasks);
    enum fm_status status = find_something(&server, error);
    if (!status)
        status = options->source.modules
                     ? fm_module_map_read(&server.map, options->source.modules, &server.arena, error)
                     : fm_module_map_usual(&server.map, &server.arena, error);
    if (status)
        return status;
    status = options->socket ? fm_listen_socket(&listener, options->socket, error)
                             : fm_listen_port(&listener, options->port, error);
    if (status)
        return status;
    fm_clients_init(&server.clients, options->socket);
    status = make_guard(&server, listener.port, error);
    if (!status)
        status = serve(&server, &listener, error);
    fm_listen_close(&listener);
    return status;
}
