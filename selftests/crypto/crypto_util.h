/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the crypto selftests share: the algorithms of the running kernel, a way
 * to ask for one, whether self-tests are on, and two independent counts of the
 * tasks that were made: the kernel's own in /proc, and process accounting,
 * which also names each task that ended.
 *
 * Include it after kselftest_harness.h.
 */
#ifndef CRYPTO_UTIL_H
#define CRYPTO_UTIL_H

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/acct.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <linux/if_alg.h>

#ifndef AF_ALG
#define AF_ALG 38
#endif

#define MODPROBE	"/proc/sys/kernel/modprobe"
#define AF_ALG_RESTRICT	"/proc/sys/crypto/af_alg_restrict"

/* One KTAP diagnostic line; flushed, as the harness leaves through _exit(). */
#define note(fmt, ...) do {				\
	printf("# " fmt "\n", ##__VA_ARGS__);		\
	fflush(stdout);					\
} while (0)

/* Reads the first line of @path without its newline; 0 or -errno. */
static inline int read_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");

	if (!f)
		return -errno;
	if (!fgets(buf, size, f))
		buf[0] = '\0';
	fclose(f);
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

/* Writes @val and a newline (an empty write is ignored); 0 or -errno. */
static inline int write_line(const char *path, const char *val)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (dprintf(fd, "%s\n", val) < 0)
		err = -errno;
	close(fd);
	return err;
}

/*
 * Settings that the whole program needs, put back when it ends, also after a
 * test that timed out.  No module request may fork behind our back, and
 * recent kernels let AF_ALG bind no more than a list of names.
 */
static struct {
	const char *path;
	const char *want;
	char was[256];
	bool changed;
} setting[] = {
	{ .path = MODPROBE, .want = "" },
	{ .path = AF_ALG_RESTRICT, .want = "0" },
};

static pid_t setting_owner;

static void settings_restore(void)
{
	size_t i;

	if (getpid() != setting_owner)
		return;
	for (i = 0; i < ARRAY_SIZE(setting); i++)
		if (setting[i].changed)
			write_line(setting[i].path, setting[i].was);
}

static void settings_signal(int sig)
{
	settings_restore();
	signal(sig, SIG_DFL);
	raise(sig);
}

static __attribute__((constructor)) void settings_change(void)
{
	size_t i;

	setting_owner = getpid();
	for (i = 0; i < ARRAY_SIZE(setting); i++) {
		char *was = setting[i].was;

		if (read_line(setting[i].path, was, sizeof(setting[i].was)) ||
		    !strcmp(was, setting[i].want))
			continue;
		setting[i].changed = !write_line(setting[i].path,
						 setting[i].want);
	}
	signal(SIGINT, settings_signal);
	signal(SIGTERM, settings_signal);
	atexit(settings_restore);
}

/* True if a failed lookup forks no modprobe. */
static inline bool module_requests_off(void)
{
	char buf[256];

	return read_line(MODPROBE, buf, sizeof(buf)) || !buf[0];
}

/*
 * What the configuration of the running kernel says of CONFIG_@sym: 'y', 'm',
 * 'n', or 0 if no configuration can be read.
 */
static inline int kconfig(const char *sym)
{
	char path[256], line[256];
	bool piped = false, any = false;
	size_t len = strlen(sym);
	struct utsname uts;
	int val = 'n';
	FILE *f;

	uname(&uts);
	snprintf(path, sizeof(path), "/boot/config-%s", uts.release);
	f = fopen(path, "re");
	if (!f && !access("/proc/config.gz", R_OK)) {
		f = popen("zcat /proc/config.gz 2>/dev/null", "r");
		piped = true;
	}
	if (!f)
		return 0;

	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "CONFIG_", 7))
			continue;
		any = true;
		if (!strncmp(line + 7, sym, len) && line[7 + len] == '=')
			val = line[8 + len];
	}
	if (piped)
		pclose(f);
	else
		fclose(f);
	return any ? val : 0;
}

/* Whether the running kernel is version @major.@minor or later. */
static inline bool kernel_since(int major, int minor)
{
	struct utsname uts;
	int x = 0, y = 0;

	uname(&uts);
	if (sscanf(uts.release, "%d.%d", &x, &y) != 2)
		return false;
	return x > major || (x == major && y >= minor);
}

enum selftests {
	SELFTESTS_UNKNOWN,
	SELFTESTS_OFF,		/* compiled out */
	SELFTESTS_ON,
	SELFTESTS_NOTESTS,	/* compiled in, and cryptomgr.notests is set */
};

/*
 * Whether self-tests are on, from the configuration, or else from the symbols:
 * only a kernel with self-tests has alg_test_hash().
 */
static inline enum selftests selftests(void)
{
	bool alg_test = false, alg_test_hash = false;
	char line[256], sym[128];
	int off, on;
	FILE *f;

	off = kconfig("CRYPTO_MANAGER_DISABLE_TESTS");
	on = kconfig("CRYPTO_SELFTESTS");
	if (off) {
		/* The symbol was renamed, and turned round, in 6.16. */
		alg_test_hash = kernel_since(6, 16) ? on == 'y' : off != 'y';
	} else {
		f = fopen("/proc/kallsyms", "re");
		if (!f)
			return SELFTESTS_UNKNOWN;
		while (fgets(line, sizeof(line), f)) {
			if (sscanf(line, "%*s %*s %127s", sym) != 1)
				continue;
			if (!strcmp(sym, "alg_test"))
				alg_test = true;
			else if (!strcmp(sym, "alg_test_hash"))
				alg_test_hash = true;
		}
		fclose(f);
		if (!alg_test)
			return SELFTESTS_UNKNOWN;
	}

	if (!alg_test_hash)
		return SELFTESTS_OFF;
	if (!read_line("/sys/module/cryptomgr/parameters/notests",
		       line, sizeof(line)) && line[0] == 'Y')
		return SELFTESTS_NOTESTS;
	return SELFTESTS_ON;
}

/* True with fips=1: what FIPS does not allow is registered and not usable. */
static inline bool in_fips_mode(void)
{
	char buf[32];

	return !read_line("/proc/sys/crypto/fips_enabled", buf, sizeof(buf)) &&
	       buf[0] == '1';
}

struct alg {
	char name[128];
	char driver[128];
	int refcnt;
	bool internal;
	bool larval;
	bool passed;
};

/*
 * Reads /proc/crypto.  Returns how many rows there are and stores an array of
 * them, for the caller to free, in *@algs; -errno on failure.
 */
static inline int read_algs(struct alg **algs)
{
	char line[256], key[32], val[128];
	struct alg *v = NULL, *a = NULL;
	int n = 0, room = 0;
	FILE *f;

	f = fopen("/proc/crypto", "re");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%31s : %127s", key, val) != 2)
			continue;
		if (!strcmp(key, "name")) {
			if (n == room) {
				room = room * 2 + 64;
				v = realloc(v, room * sizeof(*v));
				if (!v)
					abort();
			}
			a = &v[n++];
			memset(a, 0, sizeof(*a));
			snprintf(a->name, sizeof(a->name), "%s", val);
		} else if (!a) {
			continue;
		} else if (!strcmp(key, "driver")) {
			snprintf(a->driver, sizeof(a->driver), "%s",
				 val);
		} else if (!strcmp(key, "refcnt")) {
			a->refcnt = atoi(val);
		} else if (!strcmp(key, "internal")) {
			a->internal = !strcmp(val, "yes");
		} else if (!strcmp(key, "selftest")) {
			a->passed = !strcmp(val, "passed");
		} else if (!strcmp(key, "type")) {
			a->larval = !strcmp(val, "larval");
		}
	}
	fclose(f);
	*algs = v;
	return n;
}

/* Rows of /proc/crypto that are internal, or those that are not; -errno. */
static inline int count_algs(bool internal)
{
	struct alg *algs = NULL;
	int i, n, count = 0;

	n = read_algs(&algs);
	for (i = 0; i < n; i++)
		count += algs[i].internal == internal && !algs[i].larval;
	free(algs);
	return n < 0 ? n : count;
}

/* Those that cryptomgr tests when self-tests are on; -errno. */
static inline int count_tested_algs(void)
{
	return count_algs(false);
}

/*
 * Copies to *@alg, if given, the row of /proc/crypto with that algorithm or
 * driver name.  False if there is none.
 */
static inline bool find_alg(const char *name, struct alg *alg)
{
	struct alg *algs = NULL;
	bool found = false;
	int i, n;

	n = read_algs(&algs);
	for (i = 0; i < n && !found; i++) {
		if (algs[i].larval ||
		    (strcmp(algs[i].name, name) &&
		     strcmp(algs[i].driver, name)))
			continue;
		found = true;
		if (alg)
			*alg = algs[i];
	}
	free(algs);
	return found;
}

static inline void sleep_ms(int ms)
{
	struct timespec ts = { .tv_sec = ms / 1000,
			       .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

/* References to an algorithm as /proc/crypto has them, -1 if it is not there. */
static inline int alg_refs(const char *name)
{
	struct alg alg;

	return find_alg(name, &alg) ? alg.refcnt : -1;
}

/* Waits until there are @want, for a second; returns how many there are. */
static inline int wait_for_alg_refs(const char *name, int want)
{
	int i;

	for (i = 0; i < 500 && alg_refs(name) != want; i++)
		sleep_ms(2);
	return alg_refs(name);
}

/*
 * Binds an AF_ALG socket of @type ("hash", "skcipher", "aead", "rng") to
 * @name, which makes the kernel look the algorithm up and create an instance
 * where there is none.  Requests with another @mask (0 or 0x1000, for software
 * only) do not share a larval.  Returns the socket or -errno.
 */
static inline int alg_bind_mask(const char *type, const char *name, __u32 mask)
{
	struct sockaddr_alg sa = { .salg_family = AF_ALG, .salg_mask = mask };
	int fd;

	memcpy(sa.salg_type, type, strnlen(type, sizeof(sa.salg_type) - 1));
	memcpy(sa.salg_name, name, strnlen(name, sizeof(sa.salg_name) - 1));
	fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&sa, sizeof(sa))) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

static inline int alg_bind(const char *type, const char *name)
{
	return alg_bind_mask(type, name, 0);
}

/* Tasks made since the kernel started, kernel threads included; -1. */
static inline long tasks_created(void)
{
	long n = -1;
	char line[4096];
	FILE *f;

	f = fopen("/proc/stat", "re");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "processes %ld", &n) == 1)
			break;
	fclose(f);
	return n;
}

/* Tasks that exist now, every thread counted; -1. */
static inline long tasks_alive(void)
{
	char line[128];
	long n;

	if (read_line("/proc/loadavg", line, sizeof(line)) ||
	    sscanf(line, "%*s %*s %*s %*d/%ld", &n) != 1)
		return -1;
	return n;
}

#define TEST_COMM	"cryptomgr_test"
#define PROBE_COMM	"cryptomgr_probe"

struct kthreads {
	long tasks;	/* made in all, whoever made them */
	long rows;	/* new rows of /proc/crypto that cryptomgr could test */
	long internal;	/* and internal ones */
	bool named;	/* process accounting worked: the two below are known */
	long test;
	long probe;
};

static const char * const accounting_files[] = {
	"/var/log/account/pacct", "/var/account/pacct", "/var/log/pacct",
};

static inline void fork_and_wait(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* True if some process accounting is at work: it grows when a child ends. */
static inline bool accounting_in_use(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(accounting_files); i++) {
		struct stat before, after;

		if (stat(accounting_files[i], &before))
			continue;
		fork_and_wait();
		if (stat(accounting_files[i], &after) ||
		    after.st_size != before.st_size)
			return true;
	}
	return false;
}

/* Live tasks of cryptomgr; they end soon after they woke whoever waited. */
static inline int cryptomgr_alive(void)
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

static inline void wait_for_cryptomgr(void)
{
	int i;

	for (i = 0; i < 500 && cryptomgr_alive(); i++)
		sleep_ms(2);
}

/* True if nothing makes tasks at the moment. */
static inline bool quiet(void)
{
	long before = tasks_created();

	sleep_ms(20);
	return tasks_created() == before;
}

static inline void count_records(const char *path, struct kthreads *k)
{
	struct acct_v3 rec;
	FILE *f = fopen(path, "re");

	while (f && fread(&rec, sizeof(rec), 1, f) == 1) {
		if ((rec.ac_version & 0x0f) != 3)
			break;
		/* The child of measure(): accounting did take place. */
		if (rec.ac_ppid == (unsigned int)getpid())
			k->named = true;
		if (rec.ac_ppid != 2)
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
 * Does @action(@arg) and counts what that made, new algorithms included.
 * Returns what it returned, or -EBUSY if other activity does not let it count.
 */
static inline int measure(int (*action)(const void *arg), const void *arg,
			  struct kthreads *k)
{
	char path[] = "/tmp/crypto-kthreads-XXXXXX";
	bool was_quiet, accounting = false;
	int ret, file;
	long before;

	memset(k, 0, sizeof(*k));
	wait_for_cryptomgr();

	file = accounting_in_use() ? -1 : mkstemp(path);
	if (file >= 0) {
		close(file);
		accounting = !acct(path);
		fork_and_wait();
	}

	was_quiet = quiet();
	k->rows = -count_tested_algs();
	k->internal = -count_algs(true);
	before = tasks_created();
	ret = action(arg);
	wait_for_cryptomgr();
	k->tasks = tasks_created() - before;
	k->rows += count_tested_algs();
	k->internal += count_algs(true);
	was_quiet = quiet() && was_quiet;

	if (accounting) {
		acct(NULL);
		count_records(path, k);
	}
	if (file >= 0)
		unlink(path);
	if (!k->named && !was_quiet)
		return -EBUSY;
	return ret;
}

/* One line of what was measured; verify reads it too. */
static inline void report(const char *what, const struct kthreads *k)
{
	if (k->named)
		note("%s: %ld tasks, %ld " TEST_COMM ", %ld " PROBE_COMM
		     ", %ld new algorithms, %ld internal ones",
		     what, k->tasks, k->test, k->probe, k->rows, k->internal);
	else
		note("%s: %ld tasks (no process accounting), %ld new algorithms, %ld internal ones",
		     what, k->tasks, k->rows, k->internal);
}

#endif /* CRYPTO_UTIL_H */
