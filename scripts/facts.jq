# jq -n -R -f facts.jq results.ktap: the report of scripts/init.c as JSON.
#
# Numbers are counts of tasks or of algorithms, as scripts/init.c explains;
# "cases" has every test case with its result, "measured" what the kthreads test
# found per template, "log" lines of the kernel's log, "algs" the rows of /proc/crypto
# at the end.

reduce inputs as $line (
  { cases: [], measured: [], log: [], algs: [] };

  if ($line | test("^# fact ")) then
    ($line | capture("^# fact (?<key>\\S+) (?<value>-?[0-9]+)")) as $m
    | .[$m.key] = ($m.value | tonumber)

  elif ($line | test("^# log ")) then
    .log += [$line | ltrimstr("# log ") | rtrimstr("\r")]

  elif ($line | test("^# alg ")) then
    .algs += [$line | ltrimstr("# alg ")]

  elif ($line | test("^# selftests: crypto: ")) then
    .program = ($line | ltrimstr("# selftests: crypto: ")) | .case = null

  elif ($line | test("^# # +RUN ")) then
    .case = ($line | capture("RUN +(?<c>\\S+)").c)

  elif ($line | test("^# (not )?ok [0-9]+")) then
    .cases += [{
      program, case,
      result: (if ($line | test("^# not ok")) then "fail"
               elif ($line | test("# SKIP")) then "skip"
               else "pass" end)
    }]

  elif ($line | test("^# # \\S+: [0-9]+ tasks, [0-9]+ cryptomgr_test, ")) then
    ($line | capture("^# # (?<name>\\S+): (?<tasks>[0-9]+) tasks, (?<test>[0-9]+) cryptomgr_test, (?<probe>[0-9]+) cryptomgr_probe, (?<algs>[0-9]+) new algorithms, (?<internal>[0-9]+)")) as $m
    | .measured += [{
        case, name: $m.name,
        tasks: ($m.tasks | tonumber), test: ($m.test | tonumber),
        probe: ($m.probe | tonumber), algs: ($m.algs | tonumber),
        internal: ($m.internal | tonumber)
      }]
  else . end
)
| del(.program, .case)
