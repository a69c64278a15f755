#!/bin/bash
# Shell by shellcheck, patches and C by the kernel's own checkpatch.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

cd "$top" || exit 2
tree=$("$scripts/fetch" mainline) || exit 2

mapfile -t shell < <(grep -lE '^#!/bin/bash|^# shellcheck shell' -r scripts .ci)
try "shellcheck: ${#shell[@]} files" shellcheck "${shell[@]}"
for p in patches/*/*.patch backports/*/*.patch; do
	case $p in */0000-*) continue ;; esac
	try "checkpatch --strict: $p" checkpatch "$tree" "$top/$p"
done
for f in selftests/crypto/*.[ch] selftests/crypto/test_modules/*.[ch] scripts/*.c scripts/measure/*.c; do
	try "checkpatch --strict: $f" checkpatch "$tree" --file "$top/$f"
done
done_testing
