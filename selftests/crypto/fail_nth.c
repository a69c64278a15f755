// SPDX-License-Identifier: GPL-2.0
/*
 * Fails each allocation that a registration and a first use make, one after the
 * other: each attempt either works or fails as a whole, leaves nothing behind,
 * and the next one works.  With self-tests off a registration makes none.
 *
 * Uses /proc/thread-self/fail-nth and the module crypto_reg_test, as registration
 * does.  No arguments.  Needs root, CONFIG_FAILSLAB and debugfs.  Figures are
 * numbers of allocations.  Exits as every kselftest: 0 passed, 1 failed,
 * 4 skipped.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"
#include "crypto_util.h"
#include "reg_test.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define FAILSLAB	"/sys/kernel/debug/failslab/"
#define MAX_NTH		500

/*
 * Does @action(@arg) with the @n-th allocation failing.  *@injected says if there
 * were that many.  Returns what it returned.
 */
static int with_failure(int n, int (*action)(const void *arg), const void *arg,
			bool *injected)
{
	char buf[32];
	int fd, ret;

	fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	snprintf(buf, sizeof(buf), "%d", n);
	if (fd < 0 || write(fd, buf, strlen(buf)) < 0)
		return -errno;
	ret = action(arg);
	memset(buf, 0, sizeof(buf));
	if (pread(fd, buf, sizeof(buf) - 1, 0) < 0)
		return -errno;
	*injected = !atoi(buf);
	if (pwrite(fd, "0", 1, 0) < 0)
		return -errno;
	close(fd);
	return ret;
}

static int use_instance(const void *name)
{
	int fd = alg_bind("hash", name);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

FIXTURE(fail_nth)
{
	bool ready;	/* older harnesses run the test after a skip in setup */
	char ignore[8];
};

FIXTURE_SETUP(fail_nth)
{
	int err;

	self->ready = false;
	if (access(FAIL_NTH, W_OK) ||
	    read_line(FAILSLAB "ignore-gfp-wait", self->ignore,
		      sizeof(self->ignore)))
		SKIP(return, "no CONFIG_FAILSLAB, no debugfs, or not root");
	/* kthread_run() for a test may fail, and the kernel warns of that. */
	if (selftests() != SELFTESTS_OFF)
		SKIP(return, "self-tests are on: the kernel warns if one cannot be started");
	err = load_module();
	if (err)
		SKIP(return, "cannot load " MODULE ".ko: %s", strerror(-err));
	self->ready = true;
	ASSERT_EQ(0, write_line(PARAM "template", "1"));
	write_line(FAILSLAB "ignore-gfp-wait", "N");
	write_line(FAILSLAB "verbose", "0");
}

FIXTURE_TEARDOWN(fail_nth)
{
	if (!self->ready)
		return;
	write_line(FAILSLAB "ignore-gfp-wait", self->ignore);
	EXPECT_EQ(0, wait_for_refs(0)) {
		TH_LOG("a reference to the module is left");
	}
	EXPECT_EQ(0, unload_module());
}

/* Failures that come from writing to the parameter alone. */
static int failures_without_registration(void)
{
	bool injected = true;
	int n, failed = 0;

	for (n = 1; injected && n < MAX_NTH; n++)
		failed += with_failure(n, do_register, "0", &injected) == -ENOMEM;
	return failed;
}

TEST_F(fail_nth, registration)
{
	int n, err, baseline, failed = 0;
	bool injected = true;
	struct alg alg;

	if (!self->ready)
		return;
	baseline = failures_without_registration();
	for (n = 1; injected && n < MAX_NTH; n++) {
		err = with_failure(n, do_register, "0 100", &injected);
		if (err) {
			failed++;
			ASSERT_TRUE(injected);
			EXPECT_EQ(-ENOMEM, err);
			EXPECT_FALSE(find_alg(NAME "-0", NULL)) {
				TH_LOG("failed at %d, but is there", n);
			}
			ASSERT_EQ(0, do_register("0 100")) {
				TH_LOG("after a failure at %d", n);
			}
		}
		ASSERT_TRUE(find_alg(NAME "-0", &alg));
		EXPECT_TRUE(alg.passed);
		EXPECT_EQ(1, alg.refcnt);
		ASSERT_EQ(0, write_line(PARAM "unregister", "0"));
		ASSERT_EQ(0, wait_for_refs(0));
	}
	ASSERT_FALSE(injected);
	note("registration: %d essential allocations, %d of them for the write",
	     failed, baseline);
	EXPECT_EQ(baseline, failed) {
		TH_LOG("a registration allocates memory, with self-tests off");
	}
}

TEST_F(fail_nth, first_use)
{
	int n, err, failed = 0;
	bool injected = true;

	if (!self->ready)
		return;
	for (n = 1; injected && n < MAX_NTH; n++) {
		ASSERT_EQ(0, do_register("0 100"));
		err = with_failure(n, use_instance, "ksft(" NAME ")", &injected);
		if (err) {
			failed++;
			ASSERT_TRUE(injected);
			EXPECT_EQ(0, use_instance("ksft(" NAME ")")) {
				TH_LOG("after a failure at %d", n);
			}
		}
		EXPECT_EQ(1, wait_for_alg_refs("ksft(" NAME ")", 1));
		ASSERT_EQ(0, wait_for_refs(0)) {
			TH_LOG("a reference is left after a failure at %d", n);
		}
		ASSERT_EQ(0, write_line(PARAM "unregister", "0"));
	}
	ASSERT_FALSE(injected);
	note("first use: %d allocations, %d of them essential", n - 2, failed);
}

TEST_HARNESS_MAIN
