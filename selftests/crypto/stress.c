// SPDX-License-Identifier: GPL-2.0
/*
 * Many processes ask for the same instances at once, each for the first time,
 * flat and nested, and some are killed while they wait; afterwards everything
 * has to be as it should.
 *
 * No arguments; takes SECONDS and a little.  Needs root: the path of modprobe is
 * emptied meanwhile.  Exits as every kselftest: 0 passed, 1 failed, 4 skipped.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"
#include "crypto_util.h"

#include <sys/mman.h>
#include <sys/prctl.h>

#define SECONDS	1
#define WORKERS	6

static const struct {
	const char *type;
	const char *format;
} use[] = {
	{ "skcipher", "ecb(%s)" },
	{ "skcipher", "cbc(%s)" },
	{ "skcipher", "cts(cbc(%s))" },
	{ "skcipher", "essiv(cbc(%s),sha256)" },
	{ "skcipher", "ctr(%s)" },
	{ "skcipher", "rfc3686(ctr(%s))" },
	{ "skcipher", "xts(%s)" },
	{ "skcipher", "lrw(%s)" },
	{ "hash", "cmac(%s)" },
	{ "hash", "xcbc(%s)" },
	{ "aead", "gcm(%s)" },
	{ "aead", "rfc4106(gcm(%s))" },
	{ "aead", "rfc4543(gcm(%s))" },
	{ "aead", "seqiv(rfc4106(gcm(%s)))" },
	{ "aead", "ccm(%s)" },
	{ "aead", "rfc4309(ccm(%s))" },
	{ "aead", "authenc(hmac(sha512),cbc(%s))" },
	{ "aead", "echainiv(authenc(hmac(sha512),cbc(%s)))" },
};

static const char * const cipher[] = {
	"aes", "camellia", "cast6", "serpent", "twofish",
};

/* Asks for one of the names; the socket or -errno. */
static int bind_one(unsigned int n, __u32 mask)
{
	unsigned int c = n / ARRAY_SIZE(use) % ARRAY_SIZE(cipher);
	unsigned int u = n % ARRAY_SIZE(use);
	char name[64];

	snprintf(name, sizeof(name), use[u].format, cipher[c]);
	return alg_bind_mask(use[u].type, name, mask);
}

/*
 * All go through the names in the same order, so that they meet, and how far
 * they are is common knowledge, so that one who is killed loses nothing.
 */
static void worker(const unsigned int *progress)
{
	int fd[4] = { -1, -1, -1, -1 };
	unsigned int n;

	srand(getpid());
	for (n = 0;; n++) {
		int *slot = &fd[n % ARRAY_SIZE(fd)];

		if (*slot >= 0)
			close(*slot);
		*slot = bind_one(__atomic_load_n(progress, __ATOMIC_RELAXED) +
				 rand() % 3, rand() % 2 ? 0x1000 : 0);
	}
}

static pid_t start_worker(const unsigned int *progress)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	worker(progress);
	_exit(0);
}

/* Rows that another row has the driver name of. */
static int duplicates(void)
{
	struct alg *algs = NULL;
	int i, j, n, dup = 0;

	n = read_algs(&algs);
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			if (!algs[i].larval && !algs[j].larval &&
			    !strcmp(algs[i].driver, algs[j].driver)) {
				dup++;
				break;
			}
	free(algs);
	return dup;
}

/*
 * How many of @names instances may be there twice.  Since v6.9 none.  Kernels that
 * tell duplicates by the test larval alone let in what comes right after the
 * test: now and then, and up to a third with two processors.
 */
static unsigned int duplicates_allowed(unsigned int names)
{
	if (kernel_since(6, 9))
		return 0;
	return sysconf(_SC_NPROCESSORS_ONLN) > 1 ? names / 2 : names / 16;
}

static int larvals(void)
{
	struct alg *algs = NULL;
	int i, n, count = 0;

	n = read_algs(&algs);
	for (i = 0; i < n; i++)
		count += algs[i].larval;
	free(algs);
	return count;
}

/* Warnings, lockdep's too, that the kernel logged since @kmsg was opened. */
static int warnings(int kmsg)
{
	char record[8192];
	ssize_t len;
	int n = 0;

	for (;;) {
		len = read(kmsg, record, sizeof(record) - 1);
		if (len < 0 && errno == EPIPE)
			continue;
		if (len <= 0)
			break;
		record[len] = '\0';
		/* User-Mode Linux forks without a lock that RCU looks for. */
		if (strstr(record, "suspicious RCU usage"))
			continue;
		if (strstr(record, "WARNING:") || strstr(record, "BUG:") ||
		    strstr(record, "INFO: task")) {
			note("%s", strchr(record, ';') ?: record);
			n++;
		}
	}
	return n;
}

TEST(stress)
{
	unsigned int *progress, n, before, made, twice, killed = 0;
	const unsigned int names = ARRAY_SIZE(use) * ARRAY_SIZE(cipher);
	int kmsg, i, fd, broken = 0;
	pid_t pid[WORKERS];

	if (!module_requests_off())
		SKIP(return, "not root: each failed lookup would fork modprobe");
	fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		SKIP(return, "no AF_ALG");
	close(fd);
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg < 0)
		SKIP(return, "the kernel's log cannot be read");
	lseek(kmsg, 0, SEEK_END);
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, progress);

	before = count_tested_algs();
	for (i = 0; i < WORKERS; i++)
		pid[i] = start_worker(progress);
	for (n = 0; n < names; n++) {
		__atomic_store_n(progress, n, __ATOMIC_RELAXED);
		sleep_ms(SECONDS * 1000 / names);
		if (n % 2)
			continue;
		i = n / 2 % WORKERS;
		kill(pid[i], SIGKILL);
		EXPECT_EQ(pid[i], waitpid(pid[i], NULL, 0));
		pid[i] = start_worker(progress);
		killed++;
	}
	for (i = 0; i < WORKERS; i++) {
		kill(pid[i], SIGKILL);
		EXPECT_EQ(pid[i], waitpid(pid[i], NULL, 0));
	}

	/* What the killed ones had asked for may still be in the making. */
	for (i = 0; i < 4000 && (cryptomgr_alive() || larvals()); i++)
		sleep_ms(2);
	made = count_tested_algs() - before;
	twice = duplicates();
	note("%u names, %u processes killed, %u new algorithms, %u of them twice",
	     names, killed + WORKERS, made, twice);
	EXPECT_EQ(0, cryptomgr_alive());
	EXPECT_EQ(0, larvals()) {
		TH_LOG("a larval is left in /proc/crypto");
	}
	EXPECT_GE(duplicates_allowed(made - twice), twice) {
		TH_LOG("instances are in /proc/crypto more than once");
	}

	for (n = 0; n < names; n++) {
		fd = bind_one(n, 0);
		if (fd >= 0)
			close(fd);
		else if (fd != -ENOENT && fd != -EINVAL)
			/* Those two: no such cipher, or none for that template. */
			broken++;
	}
	EXPECT_EQ(0, broken);
	EXPECT_EQ(0, warnings(kmsg));
	close(kmsg);
}

TEST_HARNESS_MAIN
