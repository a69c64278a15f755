#!/bin/bash
# Self-tests compiled in and not run, cryptomgr.notests=1, and FIPS mode, fips=1,
# which runs them all the same: the kselftests pass on the series, and have seen
# the mode.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

tree=$("$scripts/fetch") || exit 2
with_series "$tree" "$(default_branch)" || exit 2
tests=$("$scripts/build" --selftests --rev base "$tree") || exit 2

# mode CONFIG ARGS: leaves the report in $tmp/ktap, the facts in $tmp/facts.
mode() {
	local image
	image=$("$scripts/build" --rev series --config "$1" "$tree") || return
	"$scripts/boot" --append "$2" "$image" "$tests" > "$tmp/ktap" || return
	jq -n -R -f "$scripts/facts.jq" "$tmp/ktap" > "$tmp/facts"
}

try "cryptomgr.notests=1: the kselftests pass" mode on cryptomgr.notests=1
try "cryptomgr.notests=1: the kthreads are made all the same" \
	jq -e '.boot_cryptomgr_test == .algorithms and .algorithms > 0' "$tmp/facts"
try "cryptomgr.notests=1: nothing was tested" grep 'broken: selftest passed, self-tests not run' "$tmp/ktap"
try "fips=1 cryptomgr.notests=1: the kselftests pass" mode fips 'fips=1 cryptomgr.notests=1'
try "fips=1 cryptomgr.notests=1: tested, and what is not allowed is not usable" \
	jq -e '[.cases[] | select(.case == "global.fips").result] == ["pass"]' "$tmp/facts"
try "fips=1 cryptomgr.notests=1: what is allowed works at first use" \
	jq -e '[.cases[] | select(.program == "first_use" and .result == "pass")] | length >= 10' "$tmp/facts"
git -C "$tree" checkout -q -f --detach base
done_testing
