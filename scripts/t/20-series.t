#!/bin/bash
# Every series is in order and applies, by git am, quilt, patch -p1 and as Buildroot
# does it, without fuzz or offset; and what is wrong with one is noticed.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

cd "$top" || exit 2
default=$(default_branch)
tree=$("$scripts/fetch") || exit 2

while read -r _ _ series _; do
	[ "$series" = - ] || try "$series: in order" "$scripts/series" "$series"
done < <(grep -v '^#' configs/branches)

# spoiled WHAT TEXT COMMAND: a copy of a series that the command, which runs in it,
# spoils is found to be wrong, and TEXT is said.
spoiled() {
	local dir=$tmp/spoiled/linux-$default
	rm -rf "$tmp/spoiled"
	mkdir "$tmp/spoiled"
	cp -r "backports/linux-$default" "$dir"
	(cd "$dir" && eval "$3") || exit 2
	"$scripts/series" "$dir" > "$tmp/log" 2>&1
	[ $? = 1 ] && grep -qF "$2" "$tmp/log"
	result $? "noticed: $1"
}
spoiled "an unknown id" 'does not begin with [ Upstream commit' "sed -i 's/commit a7008584/commit a7008585/' 0001-*"
spoiled "a short id" 'does not begin with [ Upstream commit' "sed -i -E 's/commit (a7008584)[0-9a-f]*/commit \1/' 0001-*"
spoiled "a note of deviation that is missing" "no note [ $default" "sed -i 's/^\[ $default: /( /' 0001-*"
spoiled "another branch's note" "no note [ $default" "sed -i 's/^\[ $default: /[ 5.4.y: /' 0002-*"
spoiled "no Signed-off-by" 'no Signed-off-by' "sed -i '/^Signed-off-by/d' 0003-*"
spoiled "no Link" 'no Link' "sed -i '/^Link/d' 0004-*"
spoiled "the wrong branch in a subject" "does not say [PATCH $default 5/" "sed -i 's/^Subject: \[PATCH $default/Subject: [PATCH 5.4.y/' 0005-*"
cp -r "backports/linux-$default" "$tmp/linux-9.9.y"
"$scripts/series" "$tmp/linux-9.9.y" > "$tmp/log" 2>&1
result $(($? != 1)) "noticed: the wrong directory"
spoiled "an unknown subject" 'subject is that of no commit' "sed -i 's/silence noisy/mute noisy/' 0005-*"
spoiled "a patch that the file series lacks" '"series" and the files differ' "sed -i 2d series"
spoiled "a patch that is not there" '"series" and the files differ' "rm 0003-*"
spoiled "another order" '"series" and the files differ' "sort -r -o series series"
spoiled "a patch that is cut short" 'is cut short' "sed -i '/^---$/q' 0006-*"
spoiled "an empty series" 'no patches' "rm 000[1-9]*; : > series"
spoiled "a cover letter of something else" 'no cover letter' "cp 0001-* 0000-*"
spoiled "no cover letter" 'no cover letter' "rm 0000-*"

# files TREE DIR: what the series touch, from the tree, without git.
files() {
	rm -rf "$2"
	mkdir "$2"
	git -C "$1" archive base crypto Makefile | tar -x -C "$2"
}

# clean LOG: patch had to search for nothing.
clean() { ! grep -E 'fuzz|offset|FAILED|Reversed' "$1"; }

by_quilt() {
	(cd "$tmp/tree" && QUILT_PATCHES="$top/$1" quilt push -a --fuzz=0) > "$tmp/out" && clean "$tmp/out"
}

by_patch() {
	local p
	while read -r p; do
		patch -d "$tmp/tree" -p1 < "$1/$p" || return
	done < "$1/series" > "$tmp/out"
	clean "$tmp/out"
}

# As its support/scripts/apply-patches.sh takes BR2_LINUX_KERNEL_PATCH.
by_buildroot() {
	local p
	while read -r p; do
		patch -g0 -p1 -E --no-backup-if-mismatch -d "$tmp/tree" -t -N < "$1/$p" || return
	done < <(grep -Ev '^#' "$1/series") > "$tmp/out"
	clean "$tmp/out"
}

# same TREE REV: the files are those of the commit.
same() {
	rm -rf "$tmp/want" "$tmp/tree/.pc"
	mkdir "$tmp/want"
	git -C "$1" archive "$2" crypto Makefile | tar -x -C "$tmp/want"
	diff -r "$tmp/tree" "$tmp/want"
}

for branch in "$default" 5.10.y; do
	tree=$("$scripts/fetch" "$branch") || exit 2
	branch_row "$branch"
	try "$b_series: apply" with_series "$tree" "$branch"
	for how in quilt patch buildroot; do
		files "$tree" "$tmp/tree"
		try "$b_series: by $how, without fuzz or offset" "by_$how" "$b_series"
		try "$b_series: that is the same" same "$tree" series
	done
done

tree=$("$scripts/fetch") || exit 2
branch_row "$default"
try "check --series --tree" "$scripts/check" --series --tree "$tree"
"$scripts/series" --tree "$tree" > "$tmp/said" 2>&1
try "it says that the series applies" grep -F "$b_series: in order; Linux $(tree_version "$tree" base): all" "$tmp/said"
git clone -q --shared --no-checkout "$tree" "$tmp/clone"
git -C "$tmp/clone" config user.name t && git -C "$tmp/clone" config user.email t@localhost
git -C "$tmp/clone" sparse-checkout set --no-cone /crypto/ /Makefile
git -C "$tmp/clone" checkout -q --detach base
sed -i 's|^EXPORT_SYMBOL_GPL(crypto_register_instance);|& /* other */|' "$tmp/clone/crypto/algapi.c"
git -C "$tmp/clone" commit -q -a -m other
"$scripts/check" --series --tree "$tmp/clone" > "$tmp/said" 2>&1
result $(($? != 1)) "check --series --tree, where it does not apply: status 1"
try "it says which hunk of which patch" grep -E "^$b_series: .* 0001-.* does not apply: patch failed: crypto/algapi.c:[0-9]+" "$tmp/said"
git -C "$tmp/clone" reset -q --hard HEAD^

changed() { git -C "$tmp/clone" diff base "$("$scripts/apply" --tree "$tmp/clone" --series "$1" && git -C "$tmp/clone" checkout -q --detach base)"; }
changed "$b_series" > "$tmp/ours" 2> "$tmp/log"
changed patches/v6.1 > "$tmp/theirs" 2> "$tmp/log"
try "$b_series changes something" test -s "$tmp/ours"
try "patches/v6.1 applies to $default too and changes the same" cmp "$tmp/ours" "$tmp/theirs"
cat patches/v6.1/000[1-9]*.patch > "$tmp/all"
try "it changes no more than the five files" test \
	"$(git apply --numstat "$tmp/all" | cut -f3 | sort -u | wc -l)" = 5
try "patches/v6.1 says what it is based on" grep -qE '^base-commit: [0-9a-f]{40}$' patches/v6.1/0000-cover-letter.patch
try "patches/mainline adds what is in selftests/crypto, no more and no less" "$scripts/selftests-patch" --check
done_testing
