# shellcheck shell=bash
# Sourced by the tests here: TAP on stdout, a scratch directory in $tmp.
#
#   try WHAT COMMAND...           ok if the command succeeds
#   refuse STATUS TEXT COMMAND... ok if it ends with STATUS, prints one line with
#                                 TEXT on stderr, and nothing on stdout
#   skip WHAT WHY
#   done_testing                  the plan; the last line of a test
#
# What a command that failed had to say follows as diagnostics.
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/../lib.sh"
set +e
# shellcheck disable=SC2034 # for the tests
scripts=$top/scripts
count=0
make_tmp

result() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		tail -n 30 "$tmp/log" | sed 's/^/# /'
	fi
}

try() {
	local what=$1
	shift
	(set -e; "$@") > "$tmp/log" 2>&1
	result $? "$what"
}

refuse() {
	local status=$1 text=$2 got
	shift 2
	"$@" > "$tmp/stdout" 2> "$tmp/log" < /dev/null
	got=$?
	[ "$got" = "$status" ] && [ "$(wc -l < "$tmp/log")" = 1 ] &&
		grep -qF -- "$text" "$tmp/log" && [ ! -s "$tmp/stdout" ]
	got=$((($? != 0) * (got + 256)))
	[ $got = 0 ] || printf 'exit status %d, wanted %d and one line with: %s\n' $((got - 256)) "$status" "$text" >> "$tmp/log"
	result $got "$(printf '%s ' "${@##*/}")-> $status, $text"
}

skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

done_testing() { echo "1..$count"; }
