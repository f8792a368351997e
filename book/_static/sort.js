// A table that is marked as sortable has a button in each heading of its last row of headings.
// A number is what is written first: 19/6 ≈ 3.17 is 19/6. What is missing stays last.
(() => {
  "use strict";

  const NUMBER = /^[+×≈=±\s]*([-−]?)\s*(?:(∞|inf)|(\d[\d,]*(?:\.\d+)?(?:e[-+−]?\d+)?)(?:\/(\d[\d,]*))?)(?![\w.])/;
  const plain = (text) => Number(text.replace(/,/g, "").replace("−", "-"));
  const numberIn = (text) => {
    const found = NUMBER.exec(text);
    if (!found) return null;
    const [, minus, infinite, above, below] = found;
    const size = infinite ? Infinity : plain(above) / (below ? plain(below) : 1);
    return minus ? -size : size;
  };
  const missing = (text) => /^(|-|−|–|—|nan|none|n\/a)$/i.test(text);
  const parts = (text) => text.split(/(\d+(?:\.\d+)?)/);  // words at even places, numbers at odd ones
  const words = (one, other) => {
    const [here, there] = [parts(one), parts(other)];
    for (let i = 0; i < Math.min(here.length, there.length); i++) {
      const order = i % 2 ? here[i] - there[i] : here[i].localeCompare(there[i], "en", { sensitivity: "base" });
      if (order) return order;
    }
    return here.length - there.length;
  };
  const before = (one, other) => {
    const numbers = [numberIn(one), numberIn(other)];
    if (numbers.every((number) => number !== null)) {
      return numbers[0] < numbers[1] ? -1 : numbers[0] > numbers[1] ? 1 : 0;
    }
    if (numbers.some((number) => number !== null)) return numbers[0] === null ? 1 : -1;  // numbers, then words
    return words(one, other);
  };
  const sort = (table, heading, at) => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    for (const body of table.tBodies) {
      const rows = [...body.rows].map((row) => [row, row.cells[at].textContent.trim()]);
      rows.sort(([, one], [, other]) => {
        if (missing(one) || missing(other)) return missing(one) - missing(other);
        return down ? before(other, one) : before(one, other);
      });
      body.append(...rows.map(([row]) => row));
    }
  };
  // A table that folds is long: a menu shows the rows of one name.
  for (const table of document.querySelectorAll("table.folded")) {
    const rows = [...table.tBodies[0].rows], name = (row) => row.cells[0].textContent.trim();
    const menu = document.createElement("select"), label = document.createElement("label");
    menu.append(...[...new Set(["all", ...rows.map(name)])].map((one) => new Option(one)));
    menu.onchange = () => { for (const row of rows) row.hidden = menu.selectedIndex > 0 && name(row) !== menu.value; };
    label.append("Query: ", menu);
    table.before(label);
  }
  for (const table of document.querySelectorAll("table.sortable, .sortable table, .tag_sortable table")) {
    const headings = table.tHead ? [...table.tHead.rows].at(-1) : null;
    if (!headings || table.tBodies.length === 0) continue;
    const simple = [...table.querySelectorAll("tbody tr")].every((row) => row.cells.length === headings.cells.length);
    if (!simple || table.querySelector("tbody [rowspan], tbody [colspan]")) continue;
    [...headings.cells].forEach((heading, at) => {
      if (!heading.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, heading, at));
    });
  }
})();
