#!/bin/bash
# The kselftests build, install and run where kselftests do: inside an old tree, the
# tree of the default branch and the newest one, with gcc and clang, for this
# machine and for arm64, and with the kernel's own runner in a machine.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

ksft=tools/testing/selftests
read -ra programs < <(sed -n 's/^TEST_GEN_PROGS := //p' "$top/selftests/crypto/Makefile")

# built DIR MAKE...: makes all programs there, without a warning.
built() {
	local dir=$1 p
	shift
	mkdir -p "$dir"
	for p in "${programs[@]}"; do rm -f "$dir/$p"; done
	"$@" > "$tmp/make" 2>&1 || { tail -n 20 "$tmp/make"; return 1; }
	! grep -B 5 warning: "$tmp/make" || return
	for p in "${programs[@]}"; do [ -x "$dir/$p" ] || { echo "no $dir/$p"; return 1; }; done
}

# built_for_arm64 DIR MAKE...
built_for_arm64() {
	built "$@" || return
	readelf -h "$1/kthreads" | grep AArch64
}

# installed DIR: what the runner needs, in a directory or a tarball.
installed() {
	local list
	if [ -d "$1" ]; then list=$(cd "$1" && find . -type f); else list=$(tar -tf "$1"); fi
	for p in run_kselftest.sh crypto/settings "${programs[@]/#/crypto/}"; do
		grep -qxF "./$p" <<< "$list" || { echo "no $p"; return 1; }
	done
}

# fresh: a copy in $src of what "make kselftest" needs; not the built tree itself,
# which has to stay as it came.  Old kernels leave headers in it.
fresh() {
	rm -rf "$src"
	mkdir "$src"
	git -C "$tree" archive base $ksft tools/scripts tools/include tools/arch scripts include usr \
		arch/x86 arch/arm64 security/selinux/include Makefile Kbuild \
		':(glob)**/Kconfig*' ':(glob)**/Makefile' | tar -x -C "$src"
	rm -rf "$src/$ksft/crypto"
	cp -r "$top/selftests/crypto" "$src/$ksft/crypto"
}

for branch in 5.10.y "$(default_branch)" mainline; do
	tree=$("$scripts/fetch" "$branch") || exit 2
	src=$tmp/$branch
	version=$(tree_version "$tree" base)
	here=$src/$ksft/crypto

	for o in "$tmp/$branch.o" relative; do
		if [ "$o$branch" = relative5.10.y ]; then
			skip "$version: make O=relative" "fails there with any kselftest"
			continue
		fi
		fresh
		abs=$(cd "$src" && mkdir -p "$o" && cd "$o" && pwd)/kselftest
		make -C "$src" O="$o" allnoconfig > "$tmp/log" 2>&1
		try "$version: make O=${o/#$tmp/} kselftest-install" \
			built "$abs/crypto" make -C "$src" O="$o" TARGETS=crypto kselftest-install
		try "$version: that installs all of it" installed "$abs/kselftest_install"
		try "$version: make O=${o/#$tmp/} kselftest-gen_tar" make -C "$src" O="$o" TARGETS=crypto kselftest-gen_tar
		try "$version: that packs all of it" installed "$abs"/kselftest_install/kselftest-packages/kselftest.tar.gz
	done
	fresh
	try "$version: make -C $ksft TARGETS=crypto" \
		built "$here" make -C "$src/$ksft" TARGETS=crypto
	try "$version: make -C $ksft/crypto" built "$here" make -C "$here"
	try "$version: with clang" built "$here" make -C "$here" CC=clang
	try "$version: for arm64" built_for_arm64 "$tmp/arm64" \
		make -C "$here" OUTPUT="$tmp/arm64" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-
	try "$version: for arm64 with clang" built_for_arm64 "$tmp/arm64" \
		make -C "$here" OUTPUT="$tmp/arm64" ARCH=arm64 CC='clang --target=aarch64-linux-gnu'
	try "$version: from outside the tree" built "$tmp/out" make -C "$top/selftests/crypto" KSFT="$tree/$ksft" OUTPUT="$tmp/out"
done

# With the kernel's own runner and busybox, before the series and after.
tree=$("$scripts/fetch") || exit 2
with_series "$tree" "$(default_branch)" || exit 2
tests=$("$scripts/build" --selftests --rev base "$tree") || exit 2
run=$tmp/runner
mkdir -p "$run/root/bin"
cp "$tests/init" "$run/"
: > "$run/list"
try "installs for the machine" make -C "$tmp/$(default_branch)/$ksft" clean install TARGETS=crypto \
	LDFLAGS=-static INSTALL_PATH="$run/root/kselftest"
cp "$(command -v busybox)" "$run/root/bin/"
busybox --list | grep -vx busybox | while read -r applet; do ln -sf busybox "$run/root/bin/$applet"; done
for rev in base series; do
	image=$("$scripts/build" --rev $rev "$tree") || exit 2
	# This lib.mk knows nothing of modules.
	mkdir -p "$run/root/kselftest/crypto/test_modules"
	cp "$image"/*.ko "$run/root/kselftest/crypto/test_modules/"
	"$scripts/boot" "$image" "$run" > "$tmp/ktap" 2> "$tmp/log"
	for p in "${programs[@]}"; do
		want='ok'
		case $rev$p in basekthreads | baseregistration | basefail_nth) want='not ok' ;; esac
		try "run_kselftest.sh -c crypto, $rev: $want $p" \
			grep -qE "^$want [0-9]+ selftests: crypto: $p( # exit=1)?\$" "$tmp/ktap"
	done
done

newest=$("$scripts/fetch" mainline) || exit 2
git -C "$newest" checkout -q -f --detach base
try "$(tree_version "$newest"): patches/mainline applies" \
	"$scripts/apply" --check --tree "$newest" --series "$top/patches/mainline"
try "$(tree_version "$newest"): apply says that it is upstream, with status 0" \
	sh -c "'$scripts/apply' --tree '$newest' 2>&1 | grep 'already upstream since v6.2'"
done_testing
