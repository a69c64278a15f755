// SPDX-License-Identifier: GPL-2.0
/*
 * Registers hash algorithms and a template on request and listens to what the
 * crypto API tells about them, for the selftests of algorithm registration.
 *
 * Parameters, in /sys/module/crypto_reg_test/parameters:
 *
 *   register	write "SLOT PRIORITY [internal|clash|broken]": registers "ksft-reg",
 *		driver "ksft-reg-SLOT" (0 to 3), or "ksft-reg" if it is to clash
 *		with the names of the others; a broken one is named "sha1", for
 *		which there is a self-test, and cannot be allocated, which fails
 *		the test without a warning; the write fails with the error
 *   unregister	write "SLOT"
 *   template	write 1: registers the template "ksft", for a hash of any
 *		hash; write 0: unregisters it
 *   events	read "DRIVER register=N loaded=N locked=N" for each algorithm
 *		with ksft-reg in its driver name: how many notifications of
 *		each kind came, and at how many of the "loaded" ones somebody
 *		held crypto_alg_sem; write anything to forget them
 *
 * The digest is the sum of all bytes, in all four bytes of it, the same from
 * each slot and from the template, which makes no use of what is below it.
 */
#include <crypto/algapi.h>
#include <crypto/internal/hash.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
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

static int broken_init_tfm(struct crypto_shash *tfm)
{
	return -ENOENT;
}

static void sum_alg(struct shash_alg *alg)
{
	alg->digestsize = 4;
	alg->init = sum_init;
	alg->update = sum_update;
	alg->final = sum_final;
	alg->descsize = sizeof(struct sum_ctx);
	alg->base.cra_blocksize = BLOCK;
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

	if (registered[slot])
		return -EBUSY;

	alg = &algs[slot];
	memset(alg, 0, sizeof(*alg));
	sum_alg(alg);
	alg->base.cra_priority = priority;
	alg->base.cra_module = THIS_MODULE;
	if (!strcmp(how, "internal"))
		alg->base.cra_flags = CRYPTO_ALG_INTERNAL;
	strscpy(alg->base.cra_name, "ksft-reg", CRYPTO_MAX_ALG_NAME);
	if (!strcmp(how, "broken")) {
		strscpy(alg->base.cra_name, "sha1", CRYPTO_MAX_ALG_NAME);
		alg->init_tfm = broken_init_tfm;
	}
	if (!strcmp(how, "clash"))
		strscpy(alg->base.cra_driver_name, "ksft-reg",
			CRYPTO_MAX_ALG_NAME);
	else
		snprintf(alg->base.cra_driver_name, CRYPTO_MAX_ALG_NAME,
			 "ksft-reg-%u", slot);

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

static int create_instance(struct crypto_template *tmpl, struct rtattr **tb)
{
	struct crypto_shash_spawn *spawn;
	struct shash_instance *inst;
	struct shash_alg *alg;
	u32 mask;
	int err;

	err = crypto_check_attr_type(tb, CRYPTO_ALG_TYPE_SHASH, &mask);
	if (err)
		return err;

	inst = kzalloc(sizeof(*inst) + sizeof(*spawn), GFP_KERNEL);
	if (!inst)
		return -ENOMEM;
	spawn = shash_instance_ctx(inst);

	err = crypto_grab_shash(spawn, shash_crypto_instance(inst),
				crypto_attr_alg_name(tb[1]), 0, mask);
	if (err)
		goto err_free;
	alg = crypto_spawn_shash_alg(spawn);
	err = crypto_inst_setname(shash_crypto_instance(inst), tmpl->name,
				  &alg->base);
	if (err)
		goto err_free;

	sum_alg(&inst->alg);
	inst->alg.base.cra_priority = alg->base.cra_priority;
	inst->free = shash_free_singlespawn_instance;
	err = shash_register_instance(tmpl, inst);
	if (err)
		goto err_free;
	return 0;

err_free:
	shash_free_singlespawn_instance(inst);
	return err;
}

static struct crypto_template ksft_tmpl = {
	.name = "ksft",
	.create = create_instance,
	.module = THIS_MODULE,
};

static bool have_template;

static int set_template(const char *val, const struct kernel_param *kp)
{
	bool on;
	int err;

	err = kstrtobool(val, &on);
	if (err)
		return err;
	if (on) {
		/* The last unregistration freed the instances, not the list. */
		if (!have_template)
			INIT_HLIST_HEAD(&ksft_tmpl.instances);
		err = crypto_register_template(&ksft_tmpl);
		if (!err)
			have_template = true;
		return err;
	}
	if (!have_template)
		return -EINVAL;
	crypto_unregister_template(&ksft_tmpl);
	have_template = false;
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
static const struct kernel_param_ops template_ops = { .set = set_template };
static const struct kernel_param_ops events_ops = {
	.set = clear_events,
	.get = show_events,
};

module_param_cb(register, &register_ops, NULL, 0200);
module_param_cb(unregister, &unregister_ops, NULL, 0200);
module_param_cb(template, &template_ops, NULL, 0200);
module_param_cb(events, &events_ops, NULL, 0600);

static int __init crypto_reg_test_init(void)
{
	return crypto_register_notifier(&reg_test_nb);
}

static void __exit crypto_reg_test_exit(void)
{
	int i;

	if (have_template)
		crypto_unregister_template(&ksft_tmpl);
	for (i = 0; i < SLOTS; i++)
		if (registered[i])
			crypto_unregister_shash(&algs[i]);
	crypto_unregister_notifier(&reg_test_nb);
}

module_init(crypto_reg_test_init);
module_exit(crypto_reg_test_exit);

MODULE_DESCRIPTION("Algorithms and a listener for the crypto selftests");
MODULE_LICENSE("GPL");
