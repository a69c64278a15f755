/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module crypto_reg_test, for the selftests that use it: loads it from the
 * directory of the program or from test_modules in it, registers its algorithms,
 * and waits for references to go.  Include it after crypto_util.h.
 */
#ifndef REG_TEST_H
#define REG_TEST_H

#include <libgen.h>
#include <sys/syscall.h>

#define MODULE	"crypto_reg_test"
#define PARAM	"/sys/module/" MODULE "/parameters/"
#define NAME	"ksft-reg"

static inline int load_module(void)
{
	static const char * const where[] = { "", "test_modules/" };
	char self[256] = "", path[512];
	unsigned int i;
	int fd, err;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return -errno;
	dirname(self);
	for (i = 0; i < ARRAY_SIZE(where); i++) {
		snprintf(path, sizeof(path), "%s/%s" MODULE ".ko", self,
			 where[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		err = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
		close(fd);
		return err;
	}
	return -ENOENT;
}

static inline int unload_module(void)
{
	return syscall(SYS_delete_module, MODULE, O_NONBLOCK) ? -errno : 0;
}

/* References to the module, -1 if it is not there. */
static inline int module_refs(void)
{
	char buf[32];

	if (read_line("/sys/module/" MODULE "/refcnt", buf, sizeof(buf)))
		return -1;
	return atoi(buf);
}

/*
 * References are dropped from a work queue and by threads that end soon: waits
 * until there are @want, returns how many there are in the end.
 */
static inline int wait_for_refs(int want)
{
	int i;

	for (i = 0; i < 500 && module_refs() != want; i++)
		sleep_ms(2);
	return module_refs();
}

static inline int do_register(const void *how)
{
	return write_line(PARAM "register", how);
}

#endif /* REG_TEST_H */
