#!/bin/bash
# Wrong kernels, each failing the test cases that are there to catch it: the
# kernel before the series, and small mutations of the one after it.
#
# A mutant is a diff with a header: "Self-tests: off|on", and "Killed-by:
# PROGRAM CASE" for each case that has to fail.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

tree=$("$scripts/fetch") || exit 2
tests=$("$scripts/build" --selftests --rev base "$tree") || exit 2
branch_row "$(default_branch)"

# run REV CONFIG: boots it and leaves the failed cases in $tmp/failed.
run() {
	local image status=0
	image=$("$scripts/build" --rev "$1" --config "$2" "$tree") || return
	"$scripts/boot" --out "$tmp/boot" "$image" "$tests" || status=$?
	jq -n -r -R -f "$scripts/facts.jq" "$tmp/boot/results.ktap" > "$tmp/facts" &&
		jq -r '.cases[] | select(.result == "fail") | .program + " " + .case' "$tmp/facts" > "$tmp/failed"
	[ $status = 1 ] || [ $status = 3 ]
}

killed() {
	grep -qxF "$1" "$tmp/failed" || { echo "failed instead:"; cat "$tmp/failed"; return 1; }
}

try "unpatched: some test fails" run base off
for c in boot one_level_template nested_template; do
	try "unpatched: killed by kthreads $c" killed "kthreads kthreads.$c"
done
try "unpatched: first_use has nothing to complain of" test "$(grep -c first_use "$tmp/failed")" = 0

git -C "$tree" branch -q -D series 2> /dev/null
git -C "$tree" checkout -q -f --detach base
"$scripts/apply" --tree "$tree" --branch series > /dev/null || exit 2
for m in "$scripts"/mutants/*.patch; do
	name=$(basename "$m" .patch)
	git -C "$tree" checkout -q -f --detach series
	try "$name: applies" git -C "$tree" apply --index "$m"
	git -C "$tree" commit -q -m "$name"
	try "$name: some test fails" run HEAD "$(sed -n 's/^Self-tests: //p' "$m")"
	while read -r by; do
		try "$name: killed by $by" killed "$by"
	done < <(sed -n 's/^Killed-by: //p' "$m")
done
git -C "$tree" checkout -q -f --detach base
done_testing
