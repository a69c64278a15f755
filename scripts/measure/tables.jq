# jq -r --arg part PART -f tables.jq RESULTS: what bench found, in Markdown.  PART is
#   summary   a table of what it comes to
#   growth    what a registration costs the more algorithms there are
#   rest      first use, self-tests built in, initcalls, wall-clock
#   line      cells of one row for a table of all kernels
#   how       with what it was measured

# A cell without a value is "-".
def table:
  map(map(if . == null then "-" else tostring end)) as $rows
  | [$rows | transpose[] | map(length) | max] as $width
  | def line: "| " + ([range(0; $width | length) as $i | .[$i] + (" " * ($width[$i] - (.[$i] | length)) // "")] | join(" | ")) + " |";
  ($rows[0] | line), ("|" + ($width | map("-" * (. + 2) + "|") | add)), ($rows[1:][] | line);
def block(title; rows): "", title, "", ([rows] | table);

# In per cent, with one decimal.
def share(of): (. / of * 1000 | round) as $p | "\(if $p < 0 then "-" else "" end)\($p | fabs / 10 | floor).\($p | fabs % 10)";
def how: "Linux \(.kernel), \(.machine): \(.compiler), QEMU \(.qemu), \(.date), `\(.command)`";

# What a registration costs with n more algorithms.
def each($v; $n): .grow[$v][] | select(.n == $n) | .ns / .n | round;

# What the scans cost per algorithm on the list, of which there are on the average those
# of before and half of those that were added; and what else there is.
def scans: .variants[0].algorithms as $a
  | [.grow.series // .grow.upstream, .grow.floor | [.[] | { x: ($a + .n / 2), y: (.ns / .n) }]] as [$with, $without]
  | (($with[-1].y - $with[0].y) / ($with[-1].x - $with[0].x)) as $entry
  | { entry: $entry, rest: $without[0].y };

def summary:
  .variants as $v | $v[0] as $first | . as $all
  | def row(what; f): [what, ($v[] | f)];
  how, "",
  ([["self-tests off", $v[].variant],
    row("plain boot to PID 1, us"; .plain_median),
    row("  less than \($first.variant), us"; .plain_median | if . then $first.plain_median - . else null end),
    row("  less, %"; .plain_median | if . then $first.plain_median - . | share($first.plain_median) else null end),
    row("without what is unlike, us"; .median),
    row("  less than \($first.variant), us"; $first.median - .median),
    row("  spread over \($first.us | length) seeds, us"; .spread),
    row("  the same seed again differs by, us"; .again),
    row("tasks made before PID 1"; .tasks),
    row("  gone again"; .ended),
    row("algorithms registered"; .algorithms),
    row("  internal"; .internal),
    (select($all.grow) | row("one more registration, ns"; .variant as $x | $all | each($x; 50))),
    ($first.sizes[].file as $f | row("\($f): text + data, bytes"; .sizes[] | select(.file == $f) | .text + .data))]
   | table),
  "", "\"Unlike\" a real machine, and left out: `\(.without)`.";

def growth:
  . as $all | (.variants | map(.variant)) as $v
  | block("One registration, ns, of N more, on \(.kernel), \(.machine):";
      (["N"] + $v), (.grow[$v[0]][].n as $n | [$n, ($v[] as $x | $all | each($x; $n))])),
    (scans | "", "The scans of the list cost \(.entry | round) ns per algorithm on it.  From \(.rest / .entry | ceil) algorithms on that is more than the",
      "rest of a registration, \(.rest | round) ns" + if $v[0] == "unpatched" then
        (($all | each($v[0]; 50) - each($v[1]; 50)) as $kthread | ", and from about \($kthread / .entry / 10 | round * 10) on more than the kthread did, \($kthread) ns.") else "." end);

def rest:
  . as $all | (.variants | map(.variant)) as $v
  # On the floor nothing finds what a template made.
  | (select(.use) | .use as $u | [$v[] | select(. != "floor")] as $v | block("First use of a template, ns and tasks made:"; (["template", ($v[] | ., "tasks")]),
      ([$u[$v[]][].name] | unique[] as $n | [$n, ($v[] as $x | ([$u[$x][] | select(.name == $n)][0] | .ns, .tasks))]))),
    (select(.on) | (.on | keys_unsorted) as $c | .notests[$c[-1]] as $last | .notests.untested as $none
      | block("Self-tests built in, and run, or not (cryptomgr.notests=1), and then without the kthreads that test nothing:";
        (["", ($c[] | "\(.), run", "not run"), "not tested"]),
        (["without what is unlike, us", "us"], ["tasks made before PID 1", "tasks"], ["  gone again", "ended"], ["algorithms registered", "algorithms"], ["  internal", "internal"] | . as [$t, $k]
         | [$t, ($c[] | $all.on[.][$k], $all.notests[.][$k]), $none[$k]])),
      "", "So \($last.ended - $none.ended) kthreads that test nothing (\($c[-1]), not run) cost \($last.us - $none.us) us, \(($last.us - $none.us) * 1000 / ($last.ended - $none.ended) | round) ns each."),
    (select(.initcalls) | .initcalls as $i | ($i | keys_unsorted) as $c
      | [$i[$c[0]] | range(0; length) as $k | [.[$k].name, ($c[] as $x | $i[$x][$k].us)]]
      | block("Initcalls of crypto, us, with their messages, by a clock that is coarse at first; the longest (all are in the results):"; (["initcall"] + $c),
          (sort_by(-.[1])[0:12][]), (["all \(length)"] + (map(.[1:]) | transpose | map(add))))),
    (select(.bloat_o_meter) | "", "bloat-o-meter, vmlinux: \(.bloat_o_meter)"),
    (select(.kvm) | .kvm as $k | block("Wall-clock with KVM, us to PID 1, not to be compared with the above:";
      ["", ($k | keys_unsorted[])], ["median", $k[].median], ["spread over \($k | [.[]][0].us | length) boots", $k[].spread]));

def line:
  .variants as $v | $v[-1] as $floor | ([$v[] | select(.variant == "unpatched")][0]) as $b | ($v | if $b then .[1] else .[0] end) as $a
  | def less(f): ($b | f) - ($a | f) | "\(.), \(share($b | f)) %";
  [.kernel, .machine,
   ($b.plain_median // "has it"), $a.plain_median, (if $b then less(.plain_median) else "" end),
   ($b.median // "has it"), $a.median, (if $b then less(.median) else "" end),
   ($b.ended // "has it"), $a.ended,
   "\($a.median - $floor.median)" + (($a.algorithms - $floor.algorithms) | if . == 0 then "" else ", with \(.) algorithms more" end)]
  | @tsv;

if $part == "summary" then summary
elif $part == "growth" then select(.grow) | growth
elif $part == "rest" then rest
elif $part == "line" then line
else how end
