#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A small site of its own: twelve jobs of the mini ocean model leave records, which go into a database; then a summary, a page
# and a mail. Called by tools/demo.sh, which has built the model. Everything is in $BUILD/demo-site; it is made anew each time.
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${BUILD:-build}")
model=$build/examples/openmpi/miniocean
site=$build/demo-site
day=$(date -u +%F)

launcher='mpirun.openmpi --oversubscribe'
[ "$(id -u)" -ne 0 ] || launcher="$launcher --allow-run-as-root"

heading() {
    printf '\n=== %s\n' "$*"
}

fathom() { # fathom ARGUMENT...: with the site's own configuration
    FATHOM_SITE_CONFIG=$site/site.conf "$build/fathom" "$@"
}

job() { # job RANKS OPTION...: as a user would run it; fathom run leaves a copy of the profile in the spool
    ranks=$1
    shift
    number=$((number + 1))
    printf '%2d  mpirun -n %s miniocean %s\n' "$number" "$ranks" "$*"
    # shellcheck disable=SC2086 # the launcher's options are words
    if ! FATHOM_SITE=spool fathom run -o "$site/jobs/$number.fathom" -- $launcher -n "$ranks" "$model" "$@" \
        >"$site/jobs/$number.log" 2>&1; then
        cat "$site/jobs/$number.log" >&2
        exit 1
    fi
}

rm -rf "$site" "$build/demo-site.db" "$build/demo-site.db-wal" "$build/demo-site.db-shm"
mkdir -p "$site/jobs" "$site/records"
cat >"$site/site.conf" <<EOF
# The site of make demo: profiles wait in a spool, records in a directory, without a log daemon.
spool = $site/spool
send = spool
record_spool = $site/records
arguments = on
database = sqlite:$build/demo-site.db
log =
processors = $(nproc)
mail_domain = example.org
mail_machine = $(hostname 2>/dev/null || echo demo)
mail_staff = staff@example.org
mail_least_hours = 0
EOF

heading "a site with twelve jobs"
fathom site init
# as many ranks as cores: with more, all that could be said is that they had to wait for a core
most=$(nproc)
[ "$most" -ge 2 ] || most=2
[ "$most" -le 4 ] || most=4
number=0
job 1 --steps 4
job 2 --steps 4
job "$most" --steps 4
job 2 --steps 4 --dist packed
job "$most" --steps 4 --dist packed
job 2 --steps 4 --dist balanced
job "$most" --steps 4 --dist balanced
job 2 --steps 4 --fused
job "$most" --steps 4 --fused
job 2 --steps 4 --serial-output
job "$most" --steps 4 --serial-input
job 2 --steps 4 --grid 192x144

heading "fathom site send, then fathom site ingest: profiles become records, and records rows of a database"
fathom site send
fathom site ingest "$site/records"
fathom site analyse

heading "fathom site report --from $day"
# a day in UTC may have ended meanwhile
fathom site report --from "$day" --top 3
fathom site report --from "$day" --all --format html -o "$site/summary.html"
heading "fathom site report --job '#12'"
fathom site report --job '#12' --top 3
heading "fathom site mail --from $day -o build/demo-mail"
rm -rf "$build/demo-mail"
fathom site mail --from "$day" --to "$(date -u +%F)" -o "$build/demo-mail"
python3 - "$build/demo-mail/$(id -un).eml" "$build/demo-mail.html" <<'EOF'
import email, email.policy, sys
with open(sys.argv[1], "rb") as file:
    mail = email.message_from_binary_file(file, policy=email.policy.default)
plain, page = (mail.get_body((kind,)).get_content() for kind in ("plain", "html"))
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write(page)
print("\nSubject:", mail["subject"], "\n")
print("\n".join(plain.splitlines()[:24]))
EOF

echo
echo "Go on with:"
next() {
    printf '  %-58s %s\n' "$1" "$2"
}
short=${BUILD:-build}
next "export FATHOM_SITE_CONFIG=$short/demo-site/site.conf" "first: the configuration of this site"
next "a browser on $short/demo-site/summary.html" "the summary as a page"
next "$short/fathom serve --site" "the pages of the site; it prints the address"
next "a mail program on $short/demo-mail/$(id -un).eml" "the mail, or"
next "a browser on $short/demo-mail.html" "its HTML part"
next "$short/fathom site report --from $day" "all tables of the summary"
next "$short/fathom site query 'SELECT * FROM jobs'" "the database"
