// SPDX-License-Identifier: Apache-2.0
// Titles beside the cells of a narrow window, see site.css.
for (const table of document.querySelectorAll("table.docutils"))
  for (const row of table.tBodies[0].rows)
    [...row.cells].forEach((cell, k) => cell.dataset.title = table.tHead.rows[0].cells[k].textContent);
