#!/bin/bash
# Each patch of the default branch and of 5.10.y compiles and boots by itself, with
# self-tests off and on, and passes the kselftests: the first one does the work
# already, but for internal algorithms with self-tests on, which the second one is
# about.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

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

shown=
for branch in "$(default_branch)" 5.10.y; do
	tree=$("$scripts/fetch" "$branch") || exit 2
	with_series "$tree" "$branch" || exit 2
	tests=$("$scripts/build" --selftests --rev base "$tree") || exit 2

	if [ -z "$shown" ]; then
		first=$(git -C "$tree" rev-list --reverse base..series | head -n 1)
		script -qec "'$scripts/build' --rev '$first' --config on '$tree'" /dev/null > "$tmp/terminal"
		try "on a terminal a build shows how far it is" grep -qE '\[[0-9]+/[0-9]+\] [0-9]+s CC ' "$tmp/terminal"
		shown=1
	fi
	n=0
	for rev in $(git -C "$tree" rev-list --reverse base..series); do
		n=$((n + 1))
		configs='off on'
		[ $((n % 2)) = 0 ] || configs='on off'
		for c in $configs; do
			case $n$c in 1on) but=registration.internal_kthreads ;; *) but= ;; esac
			try "$branch, patch $n, self-tests $c: builds without a warning, boots, passes${but:+ all but $but}" \
				step "$rev" "$c" "$but"
		done
	done
done
done_testing
