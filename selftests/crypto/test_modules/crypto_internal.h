/* SPDX-License-Identifier: GPL-2.0 */
/* What crypto/internal.h declares, out of reach from here, and is exported. */
#ifndef CRYPTO_INTERNAL_H
#define CRYPTO_INTERNAL_H

#include <linux/rwsem.h>

extern struct rw_semaphore crypto_alg_sem;

#endif /* CRYPTO_INTERNAL_H */
