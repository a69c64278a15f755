#!/bin/bash
# Each patch of the default branch compiles and boots by itself, with self-tests
# off and on, and passes the kselftests: the first one does the work already, but
# for internal algorithms with self-tests on, which the second one is about.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

tree=$("$scripts/fetch") || exit 2
git -C "$tree" branch -q -D series 2> /dev/null
git -C "$tree" checkout -q -f --detach base
"$scripts/apply" --tree "$tree" --branch series > /dev/null || exit 2
tests=$("$scripts/build" --selftests --rev base "$tree") || exit 2

# step REV CONFIG [CASE]: only CASE may fail, and has to.
step() {
	local image status=0 want=0
	image=$("$scripts/build" --rev "$1" --config "$2" "$tree") || return
	! grep -E '(crypto/|linux/).*warning:' "$image/log" || return
	"$scripts/boot" --out "$tmp/boot" "$image" "$tests" > /dev/null || status=$?
	[ -z "${3:-}" ] || want=1
	[ $status = $want ] || return
	jq -n -R -f "$scripts/facts.jq" "$tmp/boot/results.ktap" |
		jq -r '.cases[] | select(.result == "fail").case' > "$tmp/failed"
	diff "$tmp/failed" - <<< "${3:-}" || [ $want = 0 ]
}

first=$(git -C "$tree" rev-list --reverse base..series | head -n 1)
script -qec "'$scripts/build' --rev '$first' --config on '$tree'" /dev/null > "$tmp/terminal"
try "on a terminal a build shows how far it is" grep -qE '\[[0-9]+/[0-9]+\] [0-9]+s CC ' "$tmp/terminal"

n=0
for rev in $(git -C "$tree" rev-list --reverse base..series); do
	n=$((n + 1))
	configs='off on'
	[ $((n % 2)) = 0 ] || configs='on off'
	for c in $configs; do
		case $n$c in 1on) but=registration.internal_kthreads ;; *) but= ;; esac
		try "patch $n, self-tests $c: builds without a warning, boots, passes${but:+ all but $but}" \
			step "$rev" "$c" "$but"
	done
done
done_testing
