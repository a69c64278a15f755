#!/bin/bash
# The main job, end to end, on the default branch and on 5.10.y: each claim of verify.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

default=$(default_branch)
for branch in "$default" 5.10.y; do
	# The table is for whoever reads the log; TAP readers skip what they do not know.
	"$scripts/verify" --json "$tmp/figures.json" "$branch" > "$tmp/table" 2> "$tmp/log"
	status=$?
	sed 's/^/# /' "$tmp/table"
	result $((status > 1)) "$branch: verify comes to an end"
	while IFS=$'\t' read -r ok what; do
		: > "$tmp/log"
		[ "$ok" = true ]
		result $? "$branch: $what"
	done < <(jq -r '.claims[] | [.ok, .what] | @tsv' "$tmp/figures.json")
done

start=$SECONDS
try "verify again, with nothing changed" "$scripts/verify" --json "$tmp/again.json"
try "that takes less than 40 s ($((SECONDS - start)))" test $((SECONDS - start)) -lt 40

# What is shown is what a run had to say that was recorded, not what someone typed.
try "README and the cover letters show what is recorded" "$scripts/report" --check
for f in "$top"/selftests/results/*-*.json; do
	try "every claim holds in $(basename "$f")" jq -e '[.claims[].ok] | length > 0 and all' "$f"
done
cp -r "$top" "$tmp/copy"
sed -i 's/| of them cryptomgr_test  *| [0-9]*/| of them cryptomgr_test | 1/' "$tmp/copy/README.md"
"$tmp/copy/scripts/report" --check > "$tmp/log" 2>&1
result $(($? != 1)) "a figure typed by hand is noticed"
done_testing
