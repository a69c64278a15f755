#!/bin/bash
# Traps that people have met with such a change, on the default branch and on 5.10.y:
# a root file system that needs crc32c, without cryptomgr and with a modular one, after
# each patch; the crypto API in modules; arm64's two ctr-aes-ce; the self-test of the KDF.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

# prepared BRANCH: sets $tree, with the series on branch "series".
prepared() {
	tree=$("$scripts/fetch" "$1") || exit 2
	with_series "$tree" "$1" || exit 2
}

# mounts REV FRAGMENTS CONFIG: boots from ext4, and crc32c is there.
mounts() {
	local image
	image=$("$scripts/build" --rev "$1" --fragments "$2" --config "$3" "$tree") || return
	"$scripts/boot" --ext4 --out "$tmp/mounts" "$image" > "$tmp/ktap" || return
	grep '^# alg crc32c .* passed' "$tmp/ktap"
}

# modules CONFIG: they build, depmod finds no cycle, nothing is undefined.
modules() {
	local image lib
	image=$("$scripts/build" --rev series --fragments modular --config "$1" "$tree") || return
	lib=$(echo "$image"/root/lib/modules/*)
	find "$lib" -name 'crypto_algapi.ko' | grep . || return
	find "$lib" -name 'cryptomgr.ko' | grep . || return
	! grep -E 'undefined!|dependency cycle|crypto/.*warning:' "$image/log" || return
	depmod -n -e -E "$image/symvers" -b "$image/root" "$(basename "$lib")" \
		> "$tmp/depmod" 2> "$tmp/errors" || return
	! grep . "$tmp/errors"
}

# twice REV CONFIG: both ctr-aes-ce are there, and passed.
twice() {
	local image
	image=$("$scripts/build" --machine arm64 --rev "$1" --fragments arm64-ctr-twice --config "$2" "$tree") || return
	"$scripts/boot" "$image" > "$tmp/ktap" || return
	grep '^# alg' "$tmp/ktap"
	[ "$(grep -c '^# alg ctr(aes) ctr-aes-ce passed$' "$tmp/ktap")" = 2 ]
}

for branch in "$(default_branch)" 5.10.y; do
	prepared "$branch"
	for fragments in 'ext4 manager-n' 'ext4 manager-m'; do
		n=0
		for rev in $(git -C "$tree" rev-list --reverse base..series); do
			n=$((n + 1))
			for c in off on; do
				try "$branch, patch $n, $fragments, self-tests $c: ext4 is mounted" mounts "$rev" "$fragments" $c
			done
		done
	done
	for c in off on; do
		try "$branch, modular, self-tests $c: builds, and depmod is content" modules $c
	done
done

# What the first of these is there for.
prepared "$(default_branch)"
git -C "$tree" checkout -q -f --detach series
git -C "$tree" apply --index "$scripts/mutants/tested-not-set.patch"
git -C "$tree" commit -q -m tested-not-set
mounts HEAD 'ext4 manager-n' off > "$tmp/said" 2>&1
result $(($? == 0)) "tested-not-set: ext4 is not mounted"
try "because of crc32c" grep -a "Cannot load crc32c driver" "$tmp/mounts/console.log"
git -C "$tree" checkout -q -f --detach base

image=$("$scripts/build" --rev series "$tree") || exit 2
tests=$("$scripts/build" --selftests --rev base "$tree") || exit 2
for rev in base series; do
	image=$("$scripts/build" --rev $rev "$tree") || exit 2
	"$scripts/boot" --out "$tmp/$rev" "$image" "$tests" > "$tmp/log" 2>&1
done
try "before, CTR-KDF says that it passed" grep -qa 'CTR-KDF.*passed' "$tmp/base/console.log"
grep -a CTR-KDF "$tmp/series/console.log" > "$tmp/log"
result $(($? == 0)) "self-tests off: after, CTR-KDF says nothing"

prepared 5.10.y
for c in off on; do
	try "5.10.y, self-tests $c: arm64 has both ctr-aes-ce before" twice base $c
	try "5.10.y, self-tests $c: and after" twice series $c
done
git -C "$tree" checkout -q -f --detach base
done_testing
