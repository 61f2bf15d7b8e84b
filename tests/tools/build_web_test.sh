#!/bin/bash
# tools/build_web.py: without node everything else is built and a line mentions what is missing; with it, the pages are built
# at the next try; a release has them built; an error in the sources is an error.
# shellcheck disable=SC2016,SC2317 # functions and expressions are evaluated by ok
set -u
# shellcheck source=tests/checks.sh
. "$FATHOM_SOURCE/tests/checks.sh"
told=("$TMPDIR/out")
web=$TMPDIR/web
mkdir "$web" "$TMPDIR/nothing"
cp -r "$FATHOM_SOURCE"/web/{src,package.json,package-lock.json,tsconfig.json,vite.config.ts} "$web"
python=/usr/bin/python3

build() { # build STATUS [PATH]
    PATH=${2:-$PATH} "$python" "$FATHOM_SOURCE/tools/build_web.py" "$web" "$TMPDIR/work" "$TMPDIR/bundle.c" >"$TMPDIR/out" 2>&1
    [ $? -eq "$1" ]
}
mentions() { grep -q "$1" "$TMPDIR/out"; }
empty() { grep -q 'js, css, 0, 0,' "$TMPDIR/bundle.c"; }

ok "without node the build goes on" build 0 "$TMPDIR/nothing"
ok "and says what is missing" mentions 'not built, because node was not found'
ok "and the tool has no pages" empty

ln -s "$FATHOM_SOURCE/web/node_modules" "$web/node_modules"
ok "with node they are built at the next try" build 0
ok "and the tool has them" eval '! empty'
touch -d '2001-01-01' "$TMPDIR/bundle.c"
ok "if nothing has changed" build 0
ok "nothing is written" eval '[ "$(date -r "$TMPDIR/bundle.c" +%Y)" = 2001 ]'

echo 'const wrong: number = "text"; export default wrong;' >"$web/src/wrong.ts"
ok "an error in the sources is an error" build 1
ok "which is shown" mentions 'src/wrong.ts'
rm "$web/src/wrong.ts"

rm -r "$TMPDIR/work"
mkdir "$web/bundle"
echo 'script("</script>")' >"$web/bundle/app.js"
echo 'p { color: red }' >"$web/bundle/app.css"
ok "a release needs no node" build 0 "$TMPDIR/nothing"
ok "and nothing in a script ends it" grep -qF '<\\/script>' "$TMPDIR/bundle.c"
echo "1..$count"
exit $failed
