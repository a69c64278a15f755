#!/bin/bash
# Every series is complete, has its headers, and applies without fuzz.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

cd "$top" || exit 2
tree=$("$scripts/fetch") || exit 2
default=$(default_branch)

# What v6.2 has, as MAINTAINERS-notes lists it.
mapfile -t known < <(grep -oE '^    [0-9a-f]{40} ' MAINTAINERS-notes | tr -d ' ')
try "MAINTAINERS-notes lists the commits of v6.2" test ${#known[@]} = 6

complete() {
	diff <(sort "$1/series") <(cd "$1" && ls 000[1-9]*.patch) || return 1
	sort -c "$1/series"
	[ -s "$1/0000-cover-letter.patch" ]
}

signed() {
	local p
	for p in "$1"/000[1-9]*.patch; do
		grep -q '^Signed-off-by: .* <.*@.*>$' "$p" || { echo "$p: no Signed-off-by"; return 1; }
		grep -q '^Link: https://' "$p" || { echo "$p: no Link"; return 1; }
	done
}

# Stable's header comes first in the message and names a commit we know; its
# subject names the branch.
stable_header() {
	local p id
	for p in "$1"/000[1-9]*.patch; do
		id=$(awk 'seen && NF { print; exit } !NF { seen = 1 }' "$p" |
			sed -n 's/^\[ Upstream commit \([0-9a-f]\{40\}\) \]$/\1/p')
		[ -n "$id" ] || { echo "$p: no [ Upstream commit <40 hex> ]"; return 1; }
		[[ " ${known[*]} " == *" $id "* ]] || { echo "$p: unknown commit $id"; return 1; }
		grep -q "^Subject: \[PATCH $(basename "$1" | sed 's/^linux-//') [0-9]*/[0-9]*\]" "$p" ||
			{ echo "$p: the subject does not name the branch"; return 1; }
	done
}

# diff_after SERIES: what it changes in the tree.
diff_after() {
	local rev
	rm -rf "$tmp/clone"
	git clone -q --shared --no-checkout "$tree" "$tmp/clone" || return
	git -C "$tmp/clone" config user.name t && git -C "$tmp/clone" config user.email t@localhost
	git -C "$tmp/clone" sparse-checkout set --no-cone /crypto/ /Makefile
	git -C "$tmp/clone" checkout -q --detach base || return
	rev=$("$scripts/apply" --tree "$tmp/clone" --series "$1") || return
	git -C "$tmp/clone" diff base "$rev"
}

while read -r _ _ series _; do
	[ "$series" != - ] || continue
	try "$series: the file series and a cover letter" complete "$series"
	try "$series: Signed-off-by and Link" signed "$series"
	case $series in
	backports/*) try "$series: the headers of stable" stable_header "$series" ;;
	*) try "$series: base-commit" grep -qE '^base-commit: [0-9a-f]{40}$' "$series/0000-cover-letter.patch" ;;
	esac
done < <(grep -v '^#' configs/branches)

branch_row "$default"
try "$b_series applies to $(basename "$tree")" diff_after "$b_series"
diff_after "$b_series" > "$tmp/ours" 2>&1
diff_after patches/v6.1 > "$tmp/theirs" 2>&1
try "patches/v6.1 applies there too and changes the same" cmp "$tmp/ours" "$tmp/theirs"
grep -v '^index ' "$tmp/ours" > "$tmp/want"
cat patches/v6.1/000[1-9]*.patch > "$tmp/all"
try "it changes no more than the five files" test \
	"$(git apply --numstat "$tmp/all" | cut -f3 | sort -u | wc -l)" = 5
try "patches/mainline adds what is in selftests/crypto, no more and no less" "$scripts/selftests-patch" --check
done_testing
