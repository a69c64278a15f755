# For scripts/bench: no algorithm is tested, whatever the configuration says, so that
# what kthreads cost that test nothing (cryptomgr.notests=1) can be seen.
/^static struct crypto_larval \*crypto_alloc_test_larval(/,/^}/s/^\tif (!IS_ENABLED(CONFIG_CRYPTO_/\tif (1 || !IS_ENABLED(CONFIG_CRYPTO_/
