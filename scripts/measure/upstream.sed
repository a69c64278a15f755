# For scripts/bench: the series as v6.2 has it, with CRYPTO_MSG_ALG_LOADED sent under
# the lock, without a reference to the instance, and with twins.
/^__crypto_register_alg(/,/^}/s/^\t\tcrypto_alg_finish_registration(alg, true, algs_to_put);/&\n\t\tcrypto_notify(CRYPTO_MSG_ALG_LOADED, alg);/
/^int crypto_register_alg(/,/^}/{
	/crypto_notify(CRYPTO_MSG_ALG_LOADED/d
}
/^int crypto_register_instance(/,/^}/{
	/crypto_notify(CRYPTO_MSG_ALG_LOADED/d
	/crypto_alg_put(&inst->alg);/d
	s/crypto_alg_get(&inst->alg);/;/
	s/if (crypto_is_twin(/if (0 \&\& crypto_is_twin(/
}
