#!/bin/bash
# Shell by shellcheck, patches and C by the kernel's own checkpatch.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

cd "$top" || exit 2
tree=$("$scripts/fetch") || exit 2

# Stable's header quotes a commit in a form of its own, and a tree without
# mainline's history cannot know it.  EXPORT_SYMBOL: checkpatch does not see a
# definition right after an #ifdef.
checkpatch() {
	(cd "$tree" && scripts/checkpatch.pl --strict --quiet --no-summary --show-types \
		--ignore GIT_COMMIT_ID,UNKNOWN_COMMIT_ID,EXPORT_SYMBOL,FILE_PATH_CHANGES "$@")
}

mapfile -t shell < <(grep -lE '^#!/bin/bash|^# shellcheck shell' -r scripts .ci)
try "shellcheck: ${#shell[@]} files" shellcheck "${shell[@]}"
for p in patches/*/*.patch backports/*/*.patch; do
	case $p in */0000-*) continue ;; esac
	try "checkpatch --strict: $p" checkpatch "$top/$p"
done
for f in selftests/crypto/*.[ch] selftests/crypto/test_modules/*.[ch] scripts/*.c; do
	try "checkpatch --strict: $f" checkpatch --file "$top/$f"
done
done_testing
