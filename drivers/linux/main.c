// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The module: buses on which devices are found, and counters. */
#include <linux/debugfs.h>
#include <linux/module.h>

#include "wideblock.h"

struct wbk_counters wbk_counters;

static struct dentry *wbk_folder;

#define COUNTER(name) { #name, &wbk_counters.name }

static const struct {
	const char *name;
	atomic_t *value;
} wbk_files[] = {
	COUNTER(hardware), COUNTER(copied), COUNTER(lists), COUNTER(fallback), COUNTER(errors), COUNTER(commands),
	COUNTER(loads), COUNTER(evictions), COUNTER(waits), COUNTER(interrupts), COUNTER(revoked), COUNTER(wiped),
	COUNTER(refused_keys),
};

static int __init wbk_module_init(void)
{
	unsigned int n;
	int err;

	wbk_folder = debugfs_create_dir(WBK_NAME, NULL);
	for (n = 0; n < ARRAY_SIZE(wbk_files); n++)
		debugfs_create_atomic_t(wbk_files[n].name, 0400, wbk_folder, wbk_files[n].value);
	err = wbk_pci_register();
	if (err)
		goto no_pci;
	err = wbk_platform_register();
	if (err)
		goto no_platform;
	return 0;

no_platform:
	wbk_pci_unregister();
	wbk_ciphers_unregister();
no_pci:
	debugfs_remove_recursive(wbk_folder);
	return err;
}
module_init(wbk_module_init);

/* No transform lives here: each holds the module. */
static void __exit wbk_module_exit(void)
{
	wbk_platform_unregister();
	wbk_pci_unregister();
	wbk_ciphers_unregister(); /* at last: a device that comes meanwhile registers its own */
	debugfs_remove_recursive(wbk_folder);
}
module_exit(wbk_module_exit);

MODULE_DESCRIPTION("Ciphers of storage on wideblock accelerators");
MODULE_LICENSE("GPL");
