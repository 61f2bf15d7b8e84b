/* The configuration of a site: what is accepted, what is refused and how the message reads. */
#include "site/config/config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

static char path[] = "/tmp/fathom-config-XXXXXX";

static enum fm_status read_text(const char *text, struct fm_site_config *config, struct fm_error *error)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    return fm_site_config_read(config, path, error);
}

static void refuses(const char *text, const char *message)
{
    struct fm_site_config config;
    struct fm_error error = {0};
    bool refused = read_text(text, &config, &error) != FM_OK;
    tap_ok(refused && strstr(error.text, message), "refused: %s (%s)", message, error.text);
    if (!refused)
        fm_site_config_destroy(&config);
}

static void accepts(void)
{
    struct fm_site_config config;
    struct fm_error error = {0};
    bool read = !read_text(
        "# a comment\n\n  spool =  /a b/c  \r\narguments=on\nchunk_bytes = 1000\nthin_below_s = 2.5\n"
        "keep =\n",
        &config, &error);
    tap_ok(read, "a configuration is read (%s)", error.text);
    tap_ok(read && !strcmp(config.spool, "/a b/c") && config.arguments == 1 && config.chunk_bytes == 1000 &&
               config.thin_below_s == 2.5 && !*config.keep,
           "values are those of the file");
    tap_ok(read && !strcmp(config.send, "syslog") && !config.hash_names && config.thin_one_in == 1,
           "others have their defaults");
    if (read)
        fm_site_config_destroy(&config);
}

static void own_file_is_read(void)
{
    struct fm_site_config config;
    struct fm_error error = {0};
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    fm_site_config_print(memory);
    fclose(memory);
    tap_ok(!read_text(text, &config, &error), "the commented file is a configuration");
    fm_site_config_destroy(&config);
    for (char *at = text; (at = strstr(at, "\n#")); at++)
        if (at[2] != ' ')
            at[1] = ' '; /* with all keys active it has the defaults */
    bool read = !read_text(text, &config, &error);
    tap_ok(read && !strcmp(config.spool, "/var/spool/fathom") && config.chunk_bytes == 900, "and has the defaults (%s)",
           error.text);
    if (read)
        fm_site_config_destroy(&config);
    free(text);
}

/* Its table of keys is what --print prints. */
static void manual_has_all_keys(void)
{
    char *keys = NULL, page[1 << 16], name[4096];
    size_t size;
    const char *source = getenv("FATHOM_SOURCE");
    FILE *memory = open_memstream(&keys, &size);
    fm_site_config_print_roff(memory);
    fclose(memory);
    snprintf(name, sizeof name, "%s/man/fathom-site.1", source ? source : ".");
    FILE *file = fopen(name, "r");
    page[file ? fread(page, 1, sizeof page - 1, file) : 0] = '\0';
    tap_ok(strstr(page, keys) != NULL, "fathom-site(1) has the keys of the configuration");
    if (file)
        fclose(file);
    free(keys);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--print")) {
        fm_site_config_print_roff(stdout);
        return 0;
    }
    close(mkstemp(path));
    manual_has_all_keys();
    accepts();
    own_file_is_read();
    refuses("spol = /a\n", "unknown key 'spol' in /tmp/fathom-config-");
    refuses("\nspool\n", ":2");
    refuses("chunk_bytes = many\n", "chunk_bytes must be a whole number, not 'many'");
    refuses("chunk_bytes = 10.5\n", "chunk_bytes must be a whole number");
    refuses("chunk_bytes = 100\n", "chunk_bytes must be from 200 to 4000");
    refuses("send_seconds = -1\n", "send_seconds must be a number");
    refuses("send_seconds = nan\n", "send_seconds must be a number");
    refuses("arguments = maybe\n", "arguments must be on or off");
    refuses("send = mail\n", "send must be syslog, journald, spool or none");
    refuses("run = yes\n", "run must be off, spool or send");
    struct fm_site_config config;
    unlink(path);
    tap_ok(fm_site_config_read(&config, path, NULL) == FM_ERR_SYSTEM, "a file that was asked for must exist");
    tap_ok(fm_site_config_lists("root mpi* te?t", "mpirun") && fm_site_config_lists("root mpi* te?t", "test") &&
               !fm_site_config_lists("root mpi* te?t", "tests") && !fm_site_config_lists("", "a"),
           "lists have patterns");
    return tap_done();
}
