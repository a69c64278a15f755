#!/bin/bash
# The kselftests build where kselftests are built: inside an old tree, the tree
# of the default branch and the newest one, with gcc and with clang.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

ksft=tools/testing/selftests
# built DIR MAKE...: makes both programs there, without a warning.
built() {
	local dir=$1
	shift
	mkdir -p "$dir"
	rm -f "$dir"/kthreads "$dir"/first_use
	"$@" > "$tmp/make" 2>&1 || { cat "$tmp/make"; return 1; }
	! grep -B 5 warning: "$tmp/make" || return
	[ -x "$dir/kthreads" ] && [ -x "$dir/first_use" ]
}

for branch in 5.10.y "$(default_branch)" mainline; do
	tree=$("$scripts/fetch" "$branch") || exit 2
	rm -rf "$tmp/src"
	mkdir -p "$tmp/src/tools"
	# What "make -C tools/testing/selftests" needs; not the built tree itself,
	# which has to stay as it came.
	git -C "$tree" archive base $ksft tools/scripts tools/include scripts include usr \
		arch/x86 arch/arm64 Makefile Kbuild | tar -x -C "$tmp/src"
	rm -rf "$tmp/src/$ksft/crypto"
	cp -r "$top/selftests/crypto" "$tmp/src/$ksft/crypto"
	version=$(tree_version "$tree" base)
	here=$tmp/src/$ksft/crypto
	try "$version: make -C $ksft TARGETS=crypto" \
		built "$here" make -C "$tmp/src/$ksft" TARGETS=crypto
	try "$version: make -C $ksft/crypto" built "$here" make -C "$here"
	if command -v clang > /dev/null; then
		try "$version: with clang" built "$here" make -C "$here" CC=clang
	else
		skip "$version: with clang" "no clang here"
	fi
	try "$version: from outside the tree" built "$tmp/out" make -C "$top/selftests/crypto" KSFT="$tree/$ksft" OUTPUT="$tmp/out"
done

newest=$("$scripts/fetch" mainline) || exit 2
git -C "$newest" checkout -q -f --detach base
try "$(tree_version "$newest"): patches/mainline applies" \
	"$scripts/apply" --check --tree "$newest" --series "$top/patches/mainline"
try "$(tree_version "$newest"): apply says that it is upstream, with status 0" \
	sh -c "'$scripts/apply' --tree '$newest' 2>&1 | grep 'already upstream since v6.2'"
done_testing
