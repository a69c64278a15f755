// SPDX-License-Identifier: GPL-2.0
/*
 * The first use of a template works: whoever asks for an algorithm that no one
 * asked for before gets the instance that is made for it, at the first try.
 *
 * One case per template, flat and nested.  A case is skipped if the kernel has
 * no such template or lacks the algorithms below it, and if the instance
 * exists already.
 *
 * No arguments.  Times are in milliseconds.  Exits as every kselftest:
 * 0 passed, 1 failed, 4 skipped.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"
#include "crypto_util.h"

/* A lookup that waited for its own timeout takes 60 s. */
#define MAX_MS	10000

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

FIXTURE(template)
{
	int fd;
	bool ready;	/* older harnesses run the test after a skip in setup */
};

FIXTURE_VARIANT(template)
{
	const char *type;
	const char *name;
	const char *config;	/* the template's symbol, without CONFIG_ */
	const char *needs[3];	/* algorithms that must be there */
};

/* Each has a cipher of its own below, so that no case makes another's parts. */
FIXTURE_VARIANT_ADD(template, hmac)
	{ "hash", "hmac(wp512)", "CRYPTO_HMAC", { "wp512" } };
FIXTURE_VARIANT_ADD(template, cmac)
	{ "hash", "cmac(aes)", "CRYPTO_CMAC", { "aes" } };
FIXTURE_VARIANT_ADD(template, xcbc)
	{ "hash", "xcbc(aes)", "CRYPTO_XCBC", { "aes" } };
FIXTURE_VARIANT_ADD(template, vmac64)
	{ "hash", "vmac64(aes)", "CRYPTO_VMAC", { "aes" } };
FIXTURE_VARIANT_ADD(template, ecb)
	{ "skcipher", "ecb(blowfish)", "CRYPTO_ECB", { "blowfish" } };
FIXTURE_VARIANT_ADD(template, cbc)
	{ "skcipher", "cbc(blowfish)", "CRYPTO_CBC", { "blowfish" } };
FIXTURE_VARIANT_ADD(template, ctr)
	{ "skcipher", "ctr(blowfish)", "CRYPTO_CTR", { "blowfish" } };
FIXTURE_VARIANT_ADD(template, pcbc)
	{ "skcipher", "pcbc(fcrypt)", "CRYPTO_PCBC", { "fcrypt" } };
FIXTURE_VARIANT_ADD(template, cfb)
	{ "skcipher", "cfb(aes)", "CRYPTO_CFB", { "aes" } };
FIXTURE_VARIANT_ADD(template, ofb)
	{ "skcipher", "ofb(aes)", "CRYPTO_OFB", { "aes" } };
FIXTURE_VARIANT_ADD(template, kw)
	{ "skcipher", "kw(aes)", "CRYPTO_KEYWRAP", { "aes" } };
FIXTURE_VARIANT_ADD(template, lrw)
	{ "skcipher", "lrw(aes)", "CRYPTO_LRW", { "aes" } };
FIXTURE_VARIANT_ADD(template, xts)
	{ "skcipher", "xts(twofish)", "CRYPTO_XTS", { "twofish" } };
FIXTURE_VARIANT_ADD(template, xctr)
	{ "skcipher", "xctr(aes)", "CRYPTO_XCTR", { "aes" } };
FIXTURE_VARIANT_ADD(template, hctr2)
	{ "skcipher", "hctr2(aes)", "CRYPTO_HCTR2", { "aes" } };
FIXTURE_VARIANT_ADD(template, cts_cbc)
	{ "skcipher", "cts(cbc(seed))", "CRYPTO_CTS", { "seed" } };
FIXTURE_VARIANT_ADD(template, rfc3686_ctr)
	{ "skcipher", "rfc3686(ctr(aes))", "CRYPTO_CTR", { "aes" } };
FIXTURE_VARIANT_ADD(template, adiantum)
	{ "skcipher", "adiantum(xchacha12,aes)", "CRYPTO_ADIANTUM", { "xchacha12", "aes" } };
FIXTURE_VARIANT_ADD(template, essiv_cbc)
	{ "skcipher", "essiv(cbc(aes),sha256)", "CRYPTO_ESSIV", { "aes", "sha256" } };
FIXTURE_VARIANT_ADD(template, gcm)
	{ "aead", "gcm(seed)", "CRYPTO_GCM", { "seed" } };
FIXTURE_VARIANT_ADD(template, ccm)
	{ "aead", "ccm(aes)", "CRYPTO_CCM", { "aes" } };
FIXTURE_VARIANT_ADD(template, rfc4106_gcm)
	{ "aead", "rfc4106(gcm(aes))", "CRYPTO_GCM", { "aes" } };
FIXTURE_VARIANT_ADD(template, rfc4543_gcm)
	{ "aead", "rfc4543(gcm(serpent))", "CRYPTO_GCM", { "serpent" } };
FIXTURE_VARIANT_ADD(template, rfc4309_ccm)
	{ "aead", "rfc4309(ccm(serpent))", "CRYPTO_CCM", { "serpent" } };
FIXTURE_VARIANT_ADD(template, rfc7539)
	{ "aead", "rfc7539(chacha20,poly1305)", "CRYPTO_CHACHA20POLY1305", { "chacha20" } };
FIXTURE_VARIANT_ADD(template, rfc7539esp)
	{ "aead", "rfc7539esp(chacha20,poly1305)", "CRYPTO_CHACHA20POLY1305", { "chacha20" } };
FIXTURE_VARIANT_ADD(template, authenc)
	{ "aead", "authenc(hmac(sha256),cbc(aes))", "CRYPTO_AUTHENC", { "sha256", "aes" } };
FIXTURE_VARIANT_ADD(template, authencesn)
	{ "aead", "authencesn(hmac(sha1),cbc(anubis))", "CRYPTO_AUTHENC", { "sha1", "anubis" } };
FIXTURE_VARIANT_ADD(template, seqiv)
	{ "aead", "seqiv(rfc4106(gcm(aes)))", "CRYPTO_SEQIV", { "aes" } };
FIXTURE_VARIANT_ADD(template, echainiv)
	{ "aead", "echainiv(authenc(hmac(sha256),cbc(cast6)))", "CRYPTO_ECHAINIV",
	  { "sha256", "cast6" } };

FIXTURE_SETUP(template)
{
	int i;

	self->ready = false;
	self->fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (self->fd < 0)
		SKIP(return, "no AF_ALG");

	if (kconfig(variant->config) == 'n')
		SKIP(return, "%s: this kernel has no CONFIG_%s",
		     variant->name, variant->config);
	for (i = 0; i < 3 && variant->needs[i]; i++)
		if (!find_alg(variant->needs[i], NULL))
			SKIP(return, "%s: this kernel has no %s",
			     variant->name, variant->needs[i]);
	if (find_alg(variant->name, NULL))
		SKIP(return, "%s: in use already", variant->name);
	self->ready = true;
}

FIXTURE_TEARDOWN(template)
{
	if (self->fd >= 0)
		close(self->fd);
}

TEST_F(template, first_use)
{
	int fd, again, third, rows;
	long long start, ms;

	if (!self->ready)
		return;
	rows = count_tested_algs();
	start = now_ms();
	fd = alg_bind(variant->type, variant->name);
	ms = now_ms() - start;
	rows = count_tested_algs() - rows;

	if (fd >= 0) {
		note("%s: works at first use, %d new algorithms, %lld ms",
		     variant->name, rows, ms);
		EXPECT_GT(MAX_MS, ms);
		close(fd);
		return;
	}

	again = alg_bind(variant->type, variant->name);
	third = alg_bind(variant->type, variant->name);
	note("%s: first use: %s, second: %s, third: %s, %d new algorithms, %lld ms",
	     variant->name, strerror(-fd), again < 0 ? strerror(-again) : "works",
	     third < 0 ? strerror(-third) : "works", rows, ms);
	if (again >= 0)
		close(again);
	if (third >= 0)
		close(third);

	/* No trace of an attempt, and no configuration that promises one. */
	if (again < 0 && third < 0 && !rows && !kconfig(variant->config))
		SKIP(return, "%s: no such template, as far as can be seen",
		     variant->name);
	if (again == fd && third == fd && in_fips_mode())
		SKIP(return, "%s: FIPS does not allow it", variant->name);
	ASSERT_LE(0, fd) {
		TH_LOG("%s: the first use failed", variant->name);
	}
}

/* A generator that is seeded asks for what it is built on. */
TEST(rng)
{
	static const char name[] = "drbg_nopr_hmac_sha512", below[] = "hmac(sha512)";
	unsigned char out[32] = "", zero[32] = "";
	int fd, op, first;

	fd = alg_bind("rng", name);
	if (fd == -EAFNOSUPPORT || fd == -ENOENT)
		SKIP(return, "no AF_ALG for rng, or no %s", name);
	ASSERT_LE(0, fd);
	first = !find_alg(below, NULL);
	ASSERT_EQ(0, setsockopt(fd, SOL_ALG, ALG_SET_KEY, "seed", 4)) {
		TH_LOG("seeding: %m");
	}
	op = accept(fd, NULL, NULL);
	ASSERT_LE(0, op);
	ASSERT_EQ(sizeof(out), read(op, out, sizeof(out)));
	note("%s: gives %zu bytes, %s of %s", name, sizeof(out),
	     first ? "first use" : "use", below);
	EXPECT_NE(0, memcmp(out, zero, sizeof(out)));
	close(op);
	close(fd);
}

TEST(wrong_name)
{
	static const char * const names[] = {
		"nosuchalg", "nosuchtemplate(aes)", "cbc(nosuchcipher)",
		"cbc(aes", "cbc()",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		long long start = now_ms();
		int fd = alg_bind("skcipher", names[i]);
		long long ms = now_ms() - start;

		if (fd == -EAFNOSUPPORT)
			SKIP(return, "no AF_ALG");
		note("%s: %s, %lld ms", names[i],
		     fd < 0 ? strerror(-fd) : "works", ms);
		EXPECT_EQ(-ENOENT, fd);
		EXPECT_GT(MAX_MS, ms);
		if (fd >= 0)
			close(fd);
	}
}

/* What is usable has been tested, or needed no test. */
TEST(selftest_passed)
{
	struct alg *algs = NULL;
	int i, n, unknown = 0;

	n = read_algs(&algs);
	ASSERT_LT(0, n);
	for (i = 0; i < n; i++) {
		if (algs[i].larval || algs[i].passed)
			continue;
		unknown++;
		EXPECT_TRUE(in_fips_mode()) {
			TH_LOG("%s: selftest is not \"passed\"",
			       algs[i].driver);
		}
	}
	note("%d algorithms in /proc/crypto, %d not passed", n, unknown);
	free(algs);
}

/* The tests run whatever cryptomgr.notests says, and what is not allowed fails. */
TEST(fips)
{
	struct alg alg;
	int fd;

	if (!in_fips_mode())
		SKIP(return, "not booted with fips=1");
	if (find_alg("md4", &alg)) {
		fd = alg_bind("hash", "md4");
		note("md4: selftest %s, use: %s",
		     alg.passed ? "passed" : "unknown",
		     fd < 0 ? strerror(-fd) : "works");
		/* Since v5.18 the test passes, for use inside the kernel. */
		EXPECT_GT(0, fd);
	}
	ASSERT_TRUE(find_alg("sha256", &alg));
	EXPECT_TRUE(alg.passed);
	fd = alg_bind("hash", "sha256");
	EXPECT_LE(0, fd);
	close(fd);
}

TEST_HARNESS_MAIN
