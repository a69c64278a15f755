#!/bin/bash
# The mails that would be sent: who gets them, what they say, and that what is wrong
# with them is noticed.  Nothing leaves this machine.
# shellcheck source=scripts/t/tap.sh
. "$(dirname "$0")/tap.sh"

default=$(default_branch)
branch_row "$default"
export CRYPTO_CACHE=$cache HOME=$tmp GIT_CONFIG_GLOBAL=$tmp/gitconfig
# The repository's own identity is not to be found in a copy without git.
cp -r "$top" "$tmp/copy" && rm -rf "$tmp/copy/.git" && git init -q "$tmp/copy"
submit=$tmp/copy/scripts/submit

refuse 2 'set user.name and user.email' "$submit" "$default"
cat > "$tmp/sendmail" <<EOF
#!/bin/sh
cat >> "$tmp/sent"
EOF
chmod +x "$tmp/sendmail"
git config --global sendemail.smtpServer "$tmp/sendmail"
# What people have in their configuration, and what must not matter.
git config --global diff.noprefix true
git config --global format.attach true
git config --global format.to hidden@localhost
git config --global sendemail.bcc hidden@localhost
git config --global user.name 'Anna Sender' && git config --global user.email sender@localhost
refuse 2 'which branch' "$submit"
refuse 2 'there is nothing to submit' "$submit" 6.12.y
refuse 2 'takes no patches' "$submit" v6.1
refuse 2 'needs a --changelog' "$submit" -v 2 "$default"
refuse 2 'takes a number' "$submit" -v x "$default"
: > "$tmp/empty"
printf 'Changes:\n--- a/file\n' > "$tmp/odd"
refuse 2 'would be taken for a part of a patch' "$submit" -v 2 --changelog "$tmp/odd" "$default"
mkdir "$tmp/full" && touch "$tmp/full/file"
refuse 2 'is not empty' "$submit" --out "$tmp/full" "$default"

# mail N: the headers of that mail, unfolded.
mail() { sed -n '1,/^$/p' "$tmp/out"/*000"$1"-* | sed -e ':a;N;$!ba;s/\n[ \t]/ /g'; }

for branch in "$default" 5.10.y; do
	rm -rf "$tmp/out"
	try "$branch: the mails are made and checked" "$submit" --out "$tmp/out" "$branch"
	n=$(grep -c . "$top/backports/linux-$branch/series")
	try "$branch: one for each patch, a cover letter, an mbox" test "$(find "$tmp/out" -type f | wc -l)" = $((n + 2))
	try "$branch: subjects" sh -c "grep -hq '^Subject: \[PATCH $branch 0/$n\]' '$tmp'/out/0000-* && grep -hq '^Subject: \[PATCH $branch $n/$n\]' '$tmp'/out/000$n-*"
	mail 1 > "$tmp/mail"
	try "$branch: From, To stable, Cc the maintainers and linux-crypto" sh -c \
		"grep -q '^From: Anna Sender' '$tmp/mail' && grep -q '^To: stable@vger.kernel.org' '$tmp/mail' &&
		grep -q '^Cc: .*linux-crypto@vger.kernel.org' '$tmp/mail'"
	try "$branch: in one thread" sh -c "grep -q '^In-Reply-To: <cover' '$tmp/mail'"
	try "$branch: the cover letter has the measured table" grep -q '^| of them cryptomgr_test' "$tmp"/out/0000-*
	try "$branch: and what a boot costs" grep -q '^| plain boot to PID 1' "$tmp"/out/0000-*
	try "$branch: without the marks of report" sh -c "! grep -E '^= (begin|end) ' '$tmp'/out/0000-*"
	try "$branch: the sender's Signed-off-by" test \
		"$(grep -l '^Signed-off-by: Anna Sender <sender@localhost>' "$tmp"/out/000[1-9]-* | wc -l)" = "$n"
done

rm -rf "$tmp/out"
try "mainline: made and checked" "$submit" --out "$tmp/out" mainline
try "mainline: a single mail has no cover letter" test ! -e "$tmp/out/0000-cover-letter.patch"
mail 1 > "$tmp/mail"
try "mainline: to the maintainers of crypto and of selftests" sh -c \
	"grep -q '^To: .*herbert@' '$tmp/mail' && grep -q '^Cc: .*linux-kselftest@vger' '$tmp/mail' && ! grep -q stable@ '$tmp/mail'"

rm -rf "$tmp/out"
printf 'Changes in v2:\n- nothing\n' > "$tmp/changelog"
try "v2: made and checked" "$submit" --out "$tmp/out" -v 2 --changelog "$tmp/changelog" "$default"
try "v2: subjects" grep -q "^Subject: \[PATCH $default v2 1/" "$tmp"/out/v2-0001-*
for f in "$tmp"/out/v2-000[1-9]-*; do
	try "$(basename "$f" | cut -c1-7): the changelog is below ---" sh -c "sed -n '/^---\$/,/^diff/p' '$f' | grep -q '^Changes in v2:'"
done

# Sent only when asked: here to a program that keeps what it gets.
try "without --send nothing is sent" test ! -e "$tmp/sent"
rm -rf "$tmp/out"
try "--send" "$submit" --send --out "$tmp/out" "$default"
try "--send sends each mail" test "$(grep -c '^Subject: \[PATCH' "$tmp/sent")" = $(($(grep -c . "$top/$b_series/series") + 1))

try "nobody else gets it" sh -c "! grep hidden@ '$tmp/sent'"
printf '#!/bin/sh\nexit 1\n' > "$tmp/sendmail"
rm -rf "$tmp/out"
"$submit" --send --out "$tmp/out" "$default" > "$tmp/stdout" 2> "$tmp/said"
result $(($? != 2)) "--send that fails: status 2"
try "--send that fails: said how many were sent" grep -E '0 of [0-9]+ mails were sent' "$tmp/said"

# What is wrong is noticed.
printf '#!/bin/sh\nexit 1\n' > "$tmp/b4" && chmod +x "$tmp/b4"
rm -rf "$tmp/out"
PATH=$tmp:$PATH "$submit" --out "$tmp/out" "$default" > "$tmp/stdout" 2> "$tmp/said"
result $(($? != 1)) "b4 is asked: status 1"
try "b4 is asked: said so" grep 'b4 does not take the mails' "$tmp/said"
try "nothing is left where the mails would be" test -z "$(ls "$tmp/out")"
sed -i 's/^+\t\treturn NOTIFY_DONE;/+\t\treturn NOTIFY_DONE; /' "$tmp/copy/$b_series"/0006-*
rm -rf "$tmp/out"
"$submit" --out "$tmp/out" "$default" > "$tmp/stdout" 2> "$tmp/said"
result $(($? != 1)) "checkpatch is asked: status 1"
try "checkpatch is asked: said so" grep 'checkpatch: 0006-' "$tmp/said"
done_testing
