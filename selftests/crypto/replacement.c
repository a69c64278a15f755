// SPDX-License-Identifier: GPL-2.0
/*
 * A better implementation takes over, seen without any module: aes-fixed-time
 * has a higher priority than aes-generic, so that creating cbc(aes-fixed-time)
 * removes what sits on cbc(aes-generic).
 *
 * A socket that is open keeps its transform and its answers, and the references
 * in /proc/crypto go back once it is closed.
 *
 * No arguments.  Needs root: the path of modprobe is emptied meanwhile.  Exits as
 * every kselftest: 0 passed, 1 failed, 4 skipped.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"
#include "crypto_util.h"

#define WORSE	"cbc(aes-generic)"
#define BETTER	"cbc(aes-fixed-time)"

/* RFC 3962, appendix B: 17 bytes with ciphertext stealing, the IV is zero. */
static const char key[] = "chicken teriyaki";
static const char plain[] = "I would like the ";
static const unsigned char cipher[] = {
	0xc6, 0x35, 0x35, 0x68, 0xf2, 0xbf, 0x8c, 0xb4, 0xd8,
	0xa5, 0x80, 0x36, 0x2d, 0xa7, 0xff, 0x7f, 0x97,
};

/* Encrypts through an operation socket; 0, -EBADMSG for a wrong answer, -errno */
static int known_answer(int op)
{
	const __u32 encrypt = ALG_OP_ENCRYPT, ivlen = 16;
	char control[CMSG_SPACE(4) + CMSG_SPACE(4 + 16)] = "";
	unsigned char out[sizeof(cipher)];
	struct iovec iov = {
		.iov_base = (void *)plain, .iov_len = sizeof(out),
	};
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_ALG;
	c->cmsg_type = ALG_SET_OP;
	c->cmsg_len = CMSG_LEN(4);
	memcpy(CMSG_DATA(c), &encrypt, 4);
	c = CMSG_NXTHDR(&msg, c);
	c->cmsg_level = SOL_ALG;
	c->cmsg_type = ALG_SET_IV;
	c->cmsg_len = CMSG_LEN(4 + 16);
	memcpy(CMSG_DATA(c), &ivlen, 4);

	if (sendmsg(op, &msg, 0) != sizeof(out) ||
	    read(op, out, sizeof(out)) != sizeof(out))
		return -errno;
	return memcmp(out, cipher, sizeof(out)) ? -EBADMSG : 0;
}

/* An operation socket of "cts(" @inner ")" with the key; -errno. */
static int open_cts(const char *inner, int *parent)
{
	char name[64];
	int op;

	snprintf(name, sizeof(name), "cts(%s)", inner);
	*parent = alg_bind("skcipher", name);
	if (*parent < 0)
		return *parent;
	if (setsockopt(*parent, SOL_ALG, ALG_SET_KEY, key, 16))
		return -errno;
	op = accept(*parent, NULL, NULL);
	return op < 0 ? -errno : op;
}

TEST(better_one_takes_over)
{
	int worse, better, old, old_op, new, new_op, want;
	struct alg alg;
	bool layered;

	if (!module_requests_off())
		SKIP(return, "not root: each failed lookup would fork modprobe");
	if (find_alg("cbc(aes)", NULL))
		SKIP(return, "cbc(aes) is in use already");
	worse = alg_bind("skcipher", WORSE);
	if (worse < 0 || !find_alg("aes-fixed-time", NULL))
		SKIP(return, "no aes-generic, aes-fixed-time, cbc or AF_ALG here");
	layered = find_alg("ecb(aes-generic)", NULL);
	old_op = open_cts(WORSE, &old);
	if (old_op == -ENOENT && kconfig("CRYPTO_CTS") != 'y')
		SKIP(return, "no cts here");
	ASSERT_LE(0, old_op);
	EXPECT_EQ(0, known_answer(old_op));
	ASSERT_TRUE(find_alg("cts(cbc(aes))", &alg));
	EXPECT_STREQ("cts(" WORSE ")", alg.driver);

	better = alg_bind("skcipher", BETTER);
	ASSERT_LE(0, better);
	EXPECT_FALSE(find_alg("cts(" WORSE ")", NULL)) {
		TH_LOG("the instance on the worse one is still there");
	}
	EXPECT_EQ(0, known_answer(old_op)) {
		TH_LOG("a socket that was open stopped working");
	}

	new_op = open_cts("cbc(aes)", &new);
	ASSERT_LE(0, new_op);
	EXPECT_EQ(0, known_answer(new_op));
	ASSERT_TRUE(find_alg("cts(cbc(aes))", &alg));
	note("cts(cbc(aes)): %s first, then %s", "cts(" WORSE ")", alg.driver);
	EXPECT_STREQ("cts(" BETTER ")", alg.driver);

	close(old_op);
	close(old);
	close(worse);
	/* Since v6.7 cbc sits on ecb, and a better ecb has removed it. */
	want = layered ? -1 : 1;
	EXPECT_EQ(want, wait_for_alg_refs(WORSE, want)) {
		TH_LOG(WORSE " is still referenced");
	}
	close(new_op);
	close(new);
	close(better);
	EXPECT_EQ(1, wait_for_alg_refs("cts(" BETTER ")", 1));
	EXPECT_EQ(1, wait_for_alg_refs(BETTER, 1));
}

TEST_HARNESS_MAIN
