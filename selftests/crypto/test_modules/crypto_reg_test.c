// SPDX-License-Identifier: GPL-2.0
/*
 * Registers hash algorithms on request and listens to what the crypto API tells
 * about them, for the selftests of algorithm registration.
 *
 * Parameters, in /sys/module/crypto_reg_test/parameters:
 *
 *   register	write "SLOT PRIORITY [internal]": registers "ksft-reg", driver
 *		"ksft-reg-SLOT" (0 to 3); the write fails with the error
 *   unregister	write "SLOT"
 *   events	read "DRIVER register=N loaded=N locked=N" for each algorithm
 *		with ksft-reg in its driver name: how many notifications of
 *		each kind came, and at how many of the "loaded" ones somebody
 *		held crypto_alg_sem; write anything to forget them
 *
 * The digest is the sum of all bytes, in all four bytes of it, the same from
 * each slot.
 */
#include <crypto/algapi.h>
#include <crypto/internal/hash.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rwsem.h>
#include <linux/string.h>

#include "crypto_internal.h"

#define SLOTS	4
#define EVENTS	16

#define BLOCK	64

/* As large as a block, or hmac does not take it. */
struct sum_ctx {
	u8 sum;
	u8 unused[BLOCK - 1];
};

static int sum_init(struct shash_desc *desc)
{
	struct sum_ctx *ctx = shash_desc_ctx(desc);

	memset(ctx, 0, sizeof(*ctx));
	return 0;
}

static int sum_update(struct shash_desc *desc, const u8 *data, unsigned int len)
{
	struct sum_ctx *ctx = shash_desc_ctx(desc);

	while (len--)
		ctx->sum += *data++;
	return 0;
}

static int sum_final(struct shash_desc *desc, u8 *out)
{
	struct sum_ctx *ctx = shash_desc_ctx(desc);

	memset(out, ctx->sum, 4);
	return 0;
}

static struct shash_alg algs[SLOTS];
static bool registered[SLOTS];

static struct event {
	char driver[CRYPTO_MAX_ALG_NAME];
	unsigned int registers, loaded, locked;
} events[EVENTS];

static DEFINE_MUTEX(events_lock);

static int reg_test_notify(struct notifier_block *nb, unsigned long msg,
			   void *data)
{
	/* Either the algorithm or its larval, which starts with one. */
	struct crypto_alg *alg = data;
	struct event *e;

	if (msg != CRYPTO_MSG_ALG_REGISTER && msg != CRYPTO_MSG_ALG_LOADED)
		return NOTIFY_DONE;
	if (!strstr(alg->cra_driver_name, "ksft-reg"))
		return NOTIFY_DONE;

	mutex_lock(&events_lock);
	for (e = events; e < events + EVENTS - 1; e++)
		if (!e->driver[0] || !strcmp(e->driver, alg->cra_driver_name))
			break;
	strscpy(e->driver, alg->cra_driver_name, sizeof(e->driver));
	if (msg == CRYPTO_MSG_ALG_REGISTER) {
		e->registers++;
	} else {
		e->loaded++;
		e->locked += !!rwsem_is_locked(&crypto_alg_sem);
	}
	mutex_unlock(&events_lock);

	return NOTIFY_DONE;
}

static struct notifier_block reg_test_nb = {
	.notifier_call = reg_test_notify,
	/* Before cryptomgr, which stops the chain. */
	.priority = INT_MAX,
};

static int do_register(const char *val, const struct kernel_param *kp)
{
	unsigned int slot, priority;
	char how[16] = "";
	struct shash_alg *alg;
	int err;

	if (sscanf(val, "%u %u %15s", &slot, &priority, how) < 2 ||
	    slot >= SLOTS)
		return -EINVAL;

	alg = &algs[slot];
	if (!registered[slot]) {
		memset(alg, 0, sizeof(*alg));
		alg->digestsize = 4;
		alg->init = sum_init;
		alg->update = sum_update;
		alg->final = sum_final;
		alg->descsize = sizeof(struct sum_ctx);
		alg->base.cra_priority = priority;
		alg->base.cra_blocksize = BLOCK;
		alg->base.cra_module = THIS_MODULE;
		if (!strcmp(how, "internal"))
			alg->base.cra_flags = CRYPTO_ALG_INTERNAL;
		strscpy(alg->base.cra_name, "ksft-reg", CRYPTO_MAX_ALG_NAME);
		snprintf(alg->base.cra_driver_name, CRYPTO_MAX_ALG_NAME,
			 "ksft-reg-%u", slot);
	}
	err = crypto_register_shash(alg);
	if (!err)
		registered[slot] = true;
	return err;
}

static int do_unregister(const char *val, const struct kernel_param *kp)
{
	unsigned int slot;
	int err;

	err = kstrtouint(val, 0, &slot);
	if (err)
		return err;
	if (slot >= SLOTS || !registered[slot])
		return -EINVAL;
	crypto_unregister_shash(&algs[slot]);
	registered[slot] = false;
	return 0;
}

static int clear_events(const char *val, const struct kernel_param *kp)
{
	mutex_lock(&events_lock);
	memset(events, 0, sizeof(events));
	mutex_unlock(&events_lock);
	return 0;
}

static int show_events(char *buf, const struct kernel_param *kp)
{
	struct event *e;
	int len = 0;

	mutex_lock(&events_lock);
	for (e = events; e < events + EVENTS && e->driver[0]; e++)
		len += scnprintf(buf + len, PAGE_SIZE - len,
				 "%s register=%u loaded=%u locked=%u\n",
				 e->driver, e->registers, e->loaded, e->locked);
	mutex_unlock(&events_lock);
	return len;
}

static const struct kernel_param_ops register_ops = { .set = do_register };
static const struct kernel_param_ops unregister_ops = { .set = do_unregister };
static const struct kernel_param_ops events_ops = {
	.set = clear_events,
	.get = show_events,
};

module_param_cb(register, &register_ops, NULL, 0200);
module_param_cb(unregister, &unregister_ops, NULL, 0200);
module_param_cb(events, &events_ops, NULL, 0600);

static int __init crypto_reg_test_init(void)
{
	return crypto_register_notifier(&reg_test_nb);
}

static void __exit crypto_reg_test_exit(void)
{
	int i;

	for (i = 0; i < SLOTS; i++)
		if (registered[i])
			crypto_unregister_shash(&algs[i]);
	crypto_unregister_notifier(&reg_test_nb);
}

module_init(crypto_reg_test_init);
module_exit(crypto_reg_test_exit);

MODULE_DESCRIPTION("Algorithms and a listener for the crypto selftests");
MODULE_LICENSE("GPL");
