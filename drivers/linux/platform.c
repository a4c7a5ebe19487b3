// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* A device of a chip: wideblock,accelerator.yaml has what its device tree says. */
#include <linux/clk.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>

#include "wideblock.h"

static void wbk_platform_end(void *device)
{
	wbk_detach(device);
}

static void wbk_platform_shutdown(struct platform_device *pdev)
{
	wbk_quiesce(platform_get_drvdata(pdev));
}

static int wbk_platform_probe(struct platform_device *pdev)
{
	struct wbk_device *w = devm_kzalloc(&pdev->dev, sizeof(*w), GFP_KERNEL);
	struct clk *clock;
	int err;

	if (!w)
		return -ENOMEM;
	w->dev = &pdev->dev;
	w->keys = devm_platform_ioremap_resource_byname(pdev, "keys");
	if (IS_ERR(w->keys))
		return PTR_ERR(w->keys);
	w->engine = devm_platform_ioremap_resource_byname(pdev, "engine");
	if (IS_ERR(w->engine))
		return PTR_ERR(w->engine);
	w->dma = devm_platform_ioremap_resource_byname(pdev, "dma");
	if (IS_ERR(w->dma))
		return PTR_ERR(w->dma);
	w->irq = platform_get_irq(pdev, 0);
	if (w->irq < 0)
		return w->irq;
	clock = devm_clk_get_optional_enabled(&pdev->dev, NULL);
	if (IS_ERR(clock))
		return PTR_ERR(clock);
	err = wbk_attach(w);
	return err ? err : devm_add_action_or_reset(&pdev->dev, wbk_platform_end, w);
}

static const struct of_device_id wbk_of_ids[] = {
	{ .compatible = "wideblock,accelerator" },
	{ }
};
MODULE_DEVICE_TABLE(of, wbk_of_ids);

static struct platform_driver wbk_platform_driver = {
	.probe = wbk_platform_probe,
	.shutdown = wbk_platform_shutdown,
	.driver = {
		.name = WBK_NAME,
		.of_match_table = wbk_of_ids,
		.pm = pm_sleep_ptr(&wbk_pm_ops),
		.dev_groups = wbk_groups,
	},
};

int wbk_platform_register(void)
{
	return platform_driver_register(&wbk_platform_driver);
}

void wbk_platform_unregister(void)
{
	platform_driver_unregister(&wbk_platform_driver);
}
