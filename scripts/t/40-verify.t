#!/bin/bash
# The main job, end to end, on the default branch: each claim of verify.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

# The table is for whoever reads the log; TAP readers skip what they do not know.
"$scripts/verify" --json "$tmp/figures.json" > "$tmp/table" 2> "$tmp/log"
status=$?
sed 's/^/# /' "$tmp/table"
result $((status > 1)) "verify comes to an end"
while IFS=$'\t' read -r ok what; do
	: > "$tmp/log"
	[ "$ok" = true ]
	result $? "$what"
done < <(jq -r '.claims[] | [.ok, .what] | @tsv' "$tmp/figures.json")

start=$SECONDS
try "verify again, with nothing changed" "$scripts/verify" --json "$tmp/again.json"
try "that takes less than 40 s ($((SECONDS - start)))" test $((SECONDS - start)) -lt 40

# README shows what a run had to say that was recorded, not what someone typed.
branch_row "$(default_branch)"
recorded=$top/$b_series/figures.json
for f in README.md patches/v6.1/0000-cover-letter.patch "$b_series/0000-cover-letter.patch"; do
	cp "$top/$f" "$tmp/copy"
	try "$f shows the recorded figures" "$scripts/report" --update "$recorded" "$tmp/copy"
	try "$f has not drifted from them" cmp "$top/$f" "$tmp/copy"
done
try "every recorded claim holds" jq -e '[.claims[].ok] | length > 0 and all' "$recorded"
done_testing
