/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a site's configuration, one line each. Reading, checking, the commented file of `fathom site init` and the
 * table of the manual follow from it.
 *
 *   X(kind, key, default, meaning)
 *
 * kind   TEXT    any text, also none
 *        WHOLE   a whole number, not negative
 *        NUMBER  a number, not negative
 *        SWITCH  on or off
 *        LINES   any texts: the key may be given several times; they are joined by line feeds
 * key    also the member of struct fm_site_config
 */
#ifndef FM_SITE_CONFIG_KEYS_H
#define FM_SITE_CONFIG_KEYS_H

/* clang-format off */
#define FM_SITE_CONFIG_KEYS(X) \
    /* which jobs are measured: read by the plug-in of Slurm (src/spank/) as well */ \
    X(SWITCH, measure,          1, "whether jobs under Slurm are measured without being asked for with --fathom=yes") \
    X(TEXT,   environment,      "", "FATHOM_NAME=VALUE ... for measured jobs under Slurm, such as FATHOM_SAMPLE=29; separated by blanks") \
    /* where profiles wait, and how records leave the node */ \
    X(TEXT,   spool,            "/var/spool/fathom", "directory in which profiles wait for 'fathom site send'") \
    X(TEXT,   run,              "off", "what 'fathom run' and 'fathom collect' do with a profile: off, spool (copy it there) or send") \
    X(TEXT,   send,             "syslog", "where records go: syslog, journald, spool or none") \
    X(TEXT,   syslog_socket,    "/dev/log", "socket of the syslog daemon") \
    X(TEXT,   journald_socket,  "/run/systemd/journal/socket", "socket of journald's own protocol") \
    X(TEXT,   record_spool,     "/var/spool/fathom/records", "directory for records with send = spool") \
    X(WHOLE,  chunk_bytes,      900, "longest line of the log, 200 to 4000") \
    X(NUMBER, send_seconds,     10, "how long a log daemon that does not answer is waited for; the profile stays in the spool") \
    X(NUMBER, make_seconds,     60, "how long making the record of one profile may take") \
    X(TEXT,   keep,             "", "directory in which profiles are kept, by month; none: they are removed once sent") \
    /* what is recorded */ \
    X(SWITCH, arguments,        0, "whether records have the arguments of programs") \
    X(SWITCH, hash_names,       0, "whether users, accounts, programs, hosts and other names are replaced by keyed hashes") \
    X(TEXT,   hash_key,         "/etc/fathom/key", "file with the key for hash_names: 32 hexadecimal digits, readable by root only") \
    X(TEXT,   exclude_users,    "", "users whose jobs are not recorded: names separated by blanks, with * and ?") \
    X(TEXT,   exclude_programs, "", "programs that are not recorded, likewise") \
    X(NUMBER, thin_below_s,     0, "jobs with less wall time than this, summed over ranks, are thinned") \
    X(WHOLE,  thin_one_in,      1, "of such jobs one in this many is recorded, and counts as many: 1 to 1000") \
    /* the database */ \
    X(TEXT,   database,         "sqlite:/var/lib/fathom/site.db", "where records are kept: sqlite:FILE or postgresql://USER@HOST/DATABASE; passwords belong into ~/.pgpass") \
    X(TEXT,   log,              "/var/log/fathom/records.log", "log of rsyslog that 'fathom site ingest' reads if it is not told another source; may be empty") \
    X(SWITCH, journal,          0, "whether it reads the journal of systemd then") \
    X(WHOLE,  processors,       0, "number of cores of the machine, for shares of its capacity; records of larger jobs are refused; 0: unknown") \
    X(TEXT,   first_day,        "", "day such as 2026-11-01; records of jobs that started before it are refused") \
    X(TEXT,   calibration,      "/etc/fathom/calibration.json", "file of 'fathom calibrate' with which reports split the time in MPI, if it exists") \
    X(WHOLE,  keep_days,        0, "jobs that are older are deleted by 'fathom site thin'; 0: never. Roll-ups stay") \
    X(WHOLE,  thin_days,        0, "tiny jobs that are older are thinned out by 'fathom site thin'; 0: never") \
    X(WHOLE,  thin_one_of,      20, "of tiny jobs one of so many is kept then, with their weight") \
    /* mails: see site/mail/ */ \
    X(TEXT,   mail_command,     "/usr/sbin/sendmail -t -i", "command that sends the mail on its standard input: a path and words separated by blanks, started without a shell") \
    X(NUMBER, mail_seconds,     60, "how long it may take for one mail; after that it is killed, and the mail has failed") \
    X(NUMBER, mail_per_minute,  60, "most mails a minute, of all runs together; 0: no limit") \
    X(TEXT,   mail_domain,      "", "mails go to USER@ this domain") \
    X(TEXT,   mail_addresses,   "", "file with lines 'user address' for users whose address is another one") \
    X(TEXT,   mail_from,        "", "address of the sender; none: fathom@ the domain") \
    X(TEXT,   mail_staff,       "", "addresses that get a summary of all jobs, separated by blanks") \
    X(TEXT,   mail_copies,      "", "addresses that get a copy of every mail, likewise") \
    X(NUMBER, mail_least_hours, 1, "users with fewer core-hours get no mail") \
    X(TEXT,   mail_machine,     "", "name of the machine in mails") \
    X(TEXT,   mail_url,         "", "address of the pages, for links in mails, such as https://fathom.example.org/; none: mails have no links") \
    X(TEXT,   mail_footer,      "", "a sentence at the end of every mail") \
    X(TEXT,   mail_unsubscribe, "", "where users say that they want no mails, mailto:... or https://..., for the header List-Unsubscribe") \
    /* the pages: 'fathom serve --site' */ \
    X(TEXT,   http_address,     "127.0.0.1", "address on which 'fathom serve --site' listens; another one only with tokens or a proxy") \
    X(WHOLE,  http_port,        8017, "its port") \
    X(TEXT,   http_socket,      "", "unix socket on which it listens instead") \
    X(TEXT,   http_hosts,       "", "names under which browsers know it, as in the Host header; 127.0.0.1 and localhost always") \
    X(TEXT,   http_tokens,      "", "file with the tokens of users, made by 'fathom site token'") \
    X(TEXT,   http_user_header, "", "header with the name of the user that a proxy in front of it sets, such as X-Remote-User") \
    X(TEXT,   http_trusted,     "", "proxies, which may set that header and have any number of connections: addresses such as 10.1.2.3 or 10.1.0.0/16, and user:NAME on this host") \
    X(TEXT,   http_metrics,     "", "who may read /metrics without being known, likewise") \
    X(NUMBER, http_seconds,     30, "how long one of its questions to the database may take before it is given up; 0: no limit") \
    X(TEXT,   staff,            "", "users who see all jobs: names and @groups") \
    X(SWITCH, http_symbols,     0, "whether it reads the programs that kept profiles name, to show functions and lines; it must be able to read them") \
    X(LINES,  tag,              "", "tag for all jobs that fit: NAME: word=value ..., with the words of the job list's filters; may be given several times")
/* clang-format on */

#endif
