#!/bin/bash
# Wrong kernels, each failing the test cases that are there to catch it, and those
# that are not wrong failing none.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

"$scripts/mutate" --json "$tmp/mutants.json" > "$tmp/table" 2> "$tmp/log"
status=$?
sed 's/^/# /' "$tmp/table"
result $((status > 1)) "mutate comes to an end"
while IFS=$'\t' read -r ok what failed; do
	echo "failed: $failed" > "$tmp/log"
	[ "$ok" = true ]
	result $? "$what"
done < <(jq -r '.mutants[] | [.ok, "\(.name), self-tests \(.selftests): \(.killed_by | join(", "))",
	(.failed | join(", "))] | @tsv' "$tmp/mutants.json")
try "ten wrong kernels or more" jq -e '[.mutants[] | select(.killed_by != ["none"])] | length >= 10' "$tmp/mutants.json"
try "README shows the same kernels" diff \
	<(jq -r '.mutants[] | .name, .killed_by[]' "$top/selftests/results/mutants.json") \
	<(jq -r '.mutants[] | .name, .killed_by[]' "$tmp/mutants.json")
done_testing
