// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* A device on PCI: its three blocks of registers are in BAR 0, its interrupt is a message. */
#include <linux/module.h>
#include <linux/pci.h>

#include "wideblock.h"

#define KEYS	0x0000
#define ENGINE	0x4000
#define DMA	0x8000

static int wbk_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct wbk_device *w = devm_kzalloc(&pdev->dev, sizeof(*w), GFP_KERNEL);
	void __iomem *bar;
	int err;

	if (!w)
		return -ENOMEM;
	err = pcim_enable_device(pdev);
	if (err)
		return err;
	err = pcim_iomap_regions(pdev, BIT(0), WBK_NAME);
	if (err)
		return err;
	pci_set_master(pdev);
	err = pci_alloc_irq_vectors(pdev, 1, 1, PCI_IRQ_MSI | PCI_IRQ_MSIX);
	if (err < 0)
		return err;
	bar = pcim_iomap_table(pdev)[0];
	w->dev = &pdev->dev;
	w->keys = bar + KEYS;
	w->engine = bar + ENGINE;
	w->dma = bar + DMA;
	w->irq = pci_irq_vector(pdev, 0);
	err = wbk_attach(w);
	if (err)
		pci_free_irq_vectors(pdev);
	return err;
}

static void wbk_pci_shutdown(struct pci_dev *pdev)
{
	wbk_quiesce(pci_get_drvdata(pdev));
}

static void wbk_pci_remove(struct pci_dev *pdev)
{
	wbk_detach(pci_get_drvdata(pdev));
	pci_clear_master(pdev);
	pci_free_irq_vectors(pdev);
}

static const struct pci_device_id wbk_pci_ids[] = {
	{ PCI_DEVICE(0x1209, 0x0002) }, /* of pid.codes, for tests: cards have one of their maker */
	{ }
};
MODULE_DEVICE_TABLE(pci, wbk_pci_ids);

static struct pci_driver wbk_pci_driver = {
	.name = WBK_NAME,
	.id_table = wbk_pci_ids,
	.probe = wbk_pci_probe,
	.remove = wbk_pci_remove,
	.shutdown = wbk_pci_shutdown,
	.driver.pm = pm_sleep_ptr(&wbk_pm_ops),
	.dev_groups = wbk_groups,
};

int wbk_pci_register(void)
{
	return pci_register_driver(&wbk_pci_driver);
}

void wbk_pci_unregister(void)
{
	pci_unregister_driver(&wbk_pci_driver);
}
