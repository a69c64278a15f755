# shellcheck shell=bash
# What the scripts share; they source it first.  Sets $top, the repository, and
# $cache, where trees, builds and images live: $CRYPTO_CACHE, or
# crypto-registration in the user's cache directory.
#
# Exit statuses, the same everywhere: 0 ok, 1 a claim failed, 2 usage or set-up,
# 3 the kernel panicked or complained, 4 it ran out of time; 130 and 143 for an
# interrupted or terminated run.

set -euo pipefail
export LC_ALL=C
# Called from a hook, git commands would work on the tree of the hook.
# shellcheck disable=SC2046 # names of variables
! command -v git > /dev/null || unset $(git rev-parse --local-env-vars)
unset CDPATH
# depmod and mkfs.ext4 are not where every user looks.
PATH=$PATH:/usr/sbin:/sbin

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
me=${0##*/}
tmp=

say() { printf '%s: %s\n' "$me" "$*" >&2; }

# die STATUS MESSAGE...
die() {
	local status=$1
	shift
	say "$*"
	exit "$status"
}

[ -n "${CRYPTO_CACHE:-}${XDG_CACHE_HOME:-}${HOME:-}" ] || die 2 "no HOME: set CRYPTO_CACHE"
cache=${CRYPTO_CACHE:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/crypto-registration}
case $cache in /*) ;; *) cache=$PWD/$cache ;; esac
cache=${cache%/}
case $cache in *[[:space:]:]*) die 2 "$cache: kbuild takes no directory with a space or a colon in its name" ;; esac

# The help of a script is the comment at its head.
help() {
	sed -n '2,/^[^#]/{/^#/!q;s/^# \{0,1\}//;p}' "$0"
	exit 0
}

usage() { die 2 "$* (see $me --help)"; }

# arg OPTION "$@": the value of an option, or the usage message.
arg() {
	[ $# -ge 2 ] && [ -n "$2" ] || usage "$1 needs a value"
	printf '%s\n' "$2"
}

# A scratch directory, $tmp, that is gone when the script ends.
make_tmp() {
	[ -z "$tmp" ] || return 0
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/crypto-$me.XXXXXX") ||
		die 2 "cannot make a scratch directory in ${TMPDIR:-/tmp}"
	trap 'rm -rf "$tmp"' EXIT
	trap 'say interrupted; exit 130' INT
	trap 'say terminated; exit 143' TERM
}

# One run at a time uses the cache; children of the holder share its lock.
lock_cache() {
	[ "${CRYPTO_LOCKED:-}" != "$cache" ] || return 0
	mkdir -p "$cache" 2> /dev/null || die 2 "cannot write to $cache"
	{ : > "$cache/lock"; } 2> /dev/null || die 2 "cannot write to $cache"
	exec 9> "$cache/lock"
	flock -n 9 || die 2 "another run is using $cache: wait for it, or set CRYPTO_CACHE"
	export CRYPTO_LOCKED=$cache
	# Left over from runs that were killed.
	rm -rf "$cache"/trees/.new.* "$cache"/images/.new.*
}

# need_space GIB: the cache has room for that much more.
need_space() {
	local kib
	kib=$(df --output=avail -k "$cache" | tail -n 1)
	[ "$kib" -ge $(($1 * 1048576)) ] ||
		die 2 "no space: $cache needs $1 GiB free and has $((kib / 1048576))"
}

# need COMMAND=PACKAGE...: makes sure the commands are there.  A package that
# has no command of its own is named by a file it installs.
need() {
	local pair missing=()
	for pair; do
		case $pair in
		/*) [ -e "${pair%%=*}" ] || missing+=("${pair#*=}") ;;
		*) command -v "${pair%%=*}" > /dev/null || missing+=("${pair#*=}") ;;
		esac
	done
	[ ${#missing[@]} -gt 0 ] || return 0

	command -v apt-get > /dev/null ||
		die 2 "missing, and this is no Debian: ${missing[*]}"
	[ "$(id -u)" = 0 ] ||
		die 2 "missing packages, please run: sudo apt-get install ${missing[*]}"
	say "installing what is missing: ${missing[*]}"
	{
		apt-get -qq update &&
			DEBIAN_FRONTEND=noninteractive apt-get -qq install -y \
				--no-install-recommends "${missing[@]}"
	} > "$cache/packages.log" 2>&1 ||
		die 2 "cannot install ${missing[*]}: $(tail -n 1 "$cache/packages.log")"
}

need_build_tools() {
	mkdir -p "$cache" 2> /dev/null || die 2 "cannot write to $cache"
	command -v "${CC:-gcc}" > /dev/null || [ -z "${CC:-}" ] ||
		die 2 "no compiler: CC=$CC cannot be found"
	need git=git make=make gcc=gcc flex=flex bison=bison bc=bc perl=perl \
		cpio=cpio jq=jq xz=xz-utils flock=util-linux
	case $(gcc -print-file-name=libc.a) in */*) ;; *) need /libc.a=libc6-dev ;; esac
}

# machine NAME: sets what it is to kbuild: m_arch m_target m_image m_cross; the
# fragments of configs/ that it needs, for the kselftests and for its own crypto; for QEMU the
# emulator with its package, what it emulates and the ports, and what on the command
# line keeps the kernel from what is unlike a real machine there: the wait to calibrate a
# timer, and erms (297), as each byte that "rep stosb" clears counts as an instruction;
# what to call it, and the option that chooses it.
machine() {
	m_cross='' m_kselftest='' m_crypto='' m_qemu='' m_hardware='' m_smp='' m_console=ttyS0 m_results=ttyS1 m_unlike=''
	# shellcheck disable=SC2034 # for the caller
	case $1 in
	uml)
		m_arch=um m_target=linux m_image=linux m_fragments=uml
		m_title='User-Mode Linux' m_option=''
		;;
	x86_64)
		m_arch=x86_64 m_target=bzImage m_image=arch/x86/boot/bzImage m_fragments=x86_64
		m_kselftest=x86_64-kselftest
		m_qemu=qemu-system-x86_64=qemu-system-x86 m_hardware=pc m_smp=2,sockets=2 m_unlike='nolapic_timer clearcpuid=297'
		m_title='x86_64 in QEMU, 2 processors' m_option=' --machine x86_64'
		;;
	arm64)
		m_arch=arm64 m_target=Image m_image=arch/arm64/boot/Image m_fragments=arm64 m_crypto=arm64-crypto
		[ "$(uname -m)" = aarch64 ] || m_cross=aarch64-linux-gnu-
		m_qemu=qemu-system-aarch64=qemu-system-arm m_smp=1 m_hardware='virt -device virtio-serial-device -device virtconsole,chardev=results'
		m_console=ttyAMA0 m_results=hvc0
		m_title='arm64 in QEMU' m_option=' --machine arm64'
		;;
	*) usage "--machine takes uml, x86_64 or arm64" ;;
	esac
}

# branch_row BRANCH: sets b_name b_state b_series b_package b_suites.
branch_row() {
	# shellcheck disable=SC2034 # for the caller
	read -r b_name b_state b_series b_package b_suites < <(
		awk -v b="$1" '$1 == b' "$top/configs/branches") ||
		die 2 "unknown branch $1, one of:$(branches | sed 's/^/ /' | tr -d '\n')"
}

branches() { awk '!/^#/ { print $1 }' "$top/configs/branches"; }

default_branch() { awk '!/^#/ && $3 != "-" { print $1; exit }' "$top/configs/branches"; }

# Makefile of a kernel on stdin, its version on stdout: 6.1.192
kernel_version() {
	awk -F' *= *' '/^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION) *=/ { v[$1] = $2 }
		END { printf "%s.%s.%s%s\n", v["VERSION"], v["PATCHLEVEL"], v["SUBLEVEL"], v["EXTRAVERSION"] }'
}

tree_version() { git -C "$1" show "${2:-HEAD}:Makefile" | kernel_version; }

# AWK's test of a version against FROM-TO, of which either end may be missing.
range_awk='
	function n(s, a) { split(s, a, "."); return a[1] * 1000 + a[2] }
	function in_range(v, r, e) {
		split(r, e, "-")
		return (e[1] == "" || n(v) >= n(e[1])) && (e[2] == "" || n(v) <= n(e[2]))
	}'

# version_in VERSION FROM-TO
version_in() { awk -v v="$1" -v r="$2" "$range_awk"' BEGIN { exit !in_range(v, r) }'; }

# fragment VERSION FILE...: the symbols of the fragments that this version has; of
# two lines about one symbol the last counts.
fragment() {
	awk -v v="$1" "$range_awk"'
		FNR == 1 { use = 1 }
		/^# kernels / { use = in_range(v, $3) }
		/^(# )?CONFIG_/ && use {
			symbol = $0
			gsub(/^# |[= ].*/, "", symbol)
			if (!(symbol in line)) order[++count] = symbol
			line[symbol] = $0
		}
		END { for (i = 1; i <= count; i++) print line[order[i]] }' "${@:2}"
}

# The branch that a kernel version belongs to.
branch_of_version() {
	local v=$1 row
	row=$(awk -v x="$(cut -d. -f1-2 <<< "$v")" -v z="$v" '
		$1 == x ".y" && z !~ "^" x "[.]0" { print $1; exit }
		$1 == "v" x && z ~ "^" x "[.]0" { print $1; exit }' "$top/configs/branches")
	if [ -n "$row" ]; then
		echo "$row"
	elif version_in "$v" 6.2-; then
		echo mainline
	else
		die 2 "Linux $v belongs to no branch in configs/branches"
	fi
}

# has_change TREE [REV]: algorithms are registered without a needless test
# there.  That function came with the change, in v6.2 and in the series.
has_change() {
	git -C "$1" grep -q '^static void crypto_alg_finish_registration(' "${2:-HEAD}" -- crypto/algapi.c
}

# checkpatch TREE ARGS...: the tree's own, at its strictest.  Stable's header quotes
# a commit in a form of its own, and a tree without mainline's history cannot know
# it; a definition right after an #ifdef is not seen; new files are in MAINTAINERS.
checkpatch() {
	(cd "$1" && scripts/checkpatch.pl --strict --quiet --no-summary --show-types \
		--ignore GIT_COMMIT_ID,UNKNOWN_COMMIT_ID,EXPORT_SYMBOL,FILE_PATH_CHANGES "${@:2}")
}

# with_series TREE BRANCH: that tree of the cache, as it came, and a branch "series" in
# it that has the series for BRANCH.  Status 2, or that of apply.
with_series() {
	git -C "$1" checkout -q -f --detach base || return 2
	git -C "$1" branch -q -D series 2> /dev/null || true
	"$top/scripts/apply" --tree "$1" --branch series "$2" > /dev/null
}

# The patches that the file "series" in a directory names, in order.
series_files() {
	awk -v d="$1" 'NF && !/^#/ { print d "/" $1 }' "$1/series"
}
