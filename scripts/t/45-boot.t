#!/bin/bash
# boot tells how a machine ended: a panic, a hang, a complaint, a failed test.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

tree=$("$scripts/fetch") || exit 2
image=$("$scripts/build" --rev base "$tree") || exit 2
tests=$("$scripts/build" --selftests --rev base "$tree") || exit 2

# program NAME C: a directory of tests with that one program.
program() {
	mkdir "$tmp/$1"
	cp "$tests/init" "$tmp/$1/init"
	echo "$1" > "$tmp/$1/list"
	gcc -static -x c -o "$tmp/$1/$1" - <<< "#include <stdio.h>
		#include <unistd.h>
		int main(void) { $2 }"
}

# ends STATUS TEXT WHAT ARGS...: boot's status, and TEXT on its stderr.
ends() {
	local want=$1 text=$2 what=$3 got=0
	shift 3
	"$scripts/boot" "$@" > "$tmp/log" 2> "$tmp/stderr" || got=$?
	[ $got = "$want" ] && { [ -z "$text" ] || grep "$text" "$tmp/stderr" > "$tmp/log"; }
	result $? "$what: status $want${text:+, $text}"
}

program fine 'return 0;'
program skipped 'return 4;'
program bad 'return 1;'
program hang 'pause(); return 0;'
program warn 'FILE *f = fopen("/dev/kmsg", "w"); fputs("WARNING: made up\n", f); return fclose(f);'
program loud 'puts("no newline at the end\n\nnot ok 1 selftests: crypto: loud"); printf("ok"); return 0;'

ends 0 '' "a test that passes" "$image" "$tmp/fine"
ends 0 '' "a test that is skipped" "$image" "$tmp/skipped"
ends 1 'failed: bad' "a test that fails" "$image" "$tmp/bad"
ends 4 'no end after 3 s' "a test that hangs" --timeout 3 "$image" "$tmp/hang"
ends 3 'complained: .*WARNING: made up' "a warning in the log" "$image" "$tmp/warn"
ends 0 '' "what a test prints is no verdict" "$image" "$tmp/loud"
ends 3 'panicked: Kernel panic' "no init" --append rdinit=/nonexistent "$image" "$tmp/fine"
ends 3 'stopped early\|panicked' "no memory" --append mem=8M "$image" "$tmp/fine"
try "a machine that died shows its console" grep 'last lines of the console' "$tmp/stderr"
cp -r "$tmp/fine" "$tmp/nosh" && mkdir -p "$tmp/nosh/root/kselftest"
echo 'echo ok' > "$tmp/nosh/root/kselftest/run_kselftest.sh"
ends 3 'Bail out! cannot run' "a runner without a shell" "$image" "$tmp/nosh"
ends 2 'cannot write' "no place for the output" --out /proc/nowhere "$image" "$tmp/fine"
done_testing
