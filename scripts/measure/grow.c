// SPDX-License-Identifier: GPL-2.0
/*
 * For scripts/bench, which adds this file to crypto/ of the kernel that it measures:
 * with grow.run=1, at the end of the boot, the time to register 50 to 1600 more
 * algorithms, and of the first use of templates.
 *
 * Prints lines "grow: WHAT N NANOSECONDS TASKS": for "register" N is the number of
 * algorithms, for "use" the name; TASKS is how many were made.
 */
#include <crypto/hash.h>
#include <crypto/internal/hash.h>
#include <crypto/skcipher.h>
#include <linux/delay.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/sched/clock.h>
#include <linux/sched/stat.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#define MOST	1600

static bool run;
module_param(run, bool, 0);

static int grow_init_digest(struct shash_desc *desc)
{
	return 0;
}

static int grow_update(struct shash_desc *desc, const u8 *data, unsigned int len)
{
	return 0;
}

static int grow_final(struct shash_desc *desc, u8 *out)
{
	return 0;
}

static void grow_register(struct shash_alg *algs, unsigned int n)
{
	unsigned long tasks;
	unsigned int i;
	u64 start;

	memset(algs, 0, n * sizeof(*algs));
	for (i = 0; i < n; i++) {
		/* Like real names they differ early, as comparing them counts. */
		snprintf(algs[i].base.cra_name, CRYPTO_MAX_ALG_NAME, "%04x-grow",
			 i * 0x9e37U & 0xffff);
		snprintf(algs[i].base.cra_driver_name, CRYPTO_MAX_ALG_NAME,
			 "%04x-grow-generic", i * 0x9e37U & 0xffff);
		algs[i].base.cra_blocksize = 1;
		algs[i].base.cra_module = THIS_MODULE;
		algs[i].digestsize = 4;
		algs[i].init = grow_init_digest;
		algs[i].update = grow_update;
		algs[i].final = grow_final;
	}

	tasks = total_forks;
	start = local_clock();
	for (i = 0; i < n; i++)
		if (crypto_register_shash(&algs[i]))
			pr_err("grow: cannot register %u\n", i);
	pr_info("grow: register %u %llu %lu\n", n, local_clock() - start,
		total_forks - tasks);
	while (n--)
		crypto_unregister_shash(&algs[n]);
}

static void grow_use(const char *name, bool hash)
{
	unsigned long tasks = total_forks;
	u64 start = local_clock();
	void *tfm;

	if (hash)
		tfm = crypto_alloc_shash(name, 0, 0);
	else
		tfm = crypto_alloc_skcipher(name, 0, 0);
	start = local_clock() - start;
	if (IS_ERR(tfm)) {
		pr_err("grow: no %s: %ld\n", name, PTR_ERR(tfm));
		return;
	}
	pr_info("grow: use %s %llu %lu\n", name, start, total_forks - tasks);
	if (hash)
		crypto_free_shash(tfm);
	else
		crypto_free_skcipher(tfm);
}

static int __init grow_start(void)
{
	struct shash_alg *algs;
	unsigned int n;

	if (!run)
		return 0;
	/* What the boot has left to workers is not to be counted here. */
	msleep(100);
	grow_use("hmac(md4)", true);
	grow_use("hmac(rmd160)", true);
	grow_use("ctr(anubis)", false);
	grow_use("ctr(khazad)", false);
	grow_use("cts(cbc(khazad))", false);
	grow_use("cts(cbc(anubis))", false);
	algs = vmalloc(array_size(MOST, sizeof(*algs)));
	if (!algs)
		return -ENOMEM;
	for (n = 50; n <= MOST; n *= 2)
		grow_register(algs, n);
	vfree(algs);
	return 0;
}
late_initcall_sync(grow_start);
