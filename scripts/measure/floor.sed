# For scripts/bench: registration without any scan of the list of algorithms, which
# is wrong, and no right one can be faster.
s/^static LIST_HEAD(crypto_template_list);/&\nstatic LIST_HEAD(crypto_no_list);/
/^__crypto_register_alg(/,/^}/s/&crypto_alg_list, cra_list) {/\&crypto_no_list, cra_list) {/
/^static void crypto_alg_finish_registration(/,/^}/s/&crypto_alg_list, cra_list) {/\&crypto_no_list, cra_list) {/
/^int crypto_register_instance(/,/^}/{
	/list_for_each_entry(q, &crypto_alg_list, cra_list)$/,/goto unlock;/d
}
