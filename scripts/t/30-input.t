#!/bin/bash
# Bad input and bad luck: one clear line, the right status, and nothing lost.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

need curl=curl xz=xz-utils perl=perl
kernel=$("$scripts/fetch") || exit 2
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@localhost GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@localhost

# small DIR: a git tree with as much of a kernel as the series needs.
small() {
	mkdir -p "$1"
	git -C "$kernel" archive base Makefile Kbuild crypto scripts/kconfig/merge_config.sh | tar -x -C "$1"
	git -C "$1" init -q
	git -C "$1" config user.name t && git -C "$1" config user.email t@localhost
	git -C "$1" add -A -f && git -C "$1" commit -q -m base
}

# state DIR: everything about a user's tree that must not change.
state() {
	(cd "$1" && git rev-parse HEAD 2> /dev/null; git for-each-ref 2> /dev/null
		find . -path ./.git -prune -o -printf '%p %s %T@ %m\n' | sort
		find .git -printf '%p\n' 2> /dev/null | grep -vE '/(objects|FETCH_HEAD)' | sort) | sha256sum
}

# unchanged DIR WHAT: and it did not.
unchanged() { try "$2: the tree is as it was" test "$(state "$1")" = "$before"; }

# Usage.
for s in fetch apply build boot verify report bench mutate series submit check selftests-patch; do
	try "$s --help" sh -c "'$scripts/$s' --help | grep -q 'Exit status'"
done
refuse 2 'unknown branch 9.9.y' "$scripts/fetch" 9.9.y
refuse 2 'unknown branch 9.9.y' "$scripts/verify" 9.9.y
refuse 2 'unknown option --frob' "$scripts/verify" --frob
refuse 2 'needs a value' "$scripts/build" --rev
refuse 2 'not both' "$scripts/fetch" --tree /tmp 6.1.y
refuse 2 'give a tree with --tree' "$scripts/verify" 5.15.y
refuse 2 'comes from build' "$scripts/boot" /nonexistent /nonexistent
refuse 2 'has no results' "$scripts/report" /dev/null
refuse 2 'which image' "$scripts/boot"
refuse 2 'bench needs a machine' "$scripts/bench" --machine uml
refuse 2 'unknown branch 9.9.y' "$scripts/bench" 6.1.y 9.9.y
refuse 2 'not both' "$scripts/bench" --tree /tmp 6.1.y
refuse 2 '--json is for one branch' "$scripts/bench" --json /tmp/x 6.1.y 5.10.y
refuse 2 'without --short' "$scripts/bench" --short --record
refuse 2 'it is a directory' "$scripts/bench" --json "$tmp"
refuse 2 'no directory with a space' env CRYPTO_CACHE="$tmp/a b" "$scripts/verify"
refuse 2 'has no results of bench' "$scripts/measure/plot" /dev/null "$tmp/plot"
refuse 2 '--icount takes a number' "$scripts/boot" --icount x /nonexistent
refuse 2 '--machine takes' "$scripts/verify" --machine vax
refuse 2 '--config takes' "$scripts/build" --config maybe "$kernel"
refuse 2 'there is no configs/nosuch.config' "$scripts/build" --fragments nosuch "$kernel"
refuse 2 'no such series' "$scripts/series" /nonexistent
refuse 2 'is no kernel tree in git' "$scripts/series" --tree /tmp

# Trees.
mkdir "$tmp/empty"
refuse 2 'no such directory' "$scripts/verify" --tree "$tmp/nonexistent"
refuse 2 'is no kernel tree' "$scripts/verify" --tree "$tmp/empty"
refuse 2 'is no git tree' "$scripts/apply" --tree "$tmp/empty"

small "$tmp/user"
echo '/* mine */' >> "$tmp/user/crypto/api.c"
before=$(state "$tmp/user")
refuse 2 'has uncommitted changes' "$scripts/verify" --tree "$tmp/user"
refuse 2 'has uncommitted changes' "$scripts/apply" --tree "$tmp/user"
unchanged "$tmp/user" "a dirty tree"

git -C "$tmp/user" checkout -q crypto/api.c
before=$(state "$tmp/user")
refuse 0 'all 6 patches apply' "$scripts/apply" --check --tree "$tmp/user"
unchanged "$tmp/user" "apply --check"

(cd "$tmp/user" && GIT_DIR=$tmp/user/.git GIT_INDEX_FILE=$tmp/user/.git/index "$scripts/apply" --check) > "$tmp/log" 2>&1
result $? "apply --check from a hook"
unchanged "$tmp/user" "apply --check from a hook"
refuse 2 'needs a value' "$scripts/apply" --tree "$tmp/user" --branch ''
refuse 2 'no name for a branch' "$scripts/apply" --tree "$tmp/user" --branch HEAD

# A line of context that differs: patch would take it with fuzz, we must not.
sed -i 's|^EXPORT_SYMBOL_GPL(crypto_register_instance);|& /* other */|' "$tmp/user/crypto/algapi.c"
git -C "$tmp/user" commit -q -a -m 'something else'
before=$(state "$tmp/user")
patch -d "$tmp/user" -p1 --dry-run -F 2 -i "$top"/backports/linux-6.1.y/0001-*.patch > "$tmp/patch"
try "patch would use fuzz there" grep fuzz "$tmp/patch"
refuse 1 '0001-crypto-api-optimize' "$scripts/apply" --tree "$tmp/user"
unchanged "$tmp/user" "a patch that does not apply"

git -C "$tmp/user" reset -q --hard HEAD^
try "apply --branch" "$scripts/apply" --tree "$tmp/user" --branch crypto-series
try "it leaves the checked-out branch alone" test \
	"$(git -C "$tmp/user" log --format=%s -1)" = base
refuse 2 'has a branch crypto-series already' "$scripts/apply" --tree "$tmp/user" --branch crypto-series
try "apply" "$scripts/apply" --tree "$tmp/user"
try "it makes the commits" test "$(git -C "$tmp/user" rev-list --count HEAD)" = 7
try "and no difference to the branch" git -C "$tmp/user" diff --exit-code crypto-series
try "apply again says that it is there" sh -c \
	"'$scripts/apply' --tree '$tmp/user' 2>&1 | grep 'has the change already'"

refuse 0 'has the change already' "$scripts/apply" --check --tree "$tmp/user"
git -C "$tmp/user" reset -q --hard HEAD~2
refuse 1 'has part of the change' "$scripts/apply" --check --tree "$tmp/user"
refuse 2 'mainline has the change' "$scripts/apply" --tree "$tmp/user" mainline
git -C "$tmp/user" reset -q --hard crypto-series
try "a script works through a link" sh -c \
	"ln -s '$scripts/apply' '$tmp/link' && '$tmp/link' --check --tree '$tmp/user'"
refuse 2 'no HOME' env -u HOME -u XDG_CACHE_HOME -u CRYPTO_CACHE "$scripts/fetch"
refuse 1 'in another form' "$scripts/apply" --tree "$tmp/user" 5.10.y

# Tools and room.
refuse 2 'no compiler' env CC=no-such-cc "$scripts/build" "$kernel"
refuse 2 'cannot write' env CRYPTO_CACHE=/proc/nowhere "$scripts/fetch"
if [ "$(id -u)" = 0 ] && unshare -m true 2> /dev/null; then
	mkdir "$tmp/full"
	# shellcheck disable=SC2016
	refuse 2 'no space' unshare -m sh -c \
		'mount -t tmpfs -o size=16m none "$1" && CRYPTO_CACHE=$1 exec "$2" --tree "$3"' \
		sh "$tmp/full" "$scripts/fetch" "$tmp/user"
else
	skip "no space" "needs root for a small file system"
fi

# A mirror on loopback.
export CRYPTO_CACHE=$tmp/cache
v=$tmp/mirror/v6.x
mkdir -p "$v"
git -C "$kernel" archive --prefix=linux-6.1.999/ base Makefile Kbuild crypto > "$tmp/t.tar"
xz -0 < "$tmp/t.tar" > "$v/linux-6.1.999.tar.xz"
cp "$v/linux-6.1.999.tar.xz" "$v/linux-6.1.1000.tar.xz"
(cd "$v" && sha256sum linux-6.1.999.tar.xz > sha256sums.asc)
serve() {
	coproc SERVER { exec perl "$scripts/t/server.pl" "$tmp/mirror" "$@"; }
	read -r port <&"${SERVER[0]}"
	export KERNEL_MIRROR=http://127.0.0.1:$port
}
stop_serving() { eval "exec ${SERVER[1]}>&-"; wait "$SERVER_PID"; }

serve
try "a mirror: the newest release, with the right checksum" sh -c \
	"'$scripts/fetch' 6.1.y | grep linux-6.1.999"
refuse 2 'has no release of 5.4.y' sh -c "mkdir -p '$tmp/mirror/v5.x' && cp '$v/sha256sums.asc' '$tmp/mirror/v5.x' && exec '$scripts/fetch' 5.4.y"
sed 's/999/1000/;s/^......../00000000/' "$v/sha256sums.asc" > "$tmp/sums" && cat "$tmp/sums" >> "$v/sha256sums.asc"
"$scripts/fetch" 6.1.y > "$tmp/log" 2> "$tmp/stderr"
result $(($? != 2)) "a wrong checksum: status 2"
try "a wrong checksum: said so" grep 'has the wrong checksum' "$tmp/stderr"
stop_serving
serve linux-6.1.1000.tar.xz 1000
"$scripts/fetch" 6.1.y > "$tmp/log" 2> "$tmp/stderr"
result $(($? != 2)) "a download cut short: status 2"
try "a download cut short: said so" grep 'cannot get' "$tmp/stderr"
try "neither left a tree" test ! -e "$CRYPTO_CACHE/trees/linux-6.1.1000"
stop_serving
refuse 2 'cannot get' "$scripts/fetch" 6.1.y
unset KERNEL_MIRROR

# Two runs at once, and an interrupted one, on a compiler that takes long.
unset CRYPTO_LOCKED
cat > "$tmp/slowcc" <<'EOF'
#!/bin/sh
case " $* " in *kernel/bounds*) touch "$STARTED"; sleep 300 ;; esac
exec gcc "$@"
EOF
chmod +x "$tmp/slowcc"
before=$(state "$kernel")
export STARTED=$tmp/started
set -m
CC=$tmp/slowcc "$scripts/build" "$kernel" > "$tmp/stdout" 2> "$tmp/stderr" &
set +m
for _ in $(seq 600); do [ ! -e "$STARTED" ] || break; sleep 0.2; done
try "the first of two runs compiles" test -e "$STARTED"
refuse 2 'another run is using' "$scripts/fetch" 6.1.y
kill -INT -$!
wait $!
result $(($? != 130)) "Ctrl-C: status 130"
try "Ctrl-C: said so" grep '^build: interrupted$' "$tmp/stderr"
unchanged "$kernel" "Ctrl-C"
try "the next run works" "$scripts/build" --selftests "$kernel"
try "nothing half-made is left" test -z "$(find "$CRYPTO_CACHE" -maxdepth 2 -name '.new.*')"
done_testing
