"use strict";
// Tables that sort by their heads; the report and the page of a benchmark use it.

const UNITS = { ms: 1e-3, s: 1, min: 60, h: 3600 };
// A click on a head sorts by it, a second one the other way round.
function sortable(table) {
  table.querySelectorAll("thead th").forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      table.sortBy = { column, down: table.sortBy && table.sortBy.column === column ? !table.sortBy.down : column > 0 };
      sorted(table);
    });
  });
}
// What a cell is sorted by: its number, the number that its text begins with (a time in seconds), or its text.
function sortKey(cell) {
  const { number, order } = cell.dataset, value = number === undefined ? order : number;
  if (value !== undefined) return Number(value);
  const found = /^([-+]?[\d,]*\.?\d+)(?: (ms|s|min|h)$|$|[ [])/.exec(cell.textContent.trim());
  return found ? Number(found[1].replaceAll(",", "")) * (UNITS[found[2]] || 1) : cell.textContent;
}
function sorted(table) {
  if (!table.sortBy) return;
  const { column, down } = table.sortBy, body = table.tBodies[0];
  const order = (a, b) => (typeof a === "number" && typeof b === "number" ? (Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : a - b) : String(a).localeCompare(String(b), "en", { numeric: true }));
  body.append(...[...body.rows].sort((a, b) => order(sortKey(a.cells[column]), sortKey(b.cells[column])) * (down ? -1 : 1)));
  table.querySelectorAll("thead th").forEach((head, k) => (k === column ? head.setAttribute("aria-sort", down ? "descending" : "ascending") : head.removeAttribute("aria-sort")));
}
