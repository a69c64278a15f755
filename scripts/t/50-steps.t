#!/bin/bash
# Each patch of the default branch compiles and boots by itself, with self-tests
# off and on, and passes the kselftests: the first one does the work already.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

tree=$("$scripts/fetch") || exit 2
git -C "$tree" branch -q -D series 2> /dev/null
git -C "$tree" checkout -q -f --detach base
"$scripts/apply" --tree "$tree" --branch series > /dev/null || exit 2
tests=$("$scripts/build" --selftests --rev base "$tree") || exit 2

step() {
	local image
	image=$("$scripts/build" --rev "$1" --config "$2" "$tree") || return
	! grep -E '(crypto/|linux/).*warning:' "$image/log" || return
	"$scripts/boot" "$image" "$tests"
}

n=0
for rev in $(git -C "$tree" rev-list --reverse base..series); do
	n=$((n + 1))
	configs='off on'
	[ $((n % 2)) = 0 ] || configs='on off'
	for c in $configs; do
		try "patch $n, self-tests $c: builds without a warning, boots, passes" step "$rev" "$c"
	done
done
done_testing
