// SPDX-License-Identifier: GPL-2.0
/*
 * PID 1 of the test machine: notes what the boot cost, runs the kselftests it
 * finds, reports on a channel of its own, and stops the machine.
 *
 * From the kernel's command line, which hands them over in the environment:
 *   results=DEVICE	where the report goes, default /dev/console
 *   finish=reset	end with a reset instead of a power-off
 *   log=TEXT		report what the kernel logged with TEXT in it
 *
 * /tests/list names the programs in /tests to run, in that order, a line each.
 * Where kselftests are installed in /kselftest, their own runner does it instead,
 * with the shell of busybox.
 *
 * The report is KTAP as kselftest's own runner writes it, preceded by lines
 * "# fact KEY VALUE":
 *   run_init_us	microseconds since the start at which the kernel ran init, as
 *			its log has them, if it is in it, less what the log's clock
 *			was corrected by when it became stable (x86 says how much:
 *			while it is not, each late tick makes it lose time)
 *   tasks_before_pid1	tasks made by the kernel before PID 1, which is one
 *   ended_before_pid1	those of them that are gone again
 *   algorithms		rows of /proc/crypto, before the first test
 *   internal		those of them that are internal
 *   boot_NAME		kernel threads of that name that ended so far, from the
 *			trace event sched_process_exit (if it was enabled at boot)
 * and followed by "# log MICROSECONDS TEXT" for each line that log= asks for,
 * "# alg NAME DRIVER SELFTEST" per row as of then, and
 * "# fact tainted N": the kernel's bits (512 is a warning), but for those of the
 * modules that the tests bring.  "# end" is the last line of a machine that came
 * through.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define TAINT_MODULES 0x3000L	/* out of tree, not signed */
#define TRACE "/sys/kernel/tracing/"

static FILE *out;

static void finish(void)
{
	const char *how = getenv("finish");

	if (out) {
		fflush(out);
		tcdrain(fileno(out));
	}
	reboot(how && !strcmp(how, "reset") ? RB_AUTOBOOT : RB_POWER_OFF);
	for (;;)
		pause();
}

static void die(const char *what)
{
	fprintf(out ? out : stderr, "Bail out! init: %s: %m\n", what);
	finish();
}

static void mount_all(void)
{
	static const struct {
		const char *type, *dir;
		int must;
	} m[] = {
		{ "proc", "/proc", 1 },
		{ "sysfs", "/sys", 1 },
		{ "devtmpfs", "/dev", 1 },
		{ "tmpfs", "/tmp", 1 },
		{ "tracefs", "/sys/kernel/tracing", 0 },
		{ "debugfs", "/sys/kernel/debug", 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(m); i++) {
		mkdir(m[i].dir, 0755);
		if (mount(m[i].type, m[i].dir, m[i].type, 0, NULL) && m[i].must)
			die(m[i].dir);
	}
}

static void open_results(void)
{
	const char *dev = getenv("results");
	struct termios t;
	int fd, tries;

	if (!dev)
		dev = "/dev/console";
	/* A virtio console comes when its driver gets to it. */
	for (tries = 0; tries < 500; tries++) {
		fd = open(dev, O_WRONLY | O_NOCTTY | O_CLOEXEC);
		if (fd >= 0)
			break;
		usleep(10000);
	}
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out)
		die(dev);
	if (!tcgetattr(fd, &t)) {
		cfmakeraw(&t);
		tcsetattr(fd, TCSANOW, &t);
	}
}

/* The number behind @key at the start of a line of @path, or -1. */
static long number(const char *path, const char *key)
{
	char line[4096];
	long n = -1;
	FILE *f = fopen(path, "re");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key))) {
			n = atol(line + strlen(key));
			break;
		}
	if (f)
		fclose(f);
	return n;
}

static void boot_cost(void)
{
	long made, alive = -1, algs = 0, internal = 0;
	char line[256];
	FILE *f;

	/* Nothing has been forked from here yet. */
	made = number("/proc/stat", "processes ");
	f = fopen("/proc/loadavg", "re");
	if (!f || fscanf(f, "%*s %*s %*s %*d/%ld", &alive) != 1)
		die("/proc/loadavg");
	fclose(f);

	f = fopen("/proc/crypto", "re");
	while (f && fgets(line, sizeof(line), f)) {
		algs += !strncmp(line, "name ", 5);
		internal += !strncmp(line, "internal     : yes", 18);
	}
	if (f)
		fclose(f);

	fprintf(out, "# fact tasks_before_pid1 %ld\n", made);
	fprintf(out, "# fact ended_before_pid1 %ld\n", made - alive);
	fprintf(out, "# fact algorithms %ld\n", algs);
	fprintf(out, "# fact internal %ld\n", internal);
}

/* Recent kernels do not wait for the tests: the last ones may still run. */
static void wait_for_tests(void)
{
	int tries;

	for (tries = 0; tries < 500; tries++) {
		char path[300], comm[32];
		struct dirent *d;
		int alive = 0;
		DIR *proc;
		FILE *f;

		proc = opendir("/proc");
		while (proc && (d = readdir(proc))) {
			snprintf(path, sizeof(path), "/proc/%s/comm", d->d_name);
			f = fopen(path, "re");
			if (!f)
				continue;
			alive += fgets(comm, sizeof(comm), f) &&
				 !strncmp(comm, "cryptomgr_", 10);
			fclose(f);
		}
		if (proc)
			closedir(proc);
		if (!alive)
			return;
		usleep(20000);
	}
}

static void boot_trace(void)
{
	static const char * const names[] = {
		"cryptomgr_test", "cryptomgr_probe",
	};
	long count[2] = { 0, 0 };
	char line[512], want[64];
	unsigned int i;
	FILE *f;

	f = fopen(TRACE "events/sched/sched_process_exit/enable", "re");
	if (!f)
		return;
	if (fgetc(f) != '1') {
		fclose(f);
		return;
	}
	fclose(f);

	f = fopen(TRACE "trace", "re");
	while (f && fgets(line, sizeof(line), f))
		for (i = 0; i < 2; i++) {
			snprintf(want, sizeof(want), "comm=%s ", names[i]);
			count[i] += !!strstr(line, want);
		}
	if (f)
		fclose(f);
	for (i = 0; i < 2; i++)
		fprintf(out, "# fact boot_%s %ld\n", names[i], count[i]);

	/* The tests are not to be traced. */
	f = fopen(TRACE "events/enable", "we");
	if (f) {
		fputs("0", f);
		fclose(f);
	}
}

/* Records of the kernel's log are "PRIORITY,SEQUENCE,MICROSECONDS,FLAGS;TEXT". */
static void read_log(void)
{
	const char *want = getenv("log");
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[8192], *text;
	long long us, ns, offset = 0;
	ssize_t len;

	while (fd >= 0 && (len = read(fd, record, sizeof(record) - 1)) > 0) {
		record[len] = '\0';
		text = strchr(record, ';');
		if (!text || sscanf(record, "%*u,%*u,%lld,", &us) != 1)
			continue;
		text++;
		text[strcspn(text, "\n")] = '\0';
		if (sscanf(text,
			   "sched_clock: Marking stable (%*d, %*d)->(%*d, %lld)",
			   &ns) == 1)
			offset = ns / 1000;
		if (strstr(text, "as init process"))
			fprintf(out, "# fact run_init_us %lld\n",
				us - offset);
		if (want && strstr(text, want))
			fprintf(out, "# log %lld %s\n", us, text);
	}
	if (fd >= 0)
		close(fd);
}

static void list_algs(void)
{
	char line[256], key[32], val[128], name[128] = "", driver[128] = "";
	FILE *f = fopen("/proc/crypto", "re");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%31s : %127s", key, val) != 2)
			continue;
		if (!strcmp(key, "name"))
			snprintf(name, sizeof(name), "%s", val);
		else if (!strcmp(key, "driver"))
			snprintf(driver, sizeof(driver), "%s", val);
		else if (!strcmp(key, "selftest"))
			fprintf(out, "# alg %s %s %s\n", name, driver, val);
	}
	if (f)
		fclose(f);
}

/* Runs a program and copies what it prints, each line behind @prefix. */
static int run_program(const char *const argv[], const char *prefix)
{
	int pipefd[2], status;
	char line[4096];
	pid_t pid;
	FILE *f;

	if (pipe2(pipefd, O_CLOEXEC))
		die("pipe");
	fflush(out);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		dup2(pipefd[1], STDOUT_FILENO);
		dup2(pipefd[1], STDERR_FILENO);
		execv(argv[0], (char *const *)argv);
		printf("Bail out! cannot run %s\n", argv[0]);
		fflush(stdout);
		_exit(127);
	}
	close(pipefd[1]);
	f = fdopen(pipefd[0], "re");
	while (f && fgets(line, sizeof(line), f)) {
		fprintf(out, "%s%s%s", prefix, line, strchr(line, '\n') ? "" : "\n");
		fflush(out);
	}
	if (f)
		fclose(f);
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void run_tests(void)
{
	static const char *const runner[] = {
		"/bin/sh", "/kselftest/run_kselftest.sh", "-c", "crypto", NULL,
	};
	char names[32][64], list[64], path[300];
	int i, n = 0, code;
	FILE *f;

	if (!access(runner[1], R_OK)) {
		setenv("PATH", "/bin", 1);
		run_program(runner, "");
		return;
	}

	f = fopen("/tests/list", "re");

	while (f && n < 32 && fgets(list, sizeof(list), f)) {
		list[strcspn(list, "\n")] = '\0';
		snprintf(names[n++], sizeof(names[0]), "%s", list);
	}
	if (f)
		fclose(f);

	fprintf(out, "TAP version 13\n1..%d\n", n);
	for (i = 0; i < n; i++) {
		fprintf(out, "# selftests: crypto: %s\n", names[i]);
		snprintf(path, sizeof(path), "/tests/%s", names[i]);
		code = run_program((const char *[]){ path, NULL }, "# ");
		fprintf(out, "%sok %d selftests: crypto: %s", code && code != 4 ?
			"not " : "", i + 1, names[i]);
		if (code == 4)
			fprintf(out, " # SKIP");
		else if (code)
			fprintf(out, " # exit=%d", code);
		fputc('\n', out);
	}
}

int main(void)
{
	mount_all();
	open_results();
	wait_for_tests();
	boot_cost();
	boot_trace();
	read_log();
	run_tests();
	list_algs();
	fprintf(out, "# fact tainted %ld\n",
		number("/proc/sys/kernel/tainted", "") & ~TAINT_MODULES);
	fprintf(out, "# end\n");
	finish();
}
