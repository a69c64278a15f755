# For scripts/bench: the series made to do it as v6.2 does, which sends
# CRYPTO_MSG_ALG_LOADED under the lock, without a reference to the instance, and does
# not look for twins.
/^__crypto_register_alg(/,/^}/s/^\t\tcrypto_alg_finish_registration(alg, true, algs_to_put);/&\n\t\tcrypto_notify(CRYPTO_MSG_ALG_LOADED, alg);/
/^int crypto_register_alg(/,/^}/{
	/crypto_notify(CRYPTO_MSG_ALG_LOADED/d
}
/^int crypto_register_instance(/,/^}/{
	/crypto_notify(CRYPTO_MSG_ALG_LOADED/d
	/crypto_alg_put(&inst->alg);/d
	/list_for_each_entry(q, &crypto_alg_list, cra_list)$/,/goto unlock;/d
	/^\t\(else\|if (!larval)\)$/{
		N
		/crypto_alg_get(&inst->alg);/d
	}
}
