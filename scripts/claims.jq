# jq -f claims.jq FIGURES: adds "claims", what verify says of the figures.
#
# "before" is null on a tree that has the change already.  A claim about before
# is there to show that the test can fail: without the series it has to.

def with(r): [.cases[] | select(.result == r).case] | sort;
# What fails is what has to, but for what this kernel skips, and something does.
def fails_just(cases): with("fail") == cases - with("skip") and with("fail") != [];
def count(program; r): [.cases[] | select(.program == program and .result == r)] | length;
def one_level: [.measured[] | select(.case == "kthreads.one_level_template")];
def nested: [.measured[] | select(.case == "kthreads.nested_template")];
def claim(what; ok): { what: what, ok: ok };

.claims = [
  (.off.after |
    claim("self-tests off: no cryptomgr_test at boot"; .boot_cryptomgr_test == 0),
    claim("self-tests off: one kthread per level of a template, and one template of each kind seen";
      (one_level + nested | all(.test == 0 and .probe == .algs + .internal)) and
      (one_level | length > 0) and (nested | length > 0)),
    claim("self-tests off: 20 templates or more work at first use, none fails";
      count("first_use"; "pass") >= 20 and count("first_use"; "fail") == 0),
    claim("self-tests off: every kselftest passes"; all(.cases[]; .result != "fail"))),

  (.on.after |
    # More where an instance that a test made has been replaced since.
    claim("self-tests on: a cryptomgr_test at boot for each algorithm that is not internal";
      .boot_cryptomgr_test >= .algorithms - .internal),
    claim("self-tests on: every kselftest passes"; all(.cases[]; .result != "fail"))),

  (["off", "on"][] as $c | .[$c].after |
    claim("self-tests \($c): no warning in the kernel's log"; .tainted == 0)),

  (if .off.before == null then empty else
    claim("self-tests off: before, one cryptomgr_test for each algorithm";
      .off.before | .boot_cryptomgr_test == .algorithms),
    claim("self-tests off: before, the cases about cryptomgr_test fail, and nothing else";
      .off.before | fails_just([
        "fail_nth.registration", "kthreads.boot", "kthreads.nested_template", "kthreads.one_level_template",
        "registration.instance_notifications", "registration.internal_kthreads",
        "registration.kthreads", "registration.notifications",
        "registration.template_references"])),
    claim("self-tests off: the same algorithms, all of them passed";
      .off.before.algs - .off.after.algs == [] and .off.after.algs - .off.before.algs == []),
    claim("self-tests on: before, what the series changes with tests on fails, and nothing else";
      .on.before | with("fail") == ["registration.internal_kthreads"] - with("skip")),
    claim("self-tests on: the same algorithms with the same results";
      .on.before.algs - .on.after.algs == [] and .on.after.algs - .on.before.algs == []),
    # More where an internal instance has been replaced since.
    claim("self-tests on: each internal algorithm saves a cryptomgr_test";
      .on.before.boot_cryptomgr_test - .on.after.boot_cryptomgr_test >= .on.before.internal)
  end)
]
