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

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define TEST_COMM	"cryptomgr_test"
#define PROBE_COMM	"cryptomgr_probe"

struct kthreads {
	long tasks;	/* made in all, whoever made them */
	long rows;	/* new rows of /proc/crypto that cryptomgr could test */
	bool named;	/* the two below are known */
	long test;
	long probe;
};

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

static const char * const accounting_files[] = {
	"/var/log/account/pacct", "/var/account/pacct", "/var/log/pacct",
};

/* True if some process accounting is at work: it grows when a child ends. */
static bool accounting_in_use(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(accounting_files); i++) {
		struct stat before, after;
		pid_t pid;

		if (stat(accounting_files[i], &before))
			continue;
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
		if (stat(accounting_files[i], &after) ||
		    after.st_size != before.st_size)
			return true;
	}
	return false;
}

/* Live tasks of cryptomgr; they end soon after they woke whoever waited. */
static int cryptomgr_alive(void)
{
	DIR *proc = opendir("/proc");
	char path[300], comm[32];
	struct dirent *d;
	int n = 0;

	while (proc && (d = readdir(proc))) {
		if (!isdigit(d->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", d->d_name);
		n += !read_line(path, comm, sizeof(comm)) &&
		     !strncmp(comm, "cryptomgr_", 10);
	}
	if (proc)
		closedir(proc);
	return n;
}

static void wait_for_cryptomgr(void)
{
	int i;

	for (i = 0; i < 500 && cryptomgr_alive(); i++)
		sleep_ms(2);
}

/* True if nothing makes tasks at the moment. */
static bool quiet(void)
{
	long before = tasks_created();

	sleep_ms(20);
	return tasks_created() == before;
}

static void count_records(const char *path, struct kthreads *k)
{
	struct acct_v3 rec;
	FILE *f = fopen(path, "re");

	while (f && fread(&rec, sizeof(rec), 1, f) == 1) {
		if (rec.ac_ppid != 2 || (rec.ac_version & 0x0f) != 3)
			continue;
		k->test += !strncmp(rec.ac_comm, TEST_COMM,
				    sizeof(rec.ac_comm));
		k->probe += !strncmp(rec.ac_comm, PROBE_COMM,
				     sizeof(rec.ac_comm));
	}
	if (f)
		fclose(f);
}

/*
 * Binds to @name and counts what that made.  Returns 0, the error of the bind,
 * or -EBUSY if other activity does not let it count.
 */
static int measure(const char *type, const char *name, struct kthreads *k)
{
	char path[] = "/tmp/crypto-kthreads-XXXXXX";
	bool was_quiet, accounting = false;
	int fd, file;
	long before;

	memset(k, 0, sizeof(*k));
	wait_for_cryptomgr();

	file = accounting_in_use() ? -1 : mkstemp(path);
	if (file >= 0) {
		close(file);
		accounting = !acct(path);
	}

	was_quiet = quiet();
	k->rows = -count_tested_algs();
	before = tasks_created();
	fd = alg_bind(type, name);
	wait_for_cryptomgr();
	k->tasks = tasks_created() - before;
	k->rows += count_tested_algs();
	was_quiet = quiet() && was_quiet;

	if (file >= 0) {
		if (accounting)
			acct(NULL);
		count_records(path, k);
		unlink(path);
	}
	if (fd >= 0)
		close(fd);

	/* A record for each new task or more: accounting did work. */
	k->named = accounting && k->test + k->probe > 0;
	if (!k->named && !was_quiet)
		return -EBUSY;
	return fd < 0 ? fd : 0;
}

static void report(const char *what, const struct kthreads *k)
{
	if (k->named)
		note("%s: %ld tasks, %ld " TEST_COMM ", %ld " PROBE_COMM
		     ", %ld new algorithms",
		     what, k->tasks, k->test, k->probe, k->rows);
	else
		note("%s: %ld tasks (no names: no process accounting), %ld new algorithms",
		     what, k->tasks, k->rows);
}

static bool usable(const struct instance *inst)
{
	int i;

	for (i = 0; i < 3 && inst->needs[i]; i++)
		if (!have_alg(inst->needs[i]))
			return false;
	return !have_alg(inst->name);
}

FIXTURE(kthreads)
{
	enum selftests selftests;
	bool want_tests;
};

FIXTURE_SETUP(kthreads)
{
	int fd;

	self->selftests = selftests();
	if (self->selftests == SELFTESTS_UNKNOWN)
		SKIP(return, "no kernel configuration and no kallsyms: are self-tests on?");
	self->want_tests = self->selftests != SELFTESTS_OFF;

	if (!module_requests_off())
		SKIP(return, "not root: a failed lookup would fork modprobe");

	fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		SKIP(return, "no AF_ALG");
	close(fd);
}

FIXTURE_TEARDOWN(kthreads)
{
}

/*
 * Tasks that ended before any program could have: kernel threads.  If PID 1
 * has not waited for a child yet, they are all that there ever were.
 */
TEST_F(kthreads, boot)
{
	unsigned long child_faults = 1, child_major = 1;
	long created, ended, algs;
	char stat[1024], *p;
	bool early = false;

	algs = count_tested_algs();
	ASSERT_LT(0, algs);
	created = tasks_created();
	ended = created - tasks_alive();

	if (!read_line("/proc/1/stat", stat, sizeof(stat))) {
		p = strrchr(stat, ')');
		if (p && sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %lu %*u %lu",
				&child_faults, &child_major) == 2)
			early = !child_faults && !child_major;
	}

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
		err = measure(inst[i].type, inst[i].name, &k);
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
			EXPECT_EQ(want_tests ? 2 * k.rows : k.rows,
				  k.tasks) {
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
	check_instances(_metadata, self->want_tests, one_level,
			ARRAY_SIZE(one_level));
}

TEST_F(kthreads, nested_template)
{
	check_instances(_metadata, self->want_tests, nested,
			ARRAY_SIZE(nested));
}

TEST_F(kthreads, failed_lookup)
{
	struct kthreads k;
	int err, tries = 3;

	do {
		err = measure("skcipher", "nosuchtemplate(aes)", &k);
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
