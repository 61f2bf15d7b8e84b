/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom serve`: profiles and running jobs as pages for a browser. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "cli/site_store.h"
#include "format/encode.h"
#include "http/page.h"
#include "http/server.h"
#include "pages/bundle.h"
#include "site/http/server.h"

static void print_help(void)
{
    puts(
        "fathom serve [PROFILE|DIR]... [OPTION...]: show profiles (default: of this directory) and running jobs in a\n"
        "browser. Prints the address to open. Only you can use it, and it ends with the terminal, or at Ctrl-C.\n"
        "\n"
        "  --port N        port of 127.0.0.1 (default: any that is free)\n"
        "  --socket PATH   unix socket instead of a port, to be forwarded by ssh\n"
        "  --recursive     also profiles in directories below\n"
        "  --source D      source files below directory D may be shown; may be given several times\n"
        "  --site [STORE]  the pages of a site for all of its users, from its database (default: FATHOM_STORE, else that\n"
        "                  of the configuration); see fathom-serve(1)\n"
        "  --tokens F      with --site: file with the tokens of users\n"
        "  --config F      with --site: configuration (default: /etc/fathom/site.conf)\n"
        "  --modules F     file that maps functions to the modules of a model\n"
        "  --debug-path D  directories D or D:D with separate debug files (FATHOM_DEBUG_PATH)\n"
        "  -h, --help      show this help\n"
        "\n"
        "Example:\n"
        "  fathom serve runs --source ~/model/src");
}

struct serve_request {
    bool site;
    const char *tokens, *config;
    struct fm_server_options options;
    struct fm_option_texts sources;
    size_t port;
};

static int parse(struct serve_request *request, int argc, char **argv)
{
    static char *here[] = {"."};
    struct fm_server_options *server = &request->options;
    const struct fm_option options[] = {
        {"port", .count = &request->port, .most = 65535},
        {"socket", .text = &server->socket},
        {"site", .on = &request->site},
        {"tokens", .text = &request->tokens},
        {"config", .text = &request->config},
        {"recursive", .on = &server->recursive},
        {"source", .texts = &request->sources},
        {"modules", .text = &server->source.modules},
        {"debug-path", .text = &server->source.debug_path},
        {0},
    };
    server->source.debug_path = getenv("FATHOM_DEBUG_PATH");
    int status = fm_parse_options("serve", options, print_help, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    if (request->port && server->socket)
        return fm_usage_error("serve", "--port and --socket exclude each other");
    if (!request->site && (request->tokens || request->config))
        return fm_usage_error("serve", "--tokens and --config need --site");
    if (request->site && (server->recursive || request->sources.n || server->source.modules))
        return fm_usage_error("serve", "--site shows the jobs of a database: no --recursive, --source or --modules");
    if (request->site && optind + 1 < argc)
        return fm_usage_error("serve", "give one database");
    server->port = (unsigned)request->port;
    server->places = optind < argc ? argv + optind : here;
    server->n_places = optind < argc ? (size_t)(argc - optind) : 1;
    if (request->sources.n)
        server->source.sources = request->sources.items; /* ends with NULL: there is room for argc of them */
    return FM_EXIT_NOT_YET;
}

/* What cannot work is said now, and not in the browser. */
static enum fm_status check(const struct fm_server_options *options, struct fm_error *error)
{
    struct fm_profile *profile;
    struct stat st;
    enum fm_status status = FM_OK;
    for (size_t i = 0; i < options->n_places && !status; i++) {
        if (stat(options->places[i], &st) == 0 && S_ISDIR(st.st_mode))
            continue;
        status = fm_profile_read_overview(options->places[i], &profile, error);
        if (!status)
            fm_profile_destroy(profile);
    }
    return status;
}

static enum fm_status serve_site(const struct serve_request *request, bool has_store, struct fm_error *error)
{
    struct fm_site_store site;
    enum fm_status status = fm_site_store_find(&site, request->config, has_store ? request->options.places[0] : NULL,
                                               error);
    if (status)
        return status;
    status = fm_site_server_run(&(struct fm_site_server_options){.config = &site.config,
                                                                 .store = site.address,
                                                                 .tokens = request->tokens,
                                                                 .socket = request->options.socket,
                                                                 .port = request->options.port},
                                error);
    fm_site_config_destroy(&site.config);
    return status;
}

int fm_cmd_serve(int argc, char **argv)
{
    struct serve_request request = {.sources.items = calloc((size_t)argc + 1, sizeof(char *))};
    struct fm_error error = {0};
    if (!request.sources.items)
        return fm_usage_error("serve", "not enough memory");
    int exit_status = parse(&request, argc, argv);
    if (exit_status == FM_EXIT_NOT_YET) {
        enum fm_status status = request.site ? FM_OK : check(&request.options, &error);
        if (!status && !fm_page_exists())
            fm_say((void *)"serve", fm_no_bundle);
        if (!status)
            status = request.site ? serve_site(&request, optind < argc, &error)
                                  : fm_server_run(&request.options, &error);
        exit_status = status ? fm_command_error("serve", &error) : FM_EXIT_OK;
    }
    free(request.sources.items);
    return exit_status;
}
