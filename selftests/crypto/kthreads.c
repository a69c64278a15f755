// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the kernel threads that cryptomgr makes.
 *
 * An algorithm that is registered needs one "cryptomgr_test" if self-tests are
 * on and none if they are off; the first use of a template needs one
 * "cryptomgr_probe" for each level.  Tasks are counted in /proc/stat; process
 * accounting, where it can be used, names those that ended.
 *
 * No arguments.  Needs root: it empties the path of modprobe meanwhile, so
 * that a lookup forks nothing, and uses acct(2) on a file it makes in /tmp,
 * unless the system is doing accounting of its own.  Figures are numbers of
 * tasks.  Exits as every kselftest: 0 passed, 1 failed, 4 skipped.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"
#include "crypto_util.h"

#define PF_KTHREAD	0x00200000

static const struct instance {
	const char *type;
	const char *name;
	const char *needs[3];
} one_level[] = {
	{ "hash", "hmac(sha512)", { "sha512" } },
	{ "hash", "hmac(sha384)", { "sha384" } },
	{ "hash", "hmac(md4)", { "md4" } },
	{ "hash", "hmac(sm3)", { "sm3" } },
	{ "hash", "cmac(camellia)", { "camellia" } },
	{ "hash", "cmac(twofish)", { "twofish" } },
	{ "hash", "cmac(serpent)", { "serpent" } },
	{ "skcipher", "ctr(camellia)", { "camellia" } },
	{ "skcipher", "ctr(twofish)", { "twofish" } },
	{ "skcipher", "ctr(serpent)", { "serpent" } },
	{ "skcipher", "cbc(twofish)", { "twofish" } },
	{ "skcipher", "cbc(serpent)", { "serpent" } },
}, nested[] = {
	{ "skcipher", "cts(cbc(camellia))", { "camellia" } },
	{ "skcipher", "xts(camellia)", { "camellia" } },
	{ "skcipher", "xts(serpent)", { "serpent" } },
	{ "skcipher", "rfc3686(ctr(cast6))", { "cast6" } },
	{ "skcipher", "cts(cbc(cast6))", { "cast6" } },
	{ "aead", "authenc(hmac(rmd160),cbc(cast6))", { "rmd160", "cast6" } },
	{ "aead", "ccm(camellia)", { "camellia" } },
	{ "aead", "ccm(cast6)", { "cast6" } },
};

static int use_instance(const void *arg)
{
	const struct instance *inst = arg;
	int fd = alg_bind(inst->type, inst->name);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static bool usable(const struct instance *inst)
{
	int i;

	for (i = 0; i < 3 && inst->needs[i]; i++)
		if (!find_alg(inst->needs[i], NULL))
			return false;
	return !find_alg(inst->name, NULL);
}

FIXTURE(kthreads)
{
	enum selftests selftests;
	bool want_tests;
	bool af_alg;
	bool ready;	/* older harnesses run the test after a skip in setup */
};

FIXTURE_SETUP(kthreads)
{
	int fd;

	self->ready = false;
	self->selftests = selftests();
	if (self->selftests == SELFTESTS_UNKNOWN)
		SKIP(return, "no kernel configuration and no kallsyms: are self-tests on?");
	self->want_tests = self->selftests != SELFTESTS_OFF;

	if (!module_requests_off())
		SKIP(return, "not root: a failed lookup would fork modprobe");

	fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	self->af_alg = fd >= 0;
	if (self->af_alg)
		close(fd);
	self->ready = true;
}

FIXTURE_TEARDOWN(kthreads)
{
}

/*
 * True if no program that is alive has waited for a child yet: whatever ended
 * then was a kernel thread.  The faults of children are added to those of who
 * waits for them, and a child has some.
 */
static bool nobody_waited(void)
{
	DIR *proc = opendir("/proc");
	bool nobody = !!proc;
	char path[300], stat[1024], *p;
	unsigned long flags, minor, major;
	struct dirent *d;

	while (nobody && (d = readdir(proc))) {
		if (!isdigit(d->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", d->d_name);
		if (read_line(path, stat, sizeof(stat)))
			continue;
		p = strrchr(stat, ')');
		if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %lu %*u %lu %*u %lu",
				 &flags, &minor, &major) != 3)
			nobody = false;
		else if (!(flags & PF_KTHREAD))
			nobody = !minor && !major;
	}
	if (proc)
		closedir(proc);
	return nobody;
}

/* Tasks that ended before any program could have: kernel threads. */
TEST_F(kthreads, boot)
{
	long created, ended, algs;
	bool early;

	if (!self->ready)
		return;
	early = nobody_waited();
	/* Recent kernels do not wait for a test when they register. */
	wait_for_cryptomgr();
	algs = count_tested_algs();
	ASSERT_LT(0, algs);
	created = tasks_created();
	ended = created - tasks_alive();
	early = early && nobody_waited();

	note("boot: %ld tasks made, %ld ended, %ld algorithms not internal, self-tests %s",
	     created, ended, algs, self->want_tests ? "on" : "off");

	if (self->want_tests) {
		EXPECT_LE(algs, ended) {
			TH_LOG("fewer tasks ended than there are algorithms to test");
		}
		return;
	}

	if (ended >= algs && !early)
		SKIP(return, "programs have run since boot: whose tasks were these?");
	EXPECT_LT(ended, algs) {
		TH_LOG("as many tasks came and went as there are algorithms, with self-tests off");
	}
}

static void check_instances(struct __test_metadata *_metadata, bool want_tests,
			    const struct instance *inst, unsigned int n)
{
	unsigned int i, done = 0, busy = 0;
	struct kthreads k;

	for (i = 0; i < n && done < 3; i++) {
		int err;

		if (!usable(&inst[i]))
			continue;
		err = measure(use_instance, &inst[i], &k);
		if (err == -EBUSY) {
			busy++;
			continue;
		}
		/* A lookup that fails is for first_use to judge. */
		if (err && !k.rows)
			continue;
		report(inst[i].name, &k);
		done++;

		if (k.named) {
			EXPECT_EQ(want_tests ? k.rows : 0, k.test) {
				TH_LOG("%s: wrong number of " TEST_COMM
				       " with self-tests %s", inst[i].name,
				       want_tests ? "on" : "off");
			}
			/* Others may have made tasks too: never fewer. */
			EXPECT_LE(k.test + k.probe, k.tasks);
		} else {
			EXPECT_EQ((want_tests ? 2 * k.rows : k.rows) +
				  k.internal, k.tasks) {
				TH_LOG("%s: wrong number of tasks with self-tests %s",
				       inst[i].name,
				       want_tests ? "on" : "off");
			}
		}
	}

	if (!done && busy)
		SKIP(return, "programs keep making tasks, and no process accounting");
	if (!done)
		SKIP(return, "nothing left that could be instantiated for the first time");
}

TEST_F(kthreads, one_level_template)
{
	if (!self->ready)
		return;
	if (!self->af_alg)
		SKIP(return, "no AF_ALG");
	check_instances(_metadata, self->want_tests, one_level,
			ARRAY_SIZE(one_level));
}

TEST_F(kthreads, nested_template)
{
	if (!self->ready)
		return;
	if (!self->af_alg)
		SKIP(return, "no AF_ALG");
	check_instances(_metadata, self->want_tests, nested,
			ARRAY_SIZE(nested));
}

TEST_F(kthreads, failed_lookup)
{
	static const struct instance missing = {
		"skcipher", "nosuchtemplate(aes)",
	};
	struct kthreads k;
	int err, tries = 3;

	if (!self->ready)
		return;
	if (!self->af_alg)
		SKIP(return, "no AF_ALG");
	do {
		err = measure(use_instance, &missing, &k);
	} while (err == -EBUSY && --tries);
	if (err == -EBUSY)
		SKIP(return, "programs keep making tasks, and no process accounting");

	report("nosuchtemplate(aes)", &k);
	EXPECT_EQ(-ENOENT, err);
	EXPECT_EQ(0, k.rows);
	if (k.named) {
		EXPECT_EQ(0, k.test);
		EXPECT_EQ(1, k.probe);
	} else {
		EXPECT_EQ(1, k.tasks);
	}
}

TEST_HARNESS_MAIN
