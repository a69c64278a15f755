#!/bin/bash
# The short form of bench on the default branch, twice: the figures are there, they can
# be repeated, and no kthread is left.  No time is held against a limit here, but that
# of the second run.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

# has WHAT JQ: of the variants in the first run.
has() { try "$1" jq -e ".variants | INDEX(.variant) | $2" "$tmp/1.json"; }

try "bench --short" "$scripts/bench" --short --json "$tmp/1.json"
has "it measured unpatched and series" '[keys[]] == ["series", "unpatched"]'
has "there is a figure for each" 'all([.median, .plain_median, .tasks, .algorithms, .sizes[].text] | length == 8 and all(. > 0))'
has "unpatched makes a kthread per algorithm" '.unpatched | .ended >= .algorithms and .algorithms > 200'
has "series makes none" '.series.ended == 0'
has "series takes less time" '.series.median < .unpatched.median'
has "the same seed gives the same boot, within 20 us" 'all(.again <= 20)'

start=$SECONDS
try "again" "$scripts/bench" --short --json "$tmp/2.json"
try "with nothing changed that takes less than 180 s ($((SECONDS - start)))" test $((SECONDS - start)) -lt 180
# shellcheck disable=SC2016 # jq's variables
try "the two agree within the spread" jq -e -s '
	map(.variants | INDEX(.variant) | map_values({ median, spread })) as [$a, $b]
	| $a | to_entries | all((.value.median - $b[.key].median | fabs) <= ([.value.spread, $b[.key].spread] | max))' "$tmp/1.json" "$tmp/2.json"
try "report shows it" grep -q 'gone again *| 2[0-9]* *| 0 ' <("$scripts/report" "$tmp/1.json")

for f in "$top"/selftests/results/bench/*.json; do
	name=${f%.json}
	"$scripts/report" "$f" > "$tmp/tables" 2> "$tmp/log"
	result $? "report shows $(basename "$name")"
	for part in 'plain boot to PID 1' 'One registration' 'First use' 'not tested' 'Initcalls' 'bloat-o-meter|kthreads that test nothing'; do
		try "with: $part" grep -qE "$part" "$tmp/tables"
	done
	try "no kthread tests anything where self-tests are off" jq -e '
		.grow | del(.unpatched) | all(.[]; all(.[]; .tasks == 0))' "$f"
	try "initcalls are the same before and after" jq -e '[.initcalls[] | map(.name)] | unique | length == 1' "$f"
	try "plots of $(basename "$name")" "$scripts/measure/plot" "$f" "$tmp/plot"
	for p in boot growth; do
		what="the recorded $p plot of $(basename "$name") is of these figures"
		if [ "$(grep Produced "$tmp/plot-$p.svg")" = "$(grep Produced "$name-$p.svg")" ]; then
			try "$what" cmp "$tmp/plot-$p.svg" "$name-$p.svg"
		else
			skip "$what" "another gnuplot made it"
		fi
	done
done
done_testing
