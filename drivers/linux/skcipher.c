// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Ciphers of the kernel's crypto API: transforms, their keys, and the software that takes what the device does not. */
#include <linux/module.h>
#include <crypto/aes.h>
#include <crypto/algapi.h>
#include <crypto/internal/skcipher.h>
#include <crypto/xts.h>

#include "wideblock.h"

#define PRIORITY	4000	/* above that of the processor's instructions */

/* Whether halves are equal that the engine refuses: of the key, and of its first 32 bytes. In constant time. */
static bool wbk_xts_is_refused(const u8 *key, unsigned int size)
{
	unsigned long whole = crypto_memneq(key, key + size / 2, size / 2);
	unsigned long first = crypto_memneq(key, key + 16, 16);

	return !whole | !first;
}

/*
 * A row is all that the driver knows of a cipher. The software has what the device lacks: keys and requests of other
 * sizes, and keys that the engine refuses though the kernel takes them, unless it was told not to.
 */
static struct wbk_cipher wbk_ciphers[] = {
	{
		.scheme = "xts",
		.keys = 2,
		.verify = xts_verify_key,
		.is_refused = wbk_xts_is_refused,
		.alg = {
			.base.cra_name = "xts(aes)",
			.base.cra_driver_name = "xts-aes-" WBK_NAME,
			.base.cra_blocksize = AES_BLOCK_SIZE,
			.min_keysize = 2 * AES_MIN_KEY_SIZE,
			.max_keysize = 2 * AES_MAX_KEY_SIZE,
			.ivsize = AES_BLOCK_SIZE,
		},
	},
	{
		.scheme = "hctr2",
		.keys = 1,
		.one_size = true,
		.alg = {
			.base.cra_name = "hctr2(aes)",
			.base.cra_driver_name = "hctr2-aes-" WBK_NAME,
			.base.cra_blocksize = AES_BLOCK_SIZE,
			.min_keysize = AES_MIN_KEY_SIZE,
			.max_keysize = AES_MAX_KEY_SIZE,
			.ivsize = 2 * AES_BLOCK_SIZE,
		},
	},
};

static LIST_HEAD(wbk_transforms); /* under wbk_keys */

static struct wbk_cipher *wbk_cipher_of(struct crypto_skcipher *tfm)
{
	return container_of(crypto_skcipher_alg(tfm), struct wbk_cipher, alg);
}

static int wbk_setkey(struct crypto_skcipher *tfm, const u8 *key, unsigned int size)
{
	struct wbk_ctx *ctx = crypto_skcipher_ctx(tfm);
	struct wbk_cipher *cipher = wbk_cipher_of(tfm);
	int err = cipher->verify ? cipher->verify(tfm, key, size) : 0;
	unsigned long flags;

	if (err)
		return err;
	crypto_skcipher_clear_flags(ctx->fallback, CRYPTO_TFM_REQ_MASK);
	crypto_skcipher_set_flags(ctx->fallback, crypto_skcipher_get_flags(tfm) & CRYPTO_TFM_REQ_MASK);
	err = crypto_skcipher_setkey(ctx->fallback, key, size);
	if (err)
		return err;
	/* This may be no place to sleep: the engine gets the key with the first request. */
	spin_lock_irqsave(&wbk_lock, flags);
	ctx->epoch = atomic_read(&wbk_epoch);
	ctx->loaded = false;
	ctx->key_size = size;
	memcpy(ctx->key, key, size);
	if (wbk_device && !wbk_device->stopped) { /* the key before may be in a slot, and no request may come */
		atomic_set(&wbk_device->untidy, 1);
		queue_work(wbk_device->workqueue, &wbk_device->work);
	}
	spin_unlock_irqrestore(&wbk_lock, flags);
	ctx->refused = cipher->is_refused && cipher->is_refused(key, size);
	if (ctx->refused)
		atomic_inc(&wbk_counters.refused_keys);
	return 0;
}

/* Processes a request by software, in the caller's time. */
int wbk_fallback(struct skcipher_request *req)
{
	struct wbk_ctx *ctx = crypto_skcipher_ctx(crypto_skcipher_reqtfm(req));
	struct wbk_request *own = skcipher_request_ctx(req);

	atomic_inc(&wbk_counters.fallback);
	skcipher_request_set_tfm(&own->sub, ctx->fallback);
	skcipher_request_set_callback(&own->sub, req->base.flags, NULL, NULL);
	skcipher_request_set_crypt(&own->sub, req->src, req->dst, req->cryptlen, req->iv);
	return own->decrypt ? crypto_skcipher_decrypt(&own->sub) : crypto_skcipher_encrypt(&own->sub);
}

static int wbk_crypt(struct skcipher_request *req, bool decrypt)
{
	struct crypto_skcipher *tfm = crypto_skcipher_reqtfm(req);
	struct wbk_ctx *ctx = crypto_skcipher_ctx(tfm);
	struct wbk_request *own = skcipher_request_ctx(req);
	int err;

	if (req->cryptlen < crypto_skcipher_blocksize(tfm))
		return -EINVAL;
	if (wbk_is_revoked(ctx))
		return -ENOKEY;
	own->decrypt = decrypt;
	if (!ctx->refused && req->cryptlen <= WBK_BOUNCE && wbk_queue_add(req, wbk_cipher_of(tfm), &err))
		return err;
	return wbk_fallback(req);
}

static int wbk_encrypt(struct skcipher_request *req)
{
	return wbk_crypt(req, false);
}

static int wbk_decrypt(struct skcipher_request *req)
{
	return wbk_crypt(req, true);
}

static int wbk_init(struct crypto_skcipher *tfm)
{
	struct wbk_ctx *ctx = crypto_skcipher_ctx(tfm);
	const char *name = wbk_cipher_of(tfm)->alg.base.cra_name;

	ctx->fallback = crypto_alloc_skcipher(name, 0, CRYPTO_ALG_NEED_FALLBACK | CRYPTO_ALG_ASYNC);
	if (IS_ERR(ctx->fallback))
		return PTR_ERR(ctx->fallback);
	ctx->slot = WBK_NO_SLOT;
	crypto_skcipher_set_reqsize(tfm, sizeof(struct wbk_request) + crypto_skcipher_reqsize(ctx->fallback));
	mutex_lock(&wbk_keys);
	list_add(&ctx->node, &wbk_transforms);
	mutex_unlock(&wbk_keys);
	return 0;
}

static void wbk_exit(struct crypto_skcipher *tfm)
{
	struct wbk_ctx *ctx = crypto_skcipher_ctx(tfm);

	mutex_lock(&wbk_keys);
	list_del(&ctx->node);
	wbk_slot_forget(ctx);
	mutex_unlock(&wbk_keys);
	crypto_free_skcipher(ctx->fallback);
	memzero_explicit(ctx->key, sizeof(ctx->key));
}

/* Wipes keys that are revoked. The software's own copy goes as it gets another key or its transform ends. */
void wbk_wipe_revoked(void)
{
	struct wbk_ctx *ctx;
	unsigned long flags;

	lockdep_assert_held(&wbk_keys);
	list_for_each_entry(ctx, &wbk_transforms, node) {
		spin_lock_irqsave(&wbk_lock, flags); /* a new key is set before or after, not meanwhile */
		if (ctx->key_size && wbk_is_revoked(ctx)) {
			memzero_explicit(ctx->key, sizeof(ctx->key));
			ctx->key_size = 0;
			atomic_inc(&wbk_counters.wiped);
		}
		spin_unlock_irqrestore(&wbk_lock, flags);
	}
}

struct wbk_cipher *wbk_cipher_find(const char *scheme)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(wbk_ciphers); n++)
		if (!strcmp(wbk_ciphers[n].scheme, scheme))
			return &wbk_ciphers[n];
	return NULL;
}

/*
 * Makes a cipher known to the kernel. It belongs to the module, since a device may go while transforms live: without one
 * their requests are the software's.
 */
int wbk_cipher_register(struct wbk_cipher *cipher)
{
	struct skcipher_alg *alg = &cipher->alg;
	int err;

	if (cipher->registered)
		return 0;
	alg->base.cra_priority = PRIORITY;
	alg->base.cra_flags = CRYPTO_ALG_ASYNC | CRYPTO_ALG_NEED_FALLBACK | CRYPTO_ALG_KERN_DRIVER_ONLY;
	alg->base.cra_ctxsize = sizeof(struct wbk_ctx);
	alg->base.cra_module = THIS_MODULE;
	alg->init = wbk_init;
	alg->exit = wbk_exit;
	alg->setkey = wbk_setkey;
	alg->encrypt = wbk_encrypt;
	alg->decrypt = wbk_decrypt;
	err = crypto_register_skcipher(alg);
	cipher->registered = !err;
	return err;
}

void wbk_ciphers_unregister(void)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(wbk_ciphers); n++)
		if (wbk_ciphers[n].registered)
			crypto_unregister_skcipher(&wbk_ciphers[n].alg);
}
