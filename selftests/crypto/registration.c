// SPDX-License-Identifier: GPL-2.0
/*
 * What registering an algorithm does, seen from a module that registers hash
 * algorithms on request and listens to the notifications (test_modules): the
 * kernel threads it makes, what is sent to whom, who gets removed, and how it
 * fails.
 *
 * Loads crypto_reg_test.ko from the directory of this program or from
 * test_modules in it, and unloads it after each case.
 *
 * No arguments.  Needs root.  Figures are numbers of tasks or notifications.
 * Exits as every kselftest: 0 passed, 1 failed, 4 skipped.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"
#include "crypto_util.h"
#include "reg_test.h"

/* The digest of "abc" as each ksft-reg computes it, a sum modulo 256. */
#define DIGEST	(('a' + 'b' + 'c') & 0xff)

struct events {
	unsigned int registers;
	unsigned int loaded;
	unsigned int locked;
};

/* Recent kernels do not wait for the test when they register. */
static void let_tests_end(void)
{
	if (kernel_since(6, 2))
		wait_for_cryptomgr();
}

/* As do_register(), and the self-test is over. */
static int register_and_test(const char *how)
{
	int err = do_register(how);

	let_tests_end();
	return err;
}

/* Notifications about @driver since they were last cleared. */
static struct events events(const char *driver)
{
	struct events e = { 0, 0, 0 }, x;
	char line[256], name[128];
	FILE *f;

	let_tests_end();
	f = fopen(PARAM "events", "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%127s register=%u loaded=%u locked=%u", name,
			   &x.registers, &x.loaded, &x.locked) == 4 &&
		    !strcmp(name, driver))
			e = x;
	if (f)
		fclose(f);
	return e;
}

static void clear_events(void)
{
	write_line(PARAM "events", "clear");
}

/* Hashes "abc" through a socket bound to a ksft-reg: the digest byte, -errno */
static int digest(int fd)
{
	unsigned char out[4];
	int op = accept(fd, NULL, NULL);
	int ret;

	if (op < 0)
		return -errno;
	ret = -EIO;
	if (send(op, "abc", 3, 0) == 3 && read(op, out, 4) == 4 &&
	    out[0] == out[3])
		ret = out[0];
	close(op);
	return ret;
}

FIXTURE(registration)
{
	bool ready;	/* older harnesses run the test after a skip in setup */
	enum selftests selftests;
	bool want_tests;
};

FIXTURE_SETUP(registration)
{
	int err;

	self->ready = false;
	self->selftests = selftests();
	if (self->selftests == SELFTESTS_UNKNOWN)
		SKIP(return, "no kernel configuration and no kallsyms: are self-tests on?");
	self->want_tests = self->selftests != SELFTESTS_OFF;
	if (!module_requests_off())
		SKIP(return, "not root: a failed lookup would fork modprobe");
	err = load_module();
	if (err)
		SKIP(return, "cannot load " MODULE ".ko: %s", strerror(-err));
	self->ready = true;
	ASSERT_EQ(0, write_line(PARAM "template", "1"));
}

FIXTURE_TEARDOWN(registration)
{
	if (!self->ready)
		return;
	EXPECT_EQ(0, wait_for_refs(0)) {
		TH_LOG("a reference to the module is left");
	}
	EXPECT_EQ(0, unload_module());
}

/* First: a reference that stays keeps the module, and the others from loading it. */
TEST_F(registration, module_references)
{
	int i, fd;

	if (!self->ready)
		return;
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, register_and_test("0 100"));
		ASSERT_EQ(0, wait_for_refs(0)) {
			TH_LOG("round %d: registering left a reference", i);
		}
		fd = alg_bind("hash", "ksft(" NAME ")");
		ASSERT_LE(0, fd);
		EXPECT_LE(1, module_refs());
		close(fd);
		/* An instance that nobody uses holds no module. */
		ASSERT_EQ(0, wait_for_refs(0)) {
			TH_LOG("round %d: closing left a reference", i);
		}
		ASSERT_EQ(0, write_line(PARAM "unregister", "0"));
		ASSERT_FALSE(find_alg(NAME "-0", NULL));
		ASSERT_FALSE(find_alg("ksft(" NAME ")", NULL));
	}
}

/* Registers a ksft-reg and counts; false if that cannot be done here. */
static bool measure_registration(struct __test_metadata *_metadata,
				 const char *how, struct kthreads *k)
{
	int err = measure(do_register, how, k);

	if (err == -EBUSY)
		SKIP(return false, "programs keep making tasks, and no process accounting");
	EXPECT_EQ(0, err);
	report("registering " NAME, k);
	return !err;
}

TEST_F(registration, kthreads)
{
	struct kthreads k;

	if (!self->ready || !measure_registration(_metadata, "0 100", &k))
		return;
	EXPECT_EQ(1, k.rows);
	EXPECT_EQ(0, k.internal);
	EXPECT_EQ(self->want_tests, k.named ? k.test : k.tasks);
	EXPECT_EQ(0, k.probe);
}

TEST_F(registration, internal_kthreads)
{
	struct kthreads k;

	if (!self->ready ||
	    !measure_registration(_metadata, "0 100 internal", &k))
		return;
	EXPECT_EQ(0, k.rows);
	EXPECT_EQ(1, k.internal);
	EXPECT_EQ(0, k.named ? k.test : k.tasks);
	EXPECT_EQ(0, k.probe);
}

TEST_F(registration, notifications)
{
	struct events e;

	if (!self->ready)
		return;
	ASSERT_EQ(0, register_and_test("0 100"));
	e = events(NAME "-0");
	note("registration: %u CRYPTO_MSG_ALG_REGISTER, %u CRYPTO_MSG_ALG_LOADED",
	     e.registers, e.loaded);
	EXPECT_EQ(self->want_tests, e.registers);
	EXPECT_EQ(1, e.loaded);
}

TEST_F(registration, instance_notifications)
{
	struct events e;
	int fd;

	if (!self->ready)
		return;
	ASSERT_EQ(0, register_and_test("0 100"));
	fd = alg_bind("hash", "ksft(" NAME ")");
	ASSERT_LE(0, fd);
	close(fd);
	e = events("ksft(" NAME "-0)");
	note("instance: %u CRYPTO_MSG_ALG_REGISTER, %u CRYPTO_MSG_ALG_LOADED",
	     e.registers, e.loaded);
	EXPECT_EQ(self->want_tests, e.registers);
	EXPECT_EQ(1, e.loaded);
}

/* Listeners may look algorithms up: the sender must not hold the lock. */
TEST_F(registration, loaded_without_lock)
{
	struct events e;
	int fd, tries;

	if (!self->ready)
		return;
	/* Unlike the kernels before and the series for them. */
	if (kernel_since(6, 2))
		SKIP(return, "since v6.2 it is sent with crypto_alg_sem held");

	/* Somebody else can have it for a moment, not each time. */
	for (tries = 0; tries < 5; tries++) {
		clear_events();
		ASSERT_EQ(0, register_and_test("0 100"));
		fd = alg_bind("hash", "ksft(" NAME ")");
		if (fd >= 0)
			close(fd);
		e = events(NAME "-0");
		e.locked += events("ksft(" NAME "-0)").locked;
		if (!e.locked)
			break;
		wait_for_refs(0);
		ASSERT_EQ(0, write_line(PARAM "unregister", "0"));
	}
	note("CRYPTO_MSG_ALG_LOADED with crypto_alg_sem held: %u", e.locked);
	EXPECT_EQ(0, e.locked);
}

TEST_F(registration, usable_when_registered)
{
	struct alg alg;
	int fd;

	if (!self->ready)
		return;
	ASSERT_EQ(0, self->want_tests ? register_and_test("0 100") :
					do_register("0 100"));
	ASSERT_TRUE(find_alg(NAME "-0", &alg));
	EXPECT_TRUE(alg.passed) {
		TH_LOG("registered, but the selftest is not \"passed\"");
	}
	fd = alg_bind("hash", NAME);
	ASSERT_LE(0, fd) {
		TH_LOG("registered, but cannot be used: %s", strerror(-fd));
	}
	EXPECT_EQ(DIGEST, digest(fd));
	close(fd);
}

/* One that fails its test is not usable; where none is run, nobody knows. */
TEST_F(registration, broken_one_fails_its_test)
{
	bool tested = self->ready && self->selftests == SELFTESTS_ON;
	char panic_on_fail[8] = "";
	struct alg alg;

	if (!self->ready)
		return;
	read_line("/sys/module/cryptomgr/parameters/panic_on_fail",
		  panic_on_fail, sizeof(panic_on_fail));
	if (tested && (panic_on_fail[0] == 'Y' || in_fips_mode() ||
		       (kernel_since(5, 11) && !kernel_since(6, 1))))
		SKIP(return, "this kernel panics or warns if a test fails");
	ASSERT_EQ(0, register_and_test("0 1 broken"));
	ASSERT_TRUE(find_alg(NAME "-0", &alg));
	note("broken: selftest %s, self-tests %s",
	     alg.passed ? "passed" : "unknown",
	     self->selftests == SELFTESTS_NOTESTS ? "not run (notests)" :
	     tested ? "on" : "off");
	if (tested && alg.passed && kernel_since(6, 2))
		SKIP(return, "this kernel lets pass what cannot be allocated");
	EXPECT_EQ(!tested, alg.passed);
	if (!tested)
		return;
	EXPECT_EQ(-ELIBBAD, alg_bind("hash", NAME "-0"));
}

TEST_F(registration, internal_is_not_for_users)
{
	struct alg alg;

	if (!self->ready)
		return;
	ASSERT_EQ(0, register_and_test("0 100 internal"));
	ASSERT_TRUE(find_alg(NAME "-0", &alg));
	EXPECT_TRUE(alg.internal);
	EXPECT_TRUE(alg.passed);
	EXPECT_EQ(-ENOENT, alg_bind("hash", NAME));
}

/* A driver name that is the name of another algorithm is refused. */
TEST_F(registration, name_clash)
{
	struct alg alg;
	int fd;

	if (!self->ready)
		return;
	ASSERT_EQ(0, register_and_test("0 100"));
	clear_events();
	EXPECT_EQ(-EEXIST, register_and_test("1 200 clash"));
	EXPECT_EQ(0, events(NAME).registers);
	EXPECT_EQ(0, events(NAME).loaded);

	ASSERT_TRUE(find_alg(NAME "-0", &alg));
	fd = alg_bind("hash", NAME);
	note("after -EEXIST: selftest %s, use: %s",
	     alg.passed ? "passed" : "unknown",
	     fd < 0 ? strerror(-fd) : "works");
	EXPECT_TRUE(alg.passed);
	ASSERT_LE(0, fd);
	EXPECT_EQ(DIGEST, digest(fd));
	close(fd);
	EXPECT_EQ(1, wait_for_alg_refs(NAME "-0", 1));

	/* What was refused left nothing behind that is in its way later. */
	ASSERT_EQ(0, write_line(PARAM "unregister", "0"));
	EXPECT_EQ(0, register_and_test("1 200"));
}

/* An instance that nobody uses has the one reference of its registration. */
TEST_F(registration, instance_references)
{
	int fd;

	if (!self->ready)
		return;
	ASSERT_EQ(0, register_and_test("0 100"));
	fd = alg_bind("hash", "ksft(" NAME ")");
	ASSERT_LE(0, fd);
	EXPECT_LT(1, alg_refs("ksft(" NAME ")"));
	close(fd);
	EXPECT_EQ(1, wait_for_alg_refs("ksft(" NAME ")", 1));
	EXPECT_EQ(1, wait_for_alg_refs(NAME, 1));
}

TEST_F(registration, better_one_replaces_instance)
{
	struct alg alg;
	int worse, better;

	if (!self->ready)
		return;
	ASSERT_EQ(0, register_and_test("0 100"));
	worse = alg_bind("hash", "ksft(" NAME ")");
	ASSERT_LE(0, worse);
	ASSERT_TRUE(find_alg("ksft(" NAME ")", &alg));
	EXPECT_STREQ("ksft(" NAME "-0)", alg.driver);

	ASSERT_EQ(0, register_and_test("1 200"));
	EXPECT_FALSE(find_alg("ksft(" NAME "-0)", NULL)) {
		TH_LOG("the instance on the worse one is still there");
	}

	better = alg_bind("hash", "ksft(" NAME ")");
	ASSERT_LE(0, better);
	ASSERT_TRUE(find_alg("ksft(" NAME ")", &alg));
	note("ksft(" NAME "): %s after a better one registered", alg.driver);
	EXPECT_STREQ("ksft(" NAME "-1)", alg.driver);

	close(worse);
	close(better);
	EXPECT_EQ(1, wait_for_alg_refs(NAME "-0", 1)) {
		TH_LOG("the worse one is still referenced");
	}
}

TEST_F(registration, worse_one_replaces_nothing)
{
	struct alg alg;
	int fd;

	if (!self->ready)
		return;
	ASSERT_EQ(0, register_and_test("0 200"));
	fd = alg_bind("hash", "ksft(" NAME ")");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, register_and_test("1 100"));
	ASSERT_TRUE(find_alg("ksft(" NAME ")", &alg));
	EXPECT_STREQ("ksft(" NAME "-0)", alg.driver);
	close(fd);
}

TEST_F(registration, open_socket_outlives_replacement)
{
	int fd, after;

	if (!self->ready)
		return;
	ASSERT_EQ(0, register_and_test("0 100"));
	fd = alg_bind("hash", NAME);
	ASSERT_LE(0, fd);
	ASSERT_EQ(DIGEST, digest(fd));
	ASSERT_EQ(0, register_and_test("1 200"));
	EXPECT_EQ(DIGEST, digest(fd));

	after = alg_bind("hash", NAME);
	ASSERT_LE(0, after);
	EXPECT_EQ(DIGEST, digest(after));
	close(after);
	close(fd);
}

/* A template in a module, with instances in use and out of use. */
TEST_F(registration, template_references)
{
	struct events e;
	int i, fd;

	if (!self->ready)
		return;
	ASSERT_EQ(0, register_and_test("0 100"));
	for (i = 0; i < 20; i++) {
		clear_events();
		EXPECT_EQ(-EEXIST, write_line(PARAM "template", "1"));
		fd = alg_bind("hash", "ksft(" NAME ")");
		ASSERT_LE(0, fd) {
			TH_LOG("round %d: %s", i, strerror(-fd));
		}
		EXPECT_EQ(DIGEST, digest(fd));
		EXPECT_LE(1, module_refs());
		close(fd);
		e = events("ksft(" NAME "-0)");
		EXPECT_EQ(1, e.loaded);
		EXPECT_EQ(self->want_tests, e.registers);
		ASSERT_EQ(0, wait_for_refs(0)) {
			TH_LOG("round %d: a reference to the module is left", i);
		}
		ASSERT_EQ(1, wait_for_alg_refs("ksft(" NAME ")", 1));
		ASSERT_EQ(0, write_line(PARAM "template", "0"));
		ASSERT_FALSE(find_alg("ksft(" NAME ")", NULL));
		EXPECT_EQ(-ENOENT, alg_bind("hash", "ksft(" NAME ")"));
		ASSERT_EQ(0, write_line(PARAM "template", "1"));
	}
	note("template: %d rounds, 1 CRYPTO_MSG_ALG_LOADED each", i);
}

/* A first use, a replacement and an unloading, over and over. */
TEST_F(registration, module_loops)
{
	int i, fd;

	if (!self->ready)
		return;
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, register_and_test("0 100"));
		fd = alg_bind("hash", "ksft(" NAME ")");
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, register_and_test("1 200"));
		EXPECT_EQ(DIGEST, digest(fd));
		/* In use, it cannot go. */
		EXPECT_EQ(-EWOULDBLOCK, unload_module());
		close(fd);
		ASSERT_EQ(0, wait_for_refs(0)) {
			TH_LOG("round %d: a reference to the module is left", i);
		}
		ASSERT_EQ(0, unload_module());
		EXPECT_FALSE(find_alg(NAME, NULL));
		EXPECT_FALSE(find_alg("ksft(" NAME ")", NULL));
		ASSERT_EQ(0, load_module());
		ASSERT_EQ(0, write_line(PARAM "template", "1"));
	}
}

/* Modules by the path of an uncompressed one: this is no place for modprobe. */
static int load_kernel_module(const char *file)
{
	struct utsname uts;
	char path[512];
	int fd, err;

	uname(&uts);
	snprintf(path, sizeof(path), "/lib/modules/%s/kernel/%s", uts.release,
		 file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return err;
}

/* The kernel's own listener to CRYPTO_MSG_ALG_LOADED takes what is better. */
TEST(crc_t10dif_listens)
{
	static const char param[] = "/sys/module/crc_t10dif/parameters/transform";
	char was[128], is[128] = "";
	int i, err;

	if (read_line(param, was, sizeof(was)))
		SKIP(return, "no crc_t10dif with a transform that can be read");
	if (strcmp(was, "crct10dif-generic"))
		SKIP(return, "crc_t10dif uses %s already", was);
	err = load_kernel_module("arch/x86/crypto/crct10dif-pclmul.ko");
	if (err)
		SKIP(return, "no better crct10dif: %s", strerror(-err));
	for (i = 0; i < 500; i++) {
		ASSERT_EQ(0, read_line(param, is, sizeof(is)));
		if (strcmp(is, was))
			break;
		sleep_ms(2);
	}
	note("crc_t10dif: %s, then %s", was, is);
	/* It stays loaded: crc_t10dif does not let go of what it uses. */
	EXPECT_STREQ("crct10dif-pclmul", is);
}

TEST_HARNESS_MAIN
